// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <tessera/BlockCg.hpp>
#include <vector>

#include "../testing/TestTypes.hpp"

/// Small dense systems that are solved by block_cg(), and directly on the host.
namespace Tessera::Impl::Test {

/// A dense matrix on the host, with serial reference functions.
struct HostDenseMatrix {
  int rows = 0, columns = 0;
  std::vector<double> elements;

  HostDenseMatrix() = default;
  HostDenseMatrix(int rows_, int columns_)
      : rows(rows_), columns(columns_), elements(std::size_t(rows_) * std::size_t(columns_)) {}
  double& operator()(int i, int j) { return elements[std::size_t(i) * std::size_t(columns) + std::size_t(j)]; }
  double operator()(int i, int j) const { return elements[std::size_t(i) * std::size_t(columns) + std::size_t(j)]; }
};

inline HostDenseMatrix random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  HostDenseMatrix result(rows, columns);
  for (double& element : result.elements) element = normal(engine);
  return result;
}

/// A symmetric matrix with these eigenvalues: reflections applied to a diagonal matrix.
inline HostDenseMatrix with_eigenvalues(const std::vector<double>& eigenvalues, unsigned seed = 1) {
  const int n = int(eigenvalues.size());
  HostDenseMatrix A(n, n);
  for (int i = 0; i < n; ++i) A(i, i) = eigenvalues[std::size_t(i)];
  for (unsigned k = 0; k < 3; ++k) {
    HostDenseMatrix v = random_matrix(n, 1, seed + k);
    double square = 0;
    for (const double x : v.elements) square += x * x;
    for (const bool is_row : {false, true}) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += v(i, 0) * (is_row ? A(j, i) : A(i, j));
        for (int i = 0; i < n; ++i) (is_row ? A(j, i) : A(i, j)) -= 2 * sum / square * v(i, 0);
      }
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) A(i, j) = A(j, i);
  return A;
}

/// A matrix with eigenvalues from 1 to `condition`, evenly spaced in their logarithms.
inline HostDenseMatrix positive_definite(int n, double condition, unsigned seed = 1) {
  std::vector<double> eigenvalues;
  for (int i = 0; i < n; ++i) eigenvalues.push_back(std::pow(condition, n == 1 ? 0 : double(i) / (n - 1)));
  return with_eigenvalues(eigenvalues, seed);
}

inline HostDenseMatrix multiply(const HostDenseMatrix& A, const HostDenseMatrix& X) {
  HostDenseMatrix Y(A.rows, X.columns);
  for (int i = 0; i < A.rows; ++i)
    for (int k = 0; k < A.columns; ++k)
      for (int j = 0; j < X.columns; ++j) Y(i, j) += A(i, k) * X(k, j);
  return Y;
}

/// Returns A^-1 B, by Cholesky factorization.
inline HostDenseMatrix solve_directly(const HostDenseMatrix& A, const HostDenseMatrix& B) {
  const int n = A.rows;
  std::vector<long double> L(std::size_t(n) * std::size_t(n));
  const auto l = [&](int i, int j) -> long double& { return L[std::size_t(i) * std::size_t(n) + std::size_t(j)]; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      long double sum = A(i, j);
      for (int k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
    }
  }
  HostDenseMatrix X(n, B.columns);
  for (int j = 0; j < B.columns; ++j) {
    std::vector<long double> y(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      y[std::size_t(i)] = B(i, j);
      for (int k = 0; k < i; ++k) y[std::size_t(i)] -= l(i, k) * y[std::size_t(k)];
      y[std::size_t(i)] /= l(i, i);
    }
    for (int i = n; i-- > 0;) {
      for (int k = i + 1; k < n; ++k) y[std::size_t(i)] -= l(k, i) * y[std::size_t(k)];
      y[std::size_t(i)] /= l(i, i);
      X(i, j) = double(y[std::size_t(i)]);
    }
  }
  return X;
}

inline double norm_of_column(const HostDenseMatrix& X, int j) {
  long double sum = 0;
  for (int i = 0; i < X.rows; ++i) sum += (long double)(X(i, j)) * X(i, j);
  return double(std::sqrt(sum));
}

/// Returns |b - A x| / |b| of a column, computed serially.
inline double residual_of_column(const HostDenseMatrix& A, const HostDenseMatrix& B, const HostDenseMatrix& X, int j) {
  HostDenseMatrix rest(B.rows, 1);
  for (int i = 0; i < B.rows; ++i) {
    long double sum = B(i, j);
    for (int k = 0; k < A.columns; ++k) sum -= (long double)(A(i, k)) * X(k, j);
    rest(i, 0) = double(sum);
  }
  return norm_of_column(rest, 0) / norm_of_column(B, j);
}

