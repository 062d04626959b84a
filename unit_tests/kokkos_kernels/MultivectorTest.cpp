// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases of Kokkos Kernels' own SpMV tests with one and several vectors (sparse/unit_test/Test_Sparse_spmv.hpp in
// 4.5.1), with its tolerances: shapes of matrices, modes, factors, layouts and types.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "HandleCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

namespace {

template <class T>
using scalar_of = typename T::Scalar;

/// Rows have nnz / rows entries, plus or minus half the variance at most. Columns are distinct, unsorted, and within
/// half the bandwidth of the diagonal, wrapping around at the edges.
template <class Offset>
HostPattern<Offset> banded_pattern(int rows, int columns, int nonzeros, int row_size_variance, int bandwidth) {
  Random random(13721);
  HostPattern<Offset> result;
  result.columns = columns;
  while (result.rows < rows) {
    const int wanted = nonzeros / rows + static_cast<int>(random.real() / 2 * row_size_variance);
    const int entries = std::clamp(wanted, 0, 2 * columns / 3);
    const auto row = std::ptrdiff_t(result.column_indices.size());
    while (std::ptrdiff_t(result.column_indices.size()) < row + entries) {
      const int distance = static_cast<int>(random.real() / 2 * bandwidth);
      const int column = ((result.rows + distance) % columns + columns) % columns;
      const auto begin = result.column_indices.begin() + row, end = result.column_indices.end();
      if (std::find(begin, end, column) == end) result.column_indices.push_back(column);
    }
    result.end_row();
  }
  return result;
}

/// Returns a number in [0, most), or a complex number with such parts.
template <class Scalar>
Scalar positive(Random& random, double most) {
  const double re = (random.real() + 1) / 2 * most;
  return number<Scalar>(re, (random.real() + 1) / 2 * most);
}

template <class Scalar>
Dense<Scalar> positive_vectors(int rows, int columns, double most, std::uint64_t seed) {
  Random random(seed);
  Dense<Scalar> result(rows, columns, Layout::Left);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) result(i, j) = positive<Scalar>(random, most);
  }
  return result;
}

double magnitude(double a) { return std::abs(a); }
template <class Real>
double magnitude(Tessera::Impl::Complex<Real> a) {
  return std::hypot(a.re, a.im);
}

/// Computes y = alpha op(A) x + beta y serially, in the type of y. A beta of zero overwrites.
template <class Elements, class Scalar>
void multiply_serially(const Elements& A, Mode mode, Scalar alpha, Dense<Scalar>& x, Scalar beta, Dense<Scalar>& y) {
  for (int j = 0; j < y.columns(); ++j) {
    for (int i = 0; i < y.rows(); ++i) y(i, j) = beta == Scalar(0) ? Scalar(0) : beta * y(i, j);
    for (int row = 0; row < A.host.rows; ++row) {
      for (auto k = A.host.row_offsets[row]; k < A.host.row_offsets[row + 1]; ++k) {
        const int column = A.host.column_indices[k];
        const Scalar value = is_conjugated(mode) ? conjugate(A.host_values[k]) : A.host_values[k];
        if (is_transposed(mode)) {
          y(column, j) += alpha * value * x(row, j);
        } else {
          y(row, j) += alpha * value * x(column, j);
        }
      }
    }
  }
}

/// A matrix as in Kokkos Kernels' tests, with X and Y. All their elements are at most `largest`.
template <class T>
struct TheirCase {
  using Scalar = typename T::Scalar;
  using Offset = typename T::Offset;
  double most;
  int longest_row;
  CrsCase<Scalar, Offset> A;

  TheirCase(int rows, int columns, int nonzeros, int bandwidth, int row_size_variance, double largest)
      : most(largest),
        longest_row(nonzeros / rows + row_size_variance),
        A(banded_pattern<Offset>(rows, columns, nonzeros, row_size_variance, bandwidth)) {
    Random random(13718);
    for (Scalar& value : A.elements.host_values) value = positive<Scalar>(random, most);
    Kokkos::deep_copy(A.matrix.values, user_values<Exec>(A.elements.host_values));
  }

  /// Kokkos Kernels' bound: 10 epsilons times the largest possible sum.
  double tolerance(double alpha, double beta) const {
    return 10 * std::numeric_limits<real_of_t<Scalar>>::epsilon() *
           std::abs(beta * most + alpha * longest_row * most * most);
  }

