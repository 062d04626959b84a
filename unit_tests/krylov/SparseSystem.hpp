// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <vector>

#include "LinearSystem.hpp"

/// Sparse systems that are solved twice: as a block, and column by column.
namespace Tessera::Impl::Test {

/// Computes Q = A P with a sparse A on the device.
template <class Exec, class Scalar>
struct CsrProduct {
  using Space = typename Exec::memory_space;
  Kokkos::View<int*, Space> offsets, indices;
  Kokkos::View<Scalar*, Space> values;

  explicit CsrProduct(const HostCsr<double>& A)
      : offsets(on_device<int>(A.row_offsets)),
        indices(on_device<int>(A.column_indices)),
        values(on_device<Scalar>(A.values)) {}

  template <class PView, class QView>
  void operator()(const PView& P, const QView& Q) const {
    const auto offset = offsets, index = indices;
    const auto value = values;
    Kokkos::parallel_for(
        "product", Kokkos::RangePolicy<Exec>(0, int(Q.extent(0))), KOKKOS_LAMBDA(int i) {
          for (int j = 0; j < int(Q.extent(1)); ++j) {
            Scalar sum = 0;
            for (int k = offset(i); k < offset(i + 1); ++k) sum += value(k) * P(index(k), j);
            Q(i, j) = sum;
          }
        });
  }

 private:
  template <class T, class From>
  static Kokkos::View<T*, Space> on_device(const From& from) {
    Kokkos::View<T*, Space> to("sparse", from.size());
    const auto mirror = Kokkos::create_mirror_view(to);
    for (std::size_t k = 0; k < from.size(); ++k) mirror(k) = T(from[k]);
    Kokkos::deep_copy(to, mirror);
    return to;
  }
};

/// Computes Q = A P and P^T Q.
template <class Exec, class Scalar>
struct CsrProductWithInner : CsrProduct<Exec, Scalar> {
  using CsrProduct<Exec, Scalar>::CsrProduct;
  template <class PView, class QView>
  void multiply_with_inner_products(const PView& P, const QView& Q, const auto& PtQ) const {
    (*this)(P, Q);
    const auto p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), P);
    const auto q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Q);
    std::vector<Scalar> sums(P.extent(1) * P.extent(1));
    for (std::size_t k = 0; k < P.extent(0); ++k)
      for (std::size_t i = 0; i < P.extent(1); ++i)
        for (std::size_t j = 0; j < P.extent(1); ++j) sums[i * P.extent(1) + j] += p(k, i) * q(k, j);
    for (std::size_t i = 0; i < P.extent(1); ++i)
      for (std::size_t j = 0; j < P.extent(1); ++j) PtQ(int(i), int(j)) = sums[i * P.extent(1) + j];
  }
};

/// Computes Z = D R with a diagonal D; D = I without preconditioner.
template <class Exec, class Scalar>
struct DiagonalProduct {
  Kokkos::View<Scalar*, typename Exec::memory_space> diagonal;
  template <class RView, class ZView>
  void operator()(const RView& R, const ZView& Z) const {
    const auto d = diagonal;
    Kokkos::parallel_for(
        "diagonal", Kokkos::RangePolicy<Exec>(0, int(Z.extent(0))), KOKKOS_LAMBDA(int i) {
          for (int j = 0; j < int(Z.extent(1)); ++j) Z(i, j) = d(i) * R(i, j);
        });
  }
};

/// A system A X = B.
template <class Exec, class Scalar>
class SparseSystem {
 public:
  using Options = BlockCgOptions<Scalar>;

  SparseSystem(const HostCsr<double>& A, bool has_preconditioner, bool with_inner_products)
      : A_(A), product_(A), has_preconditioner_(has_preconditioner), with_inner_products_(with_inner_products) {
    Kokkos::View<Scalar*, typename Exec::memory_space> diagonal("diagonal", std::size_t(A.rows));
    const auto mirror = Kokkos::create_mirror_view(diagonal);
    for (int i = 0; i < A.rows; ++i)
      for (std::size_t k = A.row_offsets[std::size_t(i)]; k < A.row_offsets[std::size_t(i) + 1]; ++k)
        if (A.column_indices[k] == i) mirror(i) = Scalar(1 / A.values[k]);
    Kokkos::deep_copy(diagonal, mirror);
    jacobi_.diagonal = diagonal;
  }

