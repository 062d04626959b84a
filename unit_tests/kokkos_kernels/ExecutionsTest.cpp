// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every product through SpmvHandle executes its plan once and starts no kernel of Kokkos Kernels, whichever of its
// paths the call takes. Also compiled with KOKKOSKERNELS_ETI_ONLY, when Kokkos Kernels defines no kernels but those
// that it was built with: then only double with LayoutLeft. Kokkos Kernels 4.7.00 alone does not compile so: the
// handle's header, which includes its spmv, comes first.
#include <tessera/kokkos_kernels/SpmvHandle.hpp>
#include <type_traits>
#include <utility>

#include "SpmvCheck.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Test {

namespace {

template <class A, class X, class Y = X>
using HandleFor = SpmvHandle<Exec, typename A::Matrix, X, Y>;

template <class Handle, class Case, class X, class Y>
void expect_one_execution(Handle& handle, const Case& A, Mode mode, double alpha, double beta, const X& x, const Y& y) {
  expect_right(A.elements, mode, alpha, beta, x, y, [&](auto a, auto b) {
    const ToolEvents events;
    KokkosSparse::spmv(Exec(), &handle, letter(mode), a, A.matrix, x, b, y);
    EXPECT_EQ(events.executions(), 1u) << events.text();
    EXPECT_EQ(events.kokkos_kernels(), 0u) << events.text();
  });
}

/// A product of its own handle, for operands of any type.
template <class Case, class X, class Y>
void expect_one_execution(const Case& A, const X& x, const Y& y) {
  HandleFor<Case, X, Y> handle;
  expect_one_execution(handle, A, Mode::NoTranspose, 2, -0.5, x, y);
}

template <class Offset>
CrsCase<double, Offset> small() {
  return CrsCase<double, Offset>(random_pattern<Offset>(31, 22, 0.2, 1));
}

template <class Case, class X, class Y>
void expect_every_mode_and_factor(const Case& A, int columns) {
  HandleFor<Case, X, Y> handle;
  for (const Mode mode : every_mode) {
    const auto make = [&](auto& view, int rows) {
      using View = std::remove_reference_t<decltype(view)>;
      if constexpr (View::rank() == 2) {
        view = View("view", rows, columns);
      } else {
        view = View("view", rows);
      }
    };
    X x;
    Y y;
    make(x, x_rows(A.elements, mode));
    make(y, y_rows(A.elements, mode));
    for (const double alpha : {1.0, -1.0, 2.5}) {
      for (const double beta : {0.0, 1.0, -1.0, -1.5}) expect_one_execution(handle, A, mode, alpha, beta, x, y);
    }
  }
}

}  // namespace

TEST(ExecutionsTest, SeveralColumns) {
  for (const int columns : {2, 3, 8, 17}) {
    expect_one_execution(small<int>(), Vectors<double>("x", 22, columns), Vectors<double>("y", 31, columns));
    expect_one_execution(small<std::size_t>(), Vectors<double>("x", 22, columns), Vectors<double>("y", 31, columns));
  }
}

/// Kokkos Kernels comes back to itself for the column alone, with the handle's ImplType.
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
  for (const int columns : {1, 5}) {
    expect_every_mode_and_factor<CrsCase<double>, Vectors<double>, Vectors<double>>(A, columns);
  }
  expect_every_mode_and_factor<CrsCase<double>, Vector<double>, Vector<double>>(A, 1);
}

TEST(ExecutionsTest, WithoutAnExecutionSpace) {
  const auto A = small<int>();
  const Vectors<double> x("x", 22, 3), y("y", 31, 3);
  HandleFor<CrsCase<double>, Vectors<double>> handle;
  expect_right(A.elements, Mode::NoTranspose, 1, 2, x, y, [&](double a, double b) {
    const ToolEvents events;
    KokkosSparse::spmv(&handle, "N", a, A.matrix, x, b, y);
    EXPECT_EQ(events.executions(), 1u) << events.text();
    EXPECT_EQ(events.kokkos_kernels(), 0u) << events.text();
  });
}