/// Returns the number of iterations of plain CG for one column.
inline int iterations_of_plain_cg(const HostDenseMatrix& A, const HostDenseMatrix& B, int column, double tolerance) {
  HostDenseMatrix r(A.rows, 1), x(A.rows, 1);
  for (int i = 0; i < A.rows; ++i) r(i, 0) = B(i, column);
  const double whole = norm_of_column(r, 0);
  HostDenseMatrix p = r;
  int iterations = 0;
  for (double square = whole * whole; std::sqrt(square) > tolerance * whole && iterations < 10000; ++iterations) {
    const HostDenseMatrix q = multiply(A, p);
    double curvature = 0;
    for (int i = 0; i < A.rows; ++i) curvature += p(i, 0) * q(i, 0);
    for (int i = 0; i < A.rows; ++i) r(i, 0) -= square / curvature * q(i, 0);
    const double next = norm_of_column(r, 0) * norm_of_column(r, 0);
    for (int i = 0; i < A.rows; ++i) p(i, 0) = r(i, 0) + next / square * p(i, 0);
    square = next;
  }
  return iterations;
}

/// A View of rank 2 in device memory, with any layout.
template <class Exec, class Scalar, class Layout>
struct DeviceBlock {
  using View = Kokkos::View<Scalar**, Layout, typename Exec::memory_space>;
  Kokkos::View<Scalar**, Kokkos::LayoutRight, typename Exec::memory_space> memory;  // memory of a LayoutStride View
  View view;

  explicit DeviceBlock(const HostDenseMatrix& host) {
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      memory = decltype(memory)("block", std::size_t(2 * host.rows), std::size_t(host.columns + 3));
      view = View(memory.data() + 1, Kokkos::LayoutStride(std::size_t(host.rows), 2 * std::size_t(host.columns + 3),
                                                          std::size_t(host.columns), 1));
    } else {
      view = View("block", std::size_t(host.rows), std::size_t(host.columns));
    }
    set(host);
  }
  void set(const HostDenseMatrix& host) const {
    Kokkos::View<Scalar**, Kokkos::LayoutRight, typename Exec::memory_space> packed("packed", view.extent(0),
                                                                                    view.extent(1));
    const auto mirror = Kokkos::create_mirror_view(packed);
    for (int i = 0; i < host.rows; ++i)
      for (int j = 0; j < host.columns; ++j) mirror(i, j) = Scalar(host(i, j));
    Kokkos::deep_copy(packed, mirror);
    copy(packed, view);
  }
  HostDenseMatrix get() const {
    Kokkos::View<Scalar**, Kokkos::LayoutRight, typename Exec::memory_space> packed("packed", view.extent(0),
                                                                                    view.extent(1));
    copy(view, packed);
    const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
    HostDenseMatrix host(int(view.extent(0)), int(view.extent(1)));
    for (int i = 0; i < host.rows; ++i)
      for (int j = 0; j < host.columns; ++j) host(i, j) = double(mirror(i, j));
    return host;
  }
  template <class From, class To>
  static void copy(const From& from, const To& to) {
    Kokkos::parallel_for(
        "copy", Kokkos::RangePolicy<Exec>(0, int(from.extent(0))), KOKKOS_LAMBDA(int i) {
          for (int j = 0; j < int(from.extent(1)); ++j) to(i, j) = from(i, j);
        });
    Kokkos::fence();
  }
};

/// Computes Q = A P with a dense A on the device. Counts calls and columns.
template <class Exec, class Scalar>
struct DenseProduct {
  Kokkos::View<Scalar**, Kokkos::LayoutRight, typename Exec::memory_space> A;
  Exec exec;
  int calls = 0, columns = 0;

  explicit DenseProduct(const HostDenseMatrix& host, const Exec& exec_ = {})
      : A(DeviceBlock<Exec, Scalar, Kokkos::LayoutRight>(host).view), exec(exec_) {}

  template <class PView, class QView>
  void operator()(const PView& P, const QView& Q) {
    ++calls;
    columns += int(P.extent(1));
    const auto matrix = A;
    Kokkos::parallel_for(
        "product", Kokkos::RangePolicy<Exec>(exec, 0, int(Q.extent(0))), KOKKOS_LAMBDA(int i) {
          for (int j = 0; j < int(Q.extent(1)); ++j) {
            Scalar sum = 0;
            for (int k = 0; k < int(P.extent(0)); ++k) sum += matrix(i, k) * P(k, j);
            Q(i, j) = sum;
          }
        });
  }
};

