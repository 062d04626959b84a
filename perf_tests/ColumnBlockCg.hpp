// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <tessera/dense/impl/SmallAlgebra.hpp>
#include <utility>
#include <vector>

#include "DeviceMatrix.hpp"

namespace Tessera::Impl::Benchmarks {

/// A block conjugate gradient method, without a preconditioner, as a user of Kokkos Kernels would write it:
/// column-major blocks, with inner products and updates by KokkosBlas::gemm (cuBLAS on NVIDIA GPUs, the host's BLAS).
///
/// Directions are orthonormalized with a Cholesky factor of a Gram matrix that is computed from R^T R, solved columns
/// are removed, and an iteration waits twice. Tessera::block_cg instead keeps residuals orthonormal, and the directions
/// of solved columns. On well-conditioned systems iterations differ by a few; on others this method may stagnate.
class ColumnBlockCg {
 public:
  using Columns = Vectors<Kokkos::LayoutLeft>;
  using Small = Impl::Small;

  ColumnBlockCg(int rows, int columns)
      : X_("X", rows, columns),
        R_("R", rows, columns),
        P_("P", rows, columns),
        Q_("Q", rows, columns),
        spare_("spare", rows, columns),
        sums_("sums", std::size_t(3 * columns) * std::size_t(columns)),
        factors_("factors", slots * std::size_t(columns) * std::size_t(columns)),
        host_sums_("sums", sums_.extent(0)),
        host_factors_("factors", factors_.extent(0)) {}

  /// Solves A X = B from X = 0, until residuals of the recurrence are at most `tolerance` of their right-hand sides.
  /// Returns the number of iterations, at most `most`. `multiply(P, Q)` computes Q = A P for at most the columns of B.
  template <class Multiply>
  int solve(const Space& exec, const Multiply& multiply, const Columns& B, const Columns& X, double tolerance,
            int most) {
    std::vector<int> active(B.extent(1));
    for (std::size_t j = 0; j < active.size(); ++j) active[j] = int(j);
    Kokkos::deep_copy(exec, R_, B);
    Kokkos::deep_copy(exec, X_, 0.0);
    std::vector<double> enough;
    int directions = 0;
    Small PtP;
    Impl::CholeskyFactor curvature;
    for (int iteration = 0;; ++iteration) {
      const int columns = int(active.size());
      const Small sums = directions > 0 ? products(exec, {some(Q_, directions), some(R_, columns)}, some(R_, columns))
                                        : products(exec, {some(R_, columns)}, some(R_, columns));
      Small QtR = sums.some_rows(0, directions), RtR = sums.some_rows(directions, columns);
      if (iteration == 0)
        for (int j = 0; j < columns; ++j) enough.push_back(tolerance * tolerance * RtR(j, j));
      const std::vector<int> staying = leave(exec, RtR, enough, iteration == most, active, X);
      if (active.empty()) return iteration;
      QtR = QtR.some_columns(staying);
      RtR = RtR.some_columns(staying).transposed().some_columns(staying);
      const Small beta = -curvature.solve(QtR);
      directions = turn_directions(exec, RtR, beta, PtP, directions);
      multiply(some(P_, directions), some(Q_, directions));
      const int left = int(active.size());
      const Small of_P =
          products(exec, {some(Q_, directions), some(P_, directions), some(R_, left)}, some(P_, directions));
      PtP = of_P.some_rows(directions, directions);
      curvature = Impl::CholeskyFactor(of_P.some_rows(0, directions), 1e-15 * directions);
      if (!curvature.keeps_all()) throw std::runtime_error("the matrix is not positive definite");
      const Small alpha = curvature.solve(of_P.some_rows(2 * directions, left).transposed());
      update(exec, 1, some(P_, directions), alpha, 1, some(X_, left));
      update(exec, -1, some(Q_, directions), alpha, 1, some(R_, left));
    }
  }

 private:
  static constexpr std::size_t slots = 4;  // updates between two waits

