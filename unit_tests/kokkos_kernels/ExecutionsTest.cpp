// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every product through SpmvHandle executes its plan once and starts no kernel of Kokkos Kernels, on each path through
// Kokkos Kernels. The tests are also compiled with KOKKOSKERNELS_ETI_ONLY, for double with LayoutLeft. Kokkos Kernels
// then defines only the kernels that it is built with. With this macro, Kokkos Kernels 4.7.00 compiles only if the
// handle's header, which includes spmv, comes first.
#include <type_traits>
#include <utility>

#include "HandleCheck.hpp"

namespace Tessera::Impl::Test {

namespace {

void is_one_execution(const ToolEvents& events) {
  EXPECT_EQ(events.executions(), 1u) << events.text();
  EXPECT_EQ(events.kokkos_kernels(), 0u) << events.text();
}

/// Checks one product with a new handle, for operands of any type.
template <class Case, class X, class Y>
void expect_one_execution(const Case& A, const X& x, const Y& y) {
  HandleFor<Case, X, Y> handle;
  expect_spmv(handle, A.elements, A.matrix, Mode::NoTranspose, 2, -0.5, x, y, is_one_execution);
}

template <class Offset>
CrsCase<double, Offset> small() {
  return CrsCase<double, Offset>(random_pattern<Offset>(31, 22, 0.2, 1));
}

template <class X, class Y = X, class Case>
void expect_every_mode_and_factor(const Case& A, int columns) {
  HandleFor<Case, X, Y> handle;
  for (const Mode mode : every_mode) {
    for (const double alpha : {1.0, -1.0, 2.5}) {
      for (const double beta : {0.0, 1.0, -1.0, -1.5})
        expect_spmv_with<X, Y>(handle, A.elements, A.matrix, mode, columns, alpha, beta, is_one_execution);
    }
  }
}

/// Checks products with several columns, with one column, and with vectors of rank 1.
template <class Scalar, class Case>
void expect_every_rank(const Case& A, int several) {
  for (const int columns : {1, several}) expect_every_mode_and_factor<Vectors<Scalar>>(A, columns);
  expect_every_mode_and_factor<Vector<Scalar>>(A, 1);
}

}  // namespace

TEST(ExecutionsTest, SeveralColumns) {
  for (const int columns : {2, 3, 8, 17}) {
    expect_one_execution(small<int>(), Vectors<double>("x", 22, columns), Vectors<double>("y", 31, columns));
    expect_one_execution(small<std::size_t>(), Vectors<double>("x", 22, columns), Vectors<double>("y", 31, columns));
  }
}

/// Kokkos Kernels calls itself again with the single column and the handle's ImplType.
TEST(ExecutionsTest, OneContiguousColumn) {
  expect_one_execution(small<int>(), Vectors<double>("x", 22, 1), Vectors<double>("y", 31, 1));
  expect_one_execution(small<std::size_t>(), Vectors<double>("x", 22, 1), Vectors<double>("y", 31, 1));
}

TEST(ExecutionsTest, RankOne) {
  expect_one_execution(small<int>(), Vector<double>("x", 22), Vector<double>("y", 31));
  expect_one_execution(small<std::size_t>(), Vector<double>("x", 22), Vector<double>("y", 31));
}

TEST(ExecutionsTest, ConstX) {
  const auto A = small<int>();
  const Vectors<double> x("x", 22, 3), y("y", 31, 3);
  const Kokkos::View<const double**, Kokkos::LayoutLeft, Device> const_x = x;
  HandleFor<CrsCase<double>, decltype(const_x), Vectors<double>> handle;
  expect_right(A.elements, Mode::NoTranspose, 1, 0, x, y, [&](double a, double b) {
    const ToolEvents events;
    KokkosSparse::spmv(Exec(), &handle, "N", a, A.matrix, const_x, b, y);
    EXPECT_EQ(events.executions(), 1u) << events.text();
  });
}

TEST(ExecutionsTest, EveryModeAndFactor) {
  const auto A = small<int>();
  expect_every_rank<double>(A, 5);
}

TEST(ExecutionsTest, WithoutAnExecutionSpace) {
  const auto A = small<int>();
  const Vectors<double> x("x", 22, 3), y("y", 31, 3);
  HandleFor<CrsCase<double>, Vectors<double>> handle;
  expect_right(A.elements, Mode::NoTranspose, 1, 2, x, y, [&](double a, double b) {
    const ToolEvents events;
    KokkosSparse::spmv(&handle, "N", a, A.matrix, x, b, y);
    is_one_execution(events);
  });
}

/// Only the first product makes the plan. Products in other modes, with other columns and on other paths reuse it.
TEST(ExecutionsTest, TheMatrixIsAnalysedOnce) {
  const auto A = small<int>();
  HandleFor<CrsCase<double>, Vectors<double>> handle;
  std::size_t analyses = 0;
  for (const int columns : {3, 3, 1, 8}) {
    for (const Mode mode : every_mode) {
      const auto watch = [&](const ToolEvents& events) {
        analyses += events.analyses();
        EXPECT_EQ(events.executions(), 1u) << events.text();
      };
      expect_spmv_with<Vectors<double>>(handle, A.elements, A.matrix, mode, columns, 1, 0, watch);
      EXPECT_EQ(analyses, 1u) << columns << " columns, mode " << to_string(mode);
    }
  }
}

TEST(ExecutionsTest, BlockMatrix) {
  const BsrCase<double> A(random_pattern<int>(9, 7, 0.3, 1), 3);
  expect_every_rank<double>(A, 4);
}

/// Kokkos Kernels converts this matrix to a CrsMatrix and calls itself again.
TEST(ExecutionsTest, BlocksOfOne) {
  const BsrCase<double> A(random_pattern<int>(31, 22, 0.2, 1), 1);
  expect_every_rank<double>(A, 4);
}

/// Kokkos Kernels computes these products itself.
TEST(ExecutionsTest, NothingToMultiply) {
  HostPattern<int> no_entries, no_rows, no_columns;
  no_entries.columns = no_rows.columns = 22;
  while (no_entries.rows < 31) no_entries.end_row();
  while (no_columns.rows < 31) no_columns.end_row();
  struct Product {
    CrsCase<double> A;
    double alpha;
  };
  for (const auto& [A, alpha] : {Product{small<int>(), 0},
                                 {CrsCase<double>(no_entries), 2},
                                 {CrsCase<double>(no_rows), 2},
                                 {CrsCase<double>(no_columns), 2}}) {
    HandleFor<CrsCase<double>, Vectors<double>> handle;
    const auto watch = [](const ToolEvents& events) {
      EXPECT_EQ(events.executions(), 0u) << events.text();
      EXPECT_EQ(events.analyses(), 0u) << events.text();
    };
    for (const double beta : {0.0, 1.0, -1.5}) {
      for (const Mode mode : every_mode)
        expect_spmv_with<Vectors<double>>(handle, A.elements, A.matrix, mode, 4, alpha, beta, watch);
    }
  }
}

/// Kokkos Kernels' own handle, in a file that includes Tessera's. Also shows that other tests would see these kernels.
TEST(ExecutionsTest, OwnHandleExecutesNoPlan) {
  const auto A = small<std::size_t>();
  const Vectors<double> x("x", 22, 3), y("y", 31, 3);
  KokkosSparse::SPMVHandle<Exec, CrsCase<double, std::size_t>::Matrix, Vectors<double>, Vectors<double>> handle;
  expect_spmv(handle, A.elements, A.matrix, Mode::NoTranspose, 2, -0.5, x, y, [](const ToolEvents& events) {
    EXPECT_EQ(events.executions(), 0u) << events.text();
    EXPECT_EQ(events.analyses(), 0u) << events.text();
#if !defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE) && !defined(KOKKOSKERNELS_ENABLE_TPL_MKL)
    EXPECT_GT(events.kokkos_kernels(), 0u) << events.text();
#endif
  });
}

#ifndef KOKKOSKERNELS_ETI_ONLY

TEST(ExecutionsTest, EveryLayout) {
  using Right = Vectors<double, Kokkos::LayoutRight>;
  const auto A = small<int>();
  for (const int columns : {1, 2, 9}) {
    expect_every_mode_and_factor<Right>(A, columns);
    expect_every_mode_and_factor<Right, Vectors<double>>(A, columns);
    expect_every_mode_and_factor<Vectors<double>, Right>(A, columns);
  }
}

/// A single column with a stride is not contiguous, so Kokkos Kernels uses its product for several columns.
TEST(ExecutionsTest, OneStridedColumn) {
  using Right = Vectors<double, Kokkos::LayoutRight>;
  const auto A = small<int>();
  const Right x("x", 22, 3), y("y", 31, 5);
  const std::pair<int, int> second(1, 2);
  const Right x_column = Kokkos::subview(x, Kokkos::ALL, second), y_column = Kokkos::subview(y, Kokkos::ALL, second);
  ASSERT_FALSE(x_column.span_is_contiguous());
  expect_one_execution(A, x_column, y_column);
  expect_one_execution(A, Right("x", 22, 1), y_column);
  expect_one_execution(A, x_column, Right("y", 31, 1));
}

/// Kokkos Kernels 4.5 does not accept Views of rank 2 with LayoutStride.
TEST(ExecutionsTest, RankOneStrided) {
  using Right = Vectors<double, Kokkos::LayoutRight>;
  using Strided = Kokkos::View<double*, Kokkos::LayoutStride, Device>;
  const auto A = small<int>();
  const Right x("x", 22, 3), y("y", 31, 5);
  const Strided x_column = Kokkos::subview(x, Kokkos::ALL, 1), y_column = Kokkos::subview(y, Kokkos::ALL, 4);
  expect_one_execution(A, x_column, y_column);
  expect_one_execution(A, x_column, Vector<double>("y", 31));
}

#ifndef TESSERA_WITHOUT_FLOAT
TEST(ExecutionsTest, Float) {
  const CrsCase<float> A(random_pattern<int>(31, 22, 0.2, 1));
  expect_every_rank<float>(A, 5);
}
#endif

#ifndef TESSERA_WITHOUT_COMPLEX_DOUBLE
TEST(ExecutionsTest, Complex) {
  using Scalar = Tessera::Impl::Complex<double>;
  const CrsCase<Scalar> A(random_pattern<int>(31, 22, 0.2, 1));
  expect_every_rank<Scalar>(A, 5);
}
#endif

#endif  // KOKKOSKERNELS_ETI_ONLY

}  // namespace Tessera::Impl::Test