/// The first product makes the plan, and nothing else does: other modes, other numbers of columns and other paths
/// through Kokkos Kernels find it.
TEST(ExecutionsTest, TheMatrixIsAnalysedOnce) {
  const auto A = small<int>();
  HandleFor<CrsCase<double>, Vectors<double>> handle;
  std::size_t analyses = 0;
  for (const int columns : {3, 3, 1, 8}) {
    for (const Mode mode : every_mode) {
      const Vectors<double> x("x", x_rows(A.elements, mode), columns), y("y", y_rows(A.elements, mode), columns);
      expect_right(A.elements, mode, 1, 0, x, y, [&](double a, double b) {
        const ToolEvents events;
        KokkosSparse::spmv(Exec(), &handle, letter(mode), a, A.matrix, x, b, y);
        analyses += events.analyses();
        EXPECT_EQ(events.executions(), 1u) << events.text();
      });
      EXPECT_EQ(analyses, 1u) << columns << " columns, mode " << to_string(mode);
    }
  }
}

TEST(ExecutionsTest, BlockMatrix) {
  const BsrCase<double> A(random_pattern<int>(9, 7, 0.3, 1), 3);
  for (const int columns : {1, 4}) {
    expect_every_mode_and_factor<BsrCase<double>, Vectors<double>, Vectors<double>>(A, columns);
  }
  expect_every_mode_and_factor<BsrCase<double>, Vector<double>, Vector<double>>(A, 1);
}

/// Kokkos Kernels turns such a matrix into a CrsMatrix and comes back to itself.
TEST(ExecutionsTest, BlocksOfOne) {
  const BsrCase<double> A(random_pattern<int>(31, 22, 0.2, 1), 1);
  for (const int columns : {1, 4}) {
    expect_every_mode_and_factor<BsrCase<double>, Vectors<double>, Vectors<double>>(A, columns);
  }
  expect_every_mode_and_factor<BsrCase<double>, Vector<double>, Vector<double>>(A, 1);
}

/// Kokkos Kernels answers these itself.
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
    for (const double beta : {0.0, 1.0, -1.5}) {
      for (const Mode mode : every_mode) {
        const Vectors<double> x("x", x_rows(A.elements, mode), 4), y("y", y_rows(A.elements, mode), 4);
        expect_right(A.elements, mode, alpha, beta, x, y, [&, &A = A](double a, double b) {
          const ToolEvents events;
          KokkosSparse::spmv(Exec(), &handle, letter(mode), a, A.matrix, x, b, y);
          EXPECT_EQ(events.executions(), 0u) << events.text();
          EXPECT_EQ(events.analyses(), 0u) << events.text();
        });
      }
    }
  }
}

/// Kokkos Kernels' own handle, in a file that knows ours. Also: what the tests above count would be seen.
TEST(ExecutionsTest, OwnHandleExecutesNoPlan) {
  const auto A = small<std::size_t>();
  const Vectors<double> x("x", 22, 3), y("y", 31, 3);
  KokkosSparse::SPMVHandle<Exec, CrsCase<double, std::size_t>::Matrix, Vectors<double>, Vectors<double>> handle;
  expect_right(A.elements, Mode::NoTranspose, 2, -0.5, x, y, [&](double a, double b) {
    const ToolEvents events;
    KokkosSparse::spmv(Exec(), &handle, "N", a, A.matrix, x, b, y);
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
    expect_every_mode_and_factor<CrsCase<double>, Right, Right>(A, columns);
    expect_every_mode_and_factor<CrsCase<double>, Right, Vectors<double>>(A, columns);
    expect_every_mode_and_factor<CrsCase<double>, Vectors<double>, Right>(A, columns);
  }
}

/// A column among others is not contiguous: Kokkos Kernels keeps to its product for several, with one.
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

/// Of rank 2, Kokkos Kernels 4.5 takes no LayoutStride.
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
  for (const int columns : {1, 5}) {
    expect_every_mode_and_factor<CrsCase<float>, Vectors<float>, Vectors<float>>(A, columns);
  }
  expect_every_mode_and_factor<CrsCase<float>, Vector<float>, Vector<float>>(A, 1);
}
#endif

#ifndef TESSERA_WITHOUT_COMPLEX_DOUBLE
TEST(ExecutionsTest, Complex) {
  using Scalar = Tessera::Complex<double>;
  const CrsCase<Scalar> A(random_pattern<int>(31, 22, 0.2, 1));
  for (const int columns : {1, 5}) {
    expect_every_mode_and_factor<CrsCase<Scalar>, Vectors<Scalar>, Vectors<Scalar>>(A, columns);
  }
  expect_every_mode_and_factor<CrsCase<Scalar>, Vector<Scalar>, Vector<Scalar>>(A, 1);
}
#endif

#endif  // KOKKOSKERNELS_ETI_ONLY

}  // namespace Tessera::Test