/// A product that also computes inner products.
template <class Exec, class Scalar>
struct ProductWithInner : DenseProduct<Exec, Scalar> {
  using DenseProduct<Exec, Scalar>::DenseProduct;
  int fused_calls = 0;

  template <class PView, class QView>
  void multiply_with_inner_products(const PView& P, const QView& Q, const auto& PtQ) {
    (*this)(P, Q);
    ++fused_calls;
    const auto p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), P);
    const auto q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Q);
    for (int i = 0; i < int(P.extent(1)); ++i) {
      for (int j = 0; j < int(P.extent(1)); ++j) {
        Scalar sum = 0;
        for (int k = 0; k < int(P.extent(0)); ++k) sum += p(k, i) * q(k, j);
        PtQ(i, j) = sum;
      }
    }
  }
};

template <class Case>
class BlockCgTest;
template <class Exec_, class Scalar_>
class BlockCgTest<Case<Exec_, Scalar_>> : public ::testing::Test {
 public:
  using Exec = Exec_;
  using Scalar = Scalar_;
  using Options = BlockCgOptions<Scalar>;
  using Product = DenseProduct<Exec, Scalar>;
  template <class Layout>
  using Device = DeviceBlock<Exec, Scalar, Layout>;

  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
  static constexpr bool is_double = sizeof(Scalar) == 8;
  /// Tolerance that each type reaches for the matrices of these tests.
  static constexpr double tolerance = is_double ? 1e-10 : 1e-4;
  static Options options() {
    Options result;
    result.tolerance = tolerance;
    return result;
  }

  /// Rounds elements to the device's type.
  static HostDenseMatrix rounded(HostDenseMatrix host) {
    for (double& element : host.elements) element = double(Scalar(element));
    return host;
  }

  struct Solution {
    BlockCgResult result;
    HostDenseMatrix X;
    int calls = 0, columns = 0;
  };

  template <class Layout = Kokkos::LayoutRight>
  static Solution solve(const HostDenseMatrix& A, const HostDenseMatrix& B, const Options& options,
                        const HostDenseMatrix& guess) {
    Product product(A);
    const Device<Layout> b(B), x(guess);
    Solution solution;
    solution.result = block_cg(Exec(), product, b.view, x.view, options);
    solution.X = x.get();
    solution.calls = product.calls;
    solution.columns = product.columns;
    return solution;
  }
  template <class Layout = Kokkos::LayoutRight>
  static Solution solve(const HostDenseMatrix& A, const HostDenseMatrix& B, const Options& options) {
    return solve<Layout>(A, B, options, HostDenseMatrix(B.rows, B.columns));
  }
  template <class Layout = Kokkos::LayoutRight>
  static Solution solve(const HostDenseMatrix& A, const HostDenseMatrix& M, const HostDenseMatrix& B,
                        const Options& options) {
    Product product(A), preconditioner(M);
    const Device<Layout> b(B), x(HostDenseMatrix(B.rows, B.columns));
    Solution solution;
    solution.result = block_cg(Exec(), product, preconditioner, b.view, x.view, options);
    solution.X = x.get();
    return solution;
  }

  /// Checks all members of a result against the serial reference.
  static void expect_solved(const HostDenseMatrix& A, const HostDenseMatrix& B, const Solution& solution,
                            double condition, double tolerance_ = tolerance) {
    const BlockCgResult& result = solution.result;
    EXPECT_TRUE(result.has_converged) << to_string(result.stop);
    EXPECT_EQ(result.stop, BlockCgStop::Converged);
    const HostDenseMatrix expected = solve_directly(A, B);
    ASSERT_EQ(int(result.residuals.size()), B.columns);
    for (int j = 0; j < B.columns; ++j) {
      const double residual = residual_of_column(A, B, solution.X, j);
      const double rounding = 50 * epsilon * condition;
      EXPECT_LE(residual, tolerance_ + rounding) << "column " << j;
      EXPECT_NEAR(result.residuals[std::size_t(j)], residual, rounding) << "column " << j;
      HostDenseMatrix difference(B.rows, 1);
      for (int i = 0; i < B.rows; ++i) difference(i, 0) = solution.X(i, j) - expected(i, j);
      EXPECT_LE(norm_of_column(difference, 0), condition * (tolerance_ + 50 * epsilon) * norm_of_column(expected, j))
          << "column " << j;
    }
  }
};

template <class Exec>
using RealCases = ::testing::Types<Case<Exec, float>, Case<Exec, double>>;

}  // namespace Tessera::Impl::Test