  template <class Handle, class X, class Y>
  void expect_near(Handle& handle, Mode mode, double alpha, double beta, Dense<Scalar>& x_host, const X& x,
                   const Dense<Scalar>& y_host, const Y& y) {
    auto y_before = y_host, expected = y_host;
    assign(y, y_before);
    multiply_serially(A.elements, mode, Scalar(alpha), x_host, Scalar(beta), expected);
    KokkosSparse::spmv(&handle, letter(mode), alpha, A.matrix, x, beta, y);
    Kokkos::fence();
    auto result = to_dense(y);
    for (int j = 0; j < result.columns(); ++j) {
      for (int i = 0; i < result.rows(); ++i) {
        // NOTE: NaN must fail; ASSERT_FALSE with > would accept it.
        ASSERT_TRUE(magnitude(result(i, j) - expected(i, j)) <= tolerance(alpha, beta))
            << "row " << i << ", column " << j << " of " << result.columns() << ", mode " << to_string(mode)
            << ", alpha " << alpha << ", beta " << beta;
      }
    }
  }

  /// Checks every mode and pair of factors ("light": N and T, 0 and 1); with beta = 0, also a Y with some NaN.
  template <class X, class Y, class Handle>
  void expect_every_product(Handle& handle, int columns, bool heavy) {
    const std::vector<double> light_factors{0, 1}, heavy_factors{0, 1, -1, 2.5};
    for (const Mode mode : every_mode) {
      if (is_conjugated(mode) && !heavy) continue;
      auto x_host = positive_vectors<Scalar>(x_rows(A.elements, mode), columns, most, 1);
      const auto y_host = positive_vectors<Scalar>(y_rows(A.elements, mode), columns, most, 2);
      auto with_nan = y_host;
      for (int j = 0; j < columns; ++j) {
        for (int i = j; i < with_nan.rows(); i += 19) with_nan(i, j) = poison<Scalar>();
      }
      const auto x = make_view<X>(x_host.rows(), columns);
      const auto y = make_view<Y>(y_host.rows(), columns);
      assign(x, x_host);
      for (const double alpha : heavy ? heavy_factors : light_factors) {
        for (const double beta : heavy ? heavy_factors : light_factors) {
          expect_near(handle, mode, alpha, beta, x_host, x, y_host, y);
          if (beta == 0) expect_near(handle, mode, alpha, beta, x_host, x, with_nan, y);
        }
      }
    }
  }
};

template <class T>
void expect_vector_products(int rows, int nonzeros, int bandwidth, int row_size_variance, bool heavy) {
  using View = Vector<scalar_of<T>>;
  TheirCase<T> theirs(rows, rows, nonzeros, bandwidth, row_size_variance, 1);
  for (const auto algorithm : {KokkosSparse::SPMV_DEFAULT, KokkosSparse::SPMV_MERGE_PATH}) {
    HandleFor<decltype(theirs.A), View> handle(algorithm);
    theirs.template expect_every_product<View, View>(handle, 1, heavy);
  }
}

template <class T, class Layout>
void expect_multivector_products(int rows, int nonzeros, int bandwidth, int row_size_variance, bool heavy,
                                 int columns) {
  using View = Vectors<scalar_of<T>, Layout>;
  TheirCase<T> theirs(rows, rows, nonzeros, bandwidth, row_size_variance, 1);
  HandleFor<decltype(theirs.A), View> handle;
  theirs.template expect_every_product<View, View>(handle, columns, heavy);
}

/// The "heavy" tests of Kokkos Kernels: 1 to `vectors` columns, any shape, larger values.
template <class T, class LayoutX, class LayoutY>
void expect_heavy_products(int rows, int columns, int nonzeros, int bandwidth, int row_size_variance, int vectors) {
  using X = Vectors<scalar_of<T>, LayoutX>;
  using Y = Vectors<scalar_of<T>, LayoutY>;
  TheirCase<T> theirs(rows, columns, nonzeros, bandwidth, row_size_variance, 10);
  for (int count = 1; count <= vectors; ++count) {
    HandleFor<decltype(theirs.A), X, Y> handle;
    theirs.template expect_every_product<X, Y>(handle, count, true);
  }
}

using EveryType = ::testing::Types<MatrixTypes<double, int>, MatrixTypes<double, std::size_t>, MatrixTypes<float, int>,
                                   MatrixTypes<float, std::size_t>, MatrixTypes<Tessera::Impl::Complex<double>, int>,
                                   MatrixTypes<Tessera::Impl::Complex<double>, std::size_t>>;

}  // namespace

template <class T>
class MultivectorTest : public ::testing::Test {};
TYPED_TEST_SUITE(MultivectorTest, Compiled<EveryType>::type);

TYPED_TEST(MultivectorTest, OneVector) {
  expect_vector_products<TypeParam>(1000, 1000 * 3, 200, 10, true);
  expect_vector_products<TypeParam>(1000, 1000 * 3, 100, 10, true);
  expect_vector_products<TypeParam>(1000, 1000 * 20, 100, 5, true);
  expect_vector_products<TypeParam>(50000, 50000 * 3, 20, 10, false);
  expect_vector_products<TypeParam>(50000, 50000 * 3, 100, 10, false);
  expect_vector_products<TypeParam>(10000, 10000 * 2, 100, 5, false);
}