  /// Solves the system. On entry, X is the guess. Products that give no inner products run as on one of several ranks,
  /// where Gram matrices are predicted.
  BlockCgResult solve(const HostDenseMatrix& B, HostDenseMatrix& X, Options options) const {
    if (!with_inner_products_) options.sum_over_ranks = [](Scalar*, Ordinal) {}, options.sums = BlockCgSums::Once;
    const DeviceBlock<Exec, Scalar, Kokkos::LayoutRight> b(B), x(X);
    const auto solve_with = [&](const auto& product) {
      return has_preconditioner_ ? block_cg(Exec(), product, jacobi_, b.view, x.view, options)
                                 : block_cg(Exec(), product, b.view, x.view, options);
    };
    const BlockCgResult result = with_inner_products_
                                     ? solve_with(product_)
                                     : solve_with(static_cast<const CsrProduct<Exec, Scalar>&>(product_));
    X = x.get();
    return result;
  }

  /// Returns the residual that rounding x causes: eps | |A| |x| | / |b|.
  double floor(const HostDenseMatrix& B, const HostDenseMatrix& X, int column) const {
    double square = 0;
    for (int i = 0; i < A_.rows; ++i) {
      double sum = 0;
      for (std::size_t k = A_.row_offsets[std::size_t(i)]; k < A_.row_offsets[std::size_t(i) + 1]; ++k)
        sum += std::abs(A_.values[k] * X(A_.column_indices[k], column));
      square += sum * sum;
    }
    const double norm = norm_of_column(B, column);
    return norm > 0 ? double(std::numeric_limits<Scalar>::epsilon()) * std::sqrt(square) / norm : 0;
  }
  /// Returns |b - A x| / |b|.
  double residual(const HostDenseMatrix& B, const HostDenseMatrix& X, int column) const {
    long double square = 0;
    for (int i = 0; i < A_.rows; ++i) {
      long double rest = B(i, column);
      for (std::size_t k = A_.row_offsets[std::size_t(i)]; k < A_.row_offsets[std::size_t(i) + 1]; ++k)
        rest -= (long double)(Scalar(A_.values[k])) * X(A_.column_indices[k], column);
      square += rest * rest;
    }
    const double norm = norm_of_column(B, column);
    return norm > 0 ? double(std::sqrt(square)) / norm : double(square);
  }

  /// Iterations of the block, and of its slowest column alone from the same guess.
  struct Comparison {
    BlockCgResult block;
    int slowest = 0;
    bool all_alone = true;  // each column converges
    double worst = 0;       // greatest residual of X, computed here
    double floor = 0;       // greatest floor() of the columns
    double ratio() const { return double(block.iterations) / std::max(slowest, 1); }
  };
  Comparison compare(const HostDenseMatrix& B, const HostDenseMatrix& guess, const Options& options) const {
    Comparison comparison;
    HostDenseMatrix X = guess;
    comparison.block = solve(B, X, options);
    for (int j = 0; j < B.columns; ++j) {
      comparison.worst = std::max(comparison.worst, residual(B, X, j));
      comparison.floor = std::max(comparison.floor, floor(B, X, j));
      // Stops at a column with at least the block's number of iterations: then the block passes.
      if (comparison.slowest >= comparison.block.iterations && comparison.block.has_converged) continue;
      HostDenseMatrix x = column_of(guess, j);
      const auto alone = solve(column_of(B, j), x, options);
      comparison.all_alone = comparison.all_alone && alone.has_converged;
      comparison.slowest = std::max(comparison.slowest, alone.iterations);
    }
    return comparison;
  }

 private:
  static HostDenseMatrix column_of(const HostDenseMatrix& from, int column) {
    HostDenseMatrix result(from.rows, 1);
    for (int i = 0; i < from.rows; ++i) result(i, 0) = from(i, column);
    return result;
  }

  HostCsr<double> A_;
  CsrProductWithInner<Exec, Scalar> product_;
  DiagonalProduct<Exec, Scalar> jacobi_;
  bool has_preconditioner_, with_inner_products_;
};

}  // namespace Tessera::Impl::Test