  static Columns some(const Columns& block, int columns) {
    return Kokkos::subview(block, Kokkos::ALL, std::pair<int, int>(0, columns));
  }

  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Returns X^T Y for several blocks X: with one call for each, one copy to the host and one wait.
  Small products(const Space& exec, std::initializer_list<Columns> blocks, const Columns& Y) {
    const int columns = int(Y.extent(1));
    int rows = 0;
    for (const Columns& X : blocks) {
      const Matrix C(sums_.data() + rows * columns, X.extent(1), columns);
      KokkosBlas::gemm(exec, "T", "N", 1.0, X, Y, 0.0, C);
      rows += int(X.extent(1));
    }
    const std::pair<int, int> range(0, rows * columns);
    Kokkos::deep_copy(exec, Kokkos::subview(host_sums_, range), Kokkos::subview(sums_, range));
    exec.fence();
    slot_ = 0;
    Small result(rows, columns);
    int first = 0;
    for (const Columns& X : blocks) {
      const int count = int(X.extent(1));
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < count; ++i) result(first + i, j) = host_sums_(first * columns + j * count + i);
      first += count;
    }
    return result;
  }

  /// Y = alpha X C + beta Y
  void update(const Space& exec, double alpha, const Columns& X, const Small& C, double beta, const Columns& Y) {
    // Factors between two waits have separate slots.
    const int columns = int(X_.extent(1)), begin = slot_++ * columns * columns;
    for (int j = 0; j < C.columns(); ++j)
      for (int i = 0; i < C.rows(); ++i) host_factors_(begin + j * C.rows() + i) = C(i, j);
    const std::pair<int, int> range(begin, begin + C.rows() * C.columns());
    Kokkos::deep_copy(exec, Kokkos::subview(factors_, range), Kokkos::subview(host_factors_, range));
    KokkosBlas::gemm(exec, "N", "N", alpha, X, Matrix(factors_.data() + begin, C.rows(), C.columns()), beta, Y);
  }

  /// Copies solved columns, or all columns, to X; the other columns move up. Returns the indices of unsolved columns.
  std::vector<int> leave(const Space& exec, const Small& RtR, const std::vector<double>& enough, bool all,
                         std::vector<int>& active, const Columns& X) {
    std::vector<int> staying, rest;
    for (int j = 0; j < int(active.size()); ++j) {
      const int column = active[std::size_t(j)];
      if (all || RtR(j, j) <= enough[std::size_t(column)]) {
        copy_column(exec, X_, j, X, column);
        continue;
      }
      const int place = int(staying.size());
      if (place != j) {
        copy_column(exec, X_, j, X_, place);
        copy_column(exec, R_, j, R_, place);
      }
      staying.push_back(j);
      rest.push_back(column);
    }
    active = rest;
    return staying;
  }
  static void copy_column(const Space& exec, const Columns& from, int source, const Columns& to, int target) {
    Kokkos::deep_copy(exec, Kokkos::subview(to, Kokkos::ALL, target), Kokkos::subview(from, Kokkos::ALL, source));
  }

  /// Computes P = (R + P beta) F with orthonormal columns. Returns the number of columns.
  int turn_directions(const Space& exec, const Small& RtR, const Small& beta, const Small& PtP, int directions) {
    const double share = 100.0 * RtR.columns() * 2.2e-16;
    const Impl::CholeskyFactor factor(RtR + beta.transposed() * PtP * beta, share);
    const Small F = factor.inverse_factor();
    update(exec, 1, some(R_, RtR.columns()), F, 0, some(spare_, F.columns()));
    if (directions > 0) update(exec, 1, some(P_, directions), beta * F, 1, some(spare_, F.columns()));
    std::swap(P_, spare_);
    return F.columns();
  }

  Columns X_, R_, P_, Q_, spare_;
  Kokkos::View<double*, Space> sums_, factors_;  // small matrices; below: on the host
  Kokkos::View<double*, Kokkos::SharedHostPinnedSpace> host_sums_, host_factors_;
  int slot_ = 0;
};

}  // namespace Tessera::Impl::Benchmarks