template <class T, class Layout>
void expect_one_layout() {
  expect_multivector_products<T, Layout>(1001, 1001 * 3, 200, 10, true, 1);
  expect_multivector_products<T, Layout>(999, 999 * 3, 100, 10, true, 5);
  expect_multivector_products<T, Layout>(1003, 1003 * 2, 100, 5, true, 10);
  expect_multivector_products<T, Layout>(50007, 50007 * 3, 20, 10, false, 1);
  expect_multivector_products<T, Layout>(50002, 50002 * 3, 100, 10, false, 1);
  expect_multivector_products<T, Layout>(10000, 10000 * 2, 100, 5, false, 5);
  expect_heavy_products<T, Layout, Layout>(204, 201, 204 * 10, 60, 4, 30);
  expect_heavy_products<T, Layout, Layout>(2, 3, 5, 3, 1, 10);
}

TYPED_TEST(MultivectorTest, LayoutLeft) { expect_one_layout<TypeParam, Kokkos::LayoutLeft>(); }
TYPED_TEST(MultivectorTest, LayoutRight) { expect_one_layout<TypeParam, Kokkos::LayoutRight>(); }

TYPED_TEST(MultivectorTest, MixedLayouts) {
  expect_heavy_products<TypeParam, Kokkos::LayoutRight, Kokkos::LayoutLeft>(99, 101, 100 * 15, 40, 4, 20);
}

/// Calls each overload that takes a handle.
TYPED_TEST(MultivectorTest, Interfaces) {
  using Scalar = typename TypeParam::Scalar;
  using Offset = typename TypeParam::Offset;
  using Case = CrsCase<Scalar, Offset>;
  const Case A(banded_pattern<Offset>(111, 99, 600, 2, 69));
  const Vector<Scalar> x("x", 99), y("y", 111);
  const Vectors<Scalar> x_mv("x", 99, 3), y_mv("y", 111, 3);
  SpmvHandle<Device, typename Case::Matrix, Vector<Scalar>, Vector<Scalar>> handle;
  SpmvHandle<Device, typename Case::Matrix, Vectors<Scalar>, Vectors<Scalar>> handle_mv;
  const Exec space = Kokkos::Experimental::partition_space(Exec(), 1, 1)[1];
  const Mode N = Mode::NoTranspose;
  expect_right(A.elements, N, 1, 0, x, y, [&](auto a, auto b) {
    KokkosSparse::spmv(space, &handle, "N", a, A.matrix, x, b, y);
    space.fence();
  });
  expect_right(A.elements, N, 1, 0, x_mv, y_mv, [&](auto a, auto b) {
    KokkosSparse::spmv(space, &handle_mv, "N", a, A.matrix, x_mv, b, y_mv);
    space.fence();
  });
  expect_right(A.elements, N, 1, 0, x, y,
               [&](auto a, auto b) { KokkosSparse::spmv(&handle, "N", a, A.matrix, x, b, y); });
  expect_right(A.elements, N, 1, 0, x_mv, y_mv,
               [&](auto a, auto b) { KokkosSparse::spmv(&handle_mv, "N", a, A.matrix, x_mv, b, y_mv); });
}

/// Issue 101 of Kokkos Kernels: the float row (1, half a unit in the last place) times ones in double is exact.
TEST(MixedPrecisionTest, Issue101) {
  const double half_unit = std::numeric_limits<float>::epsilon() / 2;
  HostPattern<int> row;
  row.columns = 2;
  row.column_indices = {0, 1};
  row.end_row();
  const auto expect_exact = [&]<class Scalar>(Scalar) {
    const CrsCase<Scalar> A(row);
    Kokkos::deep_copy(A.matrix.values, user_values<Exec>(std::vector<Scalar>{1, Scalar(half_unit)}));
    const auto multiply = [&](const auto& x, const auto& y) {
      using View = std::remove_cvref_t<decltype(x)>;
      SpmvHandle<Exec, typename CrsCase<Scalar>::Matrix, View, View> handle;
      Kokkos::deep_copy(x, 1.0);
      KokkosSparse::spmv(&handle, "N", 1.0, A.matrix, x, 0.0, y);
      Kokkos::fence();
      auto result = to_dense(y);
      for (int j = 0; j < result.columns(); ++j) EXPECT_EQ(result(0, j), 1 + half_unit) << result.columns();
    };
    multiply(Vector<double>("x", 2), Vector<double>("y", 1));
    for (int columns = 1; columns <= 22; ++columns) {
      multiply(Vectors<double>("x", 2, columns), Vectors<double>("y", 1, columns));
    }
  };
  expect_exact(double());
#ifndef TESSERA_WITHOUT_FLOAT
  expect_exact(float());
#endif
}

}  // namespace Tessera::Impl::Test
