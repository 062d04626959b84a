// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that also sum over the rows of Y: Y is bitwise equal to spmm()'s Y, and sums match a serial reference.
#include <cmath>
#include <cstring>
#include <limits>
#include <tessera/PlanOperator.hpp>
#include <tessera/Reordering.hpp>

#include "HostViews.hpp"
#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class Exec>
using RealCasesOf = ::testing::Types<Case<Exec, float, float, int>, Case<Exec, double, double, int>,
                                     Case<Exec, float, double, int>, Case<Exec, double, double, std::size_t>>;

template <class T>
class SpmmWithSumsTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Scalar = typename T::VectorScalar;
  using Offset = typename T::Offset;
  using Memory = typename Exec::memory_space;
  using Matrix = UserMatrix<Exec, typename T::MatrixScalar, Offset>;
  using Left = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Memory>;
  using Right = Kokkos::View<Scalar**, Kokkos::LayoutRight, Memory>;
  using Strided = Kokkos::View<Scalar**, Kokkos::LayoutStride, Memory>;
};
TYPED_TEST_SUITE(SpmmWithSumsTest, EverySpace<RealCasesOf>::type);

template <class View>
auto fetched(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

template <class View>
View random_view(int rows, int columns, std::uint64_t seed) {
  const View view("vectors", rows, columns);
  const auto host = Kokkos::create_mirror_view(view);
  Random random(seed);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) host(i, j) = random.scalar<typename View::value_type>();
  Kokkos::deep_copy(view, host);
  return view;
}

template <class X, class Y>
bool are_same_bits(const X& a, const Y& b) {
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j)
      if (std::memcmp(&a(i, j), &b(i, j), sizeof(a(i, j))) != 0) return false;
  return true;
}

/// A square matrix of results with padding around it.
template <class Scalar>
struct Square {
  int columns;
  std::vector<Scalar> memory;
  explicit Square(int count) : columns(count), memory(std::size_t(count + 1) * std::size_t(count) + 1, Scalar(777)) {}
  using Matrix = typename InnerProducts<Scalar>::Matrix;
  Matrix view() {
    return Kokkos::subview(Matrix(memory.data(), columns + 1, columns), std::pair(0, columns), Kokkos::ALL);
  }
};

/// Expects C = X^T Y within rounding error of serial sums, and untouched padding.
template <class Scalar, class X, class Y>
void expect_inner_products(Square<Scalar>& C, const X& x, const Y& y, const std::string& what) {
  const auto rows = static_cast<int>(y.extent(0));
  for (int j = 0; j < C.columns; ++j) {
    for (int i = 0; i < C.columns; ++i) {
      long double sum = 0, magnitude = 0;
      for (int row = 0; row < rows; ++row) {
        const long double term = (long double)(x(row, i)) * y(row, j);
        sum += term;
        magnitude += std::abs(term);
      }
      const long double bound = (rows + 2) * (long double)(std::numeric_limits<Scalar>::epsilon()) * magnitude;
      ASSERT_LE(std::abs(C.view()(i, j) - sum), bound) << what << ", element " << i << " " << j;
    }
    ASSERT_EQ(C.memory[std::size_t(j) * std::size_t(C.columns + 1) + std::size_t(C.columns)], Scalar(777)) << what;
  }
}

/// Computes one or both sums, compares with spmm() and serial sums, and expects the same bits a second time.
template <class XView, class YView, class Exec, class PlanType>
void expect_product_with_sums(const Exec& exec, PlanType& plan, int columns, Mode mode, double alpha, double beta,
                              const std::string& what, bool with_XtY = true, bool with_YtY = true) {
  using Scalar = typename YView::value_type;
  const int rows = is_transposed(mode) ? plan.columns() : plan.rows(),
            x_rows = is_transposed(mode) ? plan.rows() : plan.columns();
  const auto X = random_view<XView>(x_rows, columns, 3);
  const auto Y = random_view<YView>(rows, columns, 4), expected = random_view<YView>(rows, columns, 4);
  if (beta == 0) Kokkos::deep_copy(Y, std::numeric_limits<Scalar>::quiet_NaN());
  auto work = plan.prepare(exec, columns, mode);
  spmm(exec, plan, work, mode, Scalar(alpha), X, Scalar(beta), expected);
  Square<Scalar> XtY(columns), YtY(columns), XtY_again(columns), YtY_again(columns);
  const auto multiply = [&](Square<Scalar>& xy, Square<Scalar>& yy) {
    InnerProducts<Scalar> sums;
    if (with_XtY) sums.XtY = xy.view();
    if (with_YtY) sums.YtY = yy.view();
    spmm_with_inner_products(exec, plan, work, mode, alpha, X, beta, Y, sums);
  };
  multiply(XtY, YtY);
  const auto x = fetched(X);
  const auto y = fetched(Y);
  ASSERT_TRUE(are_same_bits(y, fetched(expected))) << what;
  if (with_XtY) expect_inner_products(XtY, x, y, what + ", X^T Y");
  if (with_YtY) expect_inner_products(YtY, y, y, what + ", Y^T Y");
  ASSERT_EQ(XtY.memory == Square<Scalar>(columns).memory, !with_XtY) << what;
  ASSERT_EQ(YtY.memory == Square<Scalar>(columns).memory, !with_YtY) << what;
  Kokkos::deep_copy(Y, random_view<YView>(rows, columns, 4));
  multiply(XtY_again, YtY_again);
  ASSERT_TRUE(XtY.memory == XtY_again.memory && YtY.memory == YtY_again.memory) << what;
}

/// Checks R = B - op(A) X, in place or not, and its norms. R must be bitwise equal to a copy followed by a product.
template <class XView, class RView, class Exec, class PlanType>
void expect_residual(const Exec& exec, PlanType& plan, int columns, Mode mode, bool in_place, const std::string& what) {
  using Scalar = typename RView::value_type;
  const int rows = is_transposed(mode) ? plan.columns() : plan.rows(),
            x_rows = is_transposed(mode) ? plan.rows() : plan.columns();
  const auto X = random_view<XView>(x_rows, columns, 5);
  const auto B = random_view<XView>(rows, columns, 6);
  const auto R = random_view<RView>(rows, columns, in_place ? 6 : 7), expected = random_view<RView>(rows, columns, 6);
  auto work = plan.prepare(exec, columns, mode);
  spmm(exec, plan, work, mode, Scalar(-1), X, Scalar(1), expected);
  std::vector<Scalar> squares(std::size_t(columns) + 1, Scalar(777));
  if (in_place) {
    residual(exec, plan, work, mode, X, R, R, host_view(squares, std::size_t(columns)));
  } else {
    residual(exec, plan, work, mode, X, B, R, host_view(squares, std::size_t(columns)));
  }
  const auto r = fetched(R);
  ASSERT_TRUE(are_same_bits(r, fetched(expected))) << what;
  for (int j = 0; j < columns; ++j) {
    long double sum = 0;
    for (int i = 0; i < rows; ++i) sum += (long double)(r(i, j)) * r(i, j);
    const long double bound = (rows + 2) * (long double)(std::numeric_limits<Scalar>::epsilon()) * sum;
    ASSERT_LE(std::abs(squares[std::size_t(j)] - sum), bound) << what << ", column " << j;
  }
  ASSERT_EQ(squares.back(), Scalar(777)) << what;
}

TYPED_TEST(SpmmWithSumsTest, EveryFormatModeAndLayout) {
  using Left = typename TestFixture::Left;
  using Right = typename TestFixture::Right;
  const typename TestFixture::Exec exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(43, 43, 0.2, 3, 6));
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    for (const Mode mode : every_mode) {
      for (const int columns : {1, 3, 8, 17}) {
        if (!is_chosen_on<typename TestFixture::Exec>(5)) continue;
        const std::string what = std::string(to_string(format)) + ", mode " + std::string(to_string(mode)) + ", " +
                                 std::to_string(columns) + " columns";
        expect_product_with_sums<Right, Right>(exec, plan, columns, mode, 1, 0, what);
        expect_product_with_sums<Right, Right>(exec, plan, columns, mode, -2, 0.5, what, true, false);
        expect_product_with_sums<Right, Right>(exec, plan, columns, mode, 1, 0, what, false, true);
        expect_product_with_sums<Left, Right>(exec, plan, columns, mode, 1, 2, what + ", X left");
        expect_product_with_sums<Right, Left>(exec, plan, columns, mode, 1, 0, what + ", Y left");
        expect_product_with_sums<Left, Left>(exec, plan, columns, mode, 3, 1, what + ", left");
        expect_product_with_sums<Right, Right>(exec, plan, columns, mode, 0, 2, what + ", alpha 0");
        expect_product_with_sums<Right, Right>(exec, plan, columns, mode, 0, 0, what + ", zero");
        for (const bool in_place : {false, true}) {
          expect_residual<Right, Right>(exec, plan, columns, mode, in_place, what);
          expect_residual<Left, Right>(exec, plan, columns, mode, in_place, what + ", X and B left");
          expect_residual<Right, Left>(exec, plan, columns, mode, in_place, what + ", R left");
          expect_residual<Left, Left>(exec, plan, columns, mode, in_place, what + ", left");
        }
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(SpmmWithSumsTest, EveryOrderOfRows) {
  using Right = typename TestFixture::Right;
  const typename TestFixture::Exec exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(90, 90, 0.1, 5, 7));
  for (const Reordering reordering : every_reordering) {
    PlanOptions options = with_format(Format::Csr);
    options.reordering = reordering;
    options.always_reorder = true;
    auto plan = A.plan(options);
    const std::string what(to_string(reordering));
    expect_product_with_sums<Right, Right>(exec, plan, 6, Mode::NoTranspose, 1, 0, what);
    expect_residual<Right, Right>(exec, plan, 6, Mode::NoTranspose, false, what);
  }
}

/// There are enough rows for several parts, and for several pieces in a part. Numbers of columns are at the edge of a
/// panel, and rows are long or empty.
TYPED_TEST(SpmmWithSumsTest, ManyRowsAndColumns) {
  using Right = typename TestFixture::Right;
  const typename TestFixture::Exec exec;
  HostPattern<typename TestFixture::Offset> pattern;
  pattern.columns = 3001;
  while (pattern.rows < pattern.columns) {
    const int step = pattern.rows % 700 == 3 ? 1 : pattern.rows % 9 == 0 ? 3001 : 900;
    for (int j = pattern.rows % 900; step < 3001 && j < 3001; j += step) pattern.column_indices.push_back(j);
    pattern.end_row();
  }
  const typename TestFixture::Matrix A(pattern);
  auto plan = A.plan(with_format(Format::Csr));
  for (const int columns : {1, 2, 5, 33, 64, 127, 128, 129}) {
    const std::string what = std::to_string(columns) + " columns";
    const bool is_wide = columns > 64;  // references are slow
    expect_product_with_sums<Right, Right>(exec, plan, columns, Mode::NoTranspose, 1, 0, what, true, !is_wide);
    if (columns != 127) expect_residual<Right, Right>(exec, plan, columns, Mode::NoTranspose, false, what);
  }
  expect_product_with_sums<Right, Right>(exec, plan, 5, Mode::Transpose, 2, 1, "transposed");
  expect_residual<Right, Right>(exec, plan, 5, Mode::Transpose, true, "transposed");
}

/// Blocks are so large that hosts sum them in pieces.
TYPED_TEST(SpmmWithSumsTest, LargeBlocks) {
  using Right = typename TestFixture::Right;
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Exec exec;
  for (const int columns : {5, 32}) {
    const int rows = int((std::size_t(1) << 23) / sizeof(Scalar)) / columns + 7;
    HostPattern<typename TestFixture::Offset> pattern;
    pattern.columns = rows;
    while (pattern.rows < rows) {
      // The first third of the rows has all entries; row 700 has most of them.
      const int entries = pattern.rows == 700 ? 20000 : pattern.rows < rows / 3 ? 3 : 0;
      for (int j = 0; j < entries; ++j) pattern.column_indices.push_back(int(std::int64_t(rows - 1) * j / entries));
      pattern.end_row();
    }
    const typename TestFixture::Matrix A(pattern);
    auto plan = A.plan(with_format(Format::Csr));
    expect_product_with_sums<Right, Right>(exec, plan, columns, Mode::NoTranspose, 1, 0.5, "large");
    expect_residual<Right, Right>(exec, plan, 9, Mode::NoTranspose, false, "large");
    // Two products with sums, one residual, and the products for comparison.
    EXPECT_NE(plan.stats().find("\"products\": 5"), std::string::npos) << plan.stats();
  }
}

/// Computes both sums for so many columns that they exceed the first-level cache.
TYPED_TEST(SpmmWithSumsTest, BothSumsOfManyColumns) {
  using Right = typename TestFixture::Right;
  const typename TestFixture::Exec exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(260, 260, 0.05, 9));
  for (const Format format : {Format::Csr, Format::BitTcf}) {
    auto plan = A.plan(with_format(format));
    for (const int columns : {127, 128, 129})
      expect_product_with_sums<Right, Right>(exec, plan, columns, Mode::NoTranspose, 1, 0, "both");
  }
}

TYPED_TEST(SpmmWithSumsTest, RectangularAndEmptyShapes) {
  using Right = typename TestFixture::Right;
  const typename TestFixture::Exec exec;
  for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 6}, {6, 0}, {9, 9}, {1, 1}, {60, 20}, {20, 60}}) {
    const typename TestFixture::Matrix A(
        random_pattern<typename TestFixture::Offset>(rows, columns, rows == 9 ? 0 : 0.3, 8));
    for (const Format format : every_format) {
      if (!is_chosen_on<typename TestFixture::Exec>(5)) continue;
      auto plan = A.plan(with_format(format));
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
        for (const int count : {1, 4}) {
          expect_product_with_sums<Right, Right>(exec, plan, count, mode, 1, 0, "shape", rows == columns);
          expect_product_with_sums<Right, Right>(exec, plan, count, mode, 1, 2, "shape", rows == columns);
          expect_residual<Right, Right>(exec, plan, count, mode, false, "shape");
        }
        auto work = plan.prepare(exec, 0, mode);
        const Right X("X", mode == Mode::NoTranspose ? columns : rows, 0),
            Y("Y", mode == Mode::NoTranspose ? rows : columns, 0);
        EXPECT_NO_THROW(spmm_with_inner_products(exec, plan, work, mode, 1, X, 0, Y, {}));
        EXPECT_NO_THROW(residual(exec, plan, work, mode, X, Y, Y,
                                 Kokkos::View<typename TestFixture::Scalar*, Kokkos::HostSpace>()));
      }
    }
  }
}

/// Operands are columns of larger multivectors, or have padded rows or two strides. Padding is not written.
TYPED_TEST(SpmmWithSumsTest, SubviewsAndStrides) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  using Right = typename TestFixture::Right;
  const Exec exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(40, 40, 0.2, 12));
  auto plan = A.plan(with_format(Format::Csr));
  auto work = plan.prepare(exec, 5, Mode::NoTranspose);
  const auto whole_X = random_view<Right>(50, 12, 1), whole_Y = random_view<Right>(50, 12, 2);
  const auto X = Kokkos::subview(whole_X, std::pair(6, 46), std::pair(4, 9));
  const auto Y = Kokkos::subview(whole_Y, std::pair(3, 43), std::pair(7, 12));
  const auto before = fetched(whole_Y);
  const Right expected("expected", 40, 5);
  spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), X, Scalar(0), expected);
  Square<Scalar> XtY(5), YtY(5);
  spmm_with_inner_products(exec, plan, work, Mode::NoTranspose, 1, X, 0, Y, {XtY.view(), YtY.view()});
  const auto after = fetched(whole_Y), x = fetched(whole_X);
  const auto wanted = fetched(expected);
  for (int i = 0; i < 50; ++i) {
    for (int j = 0; j < 12; ++j) {
      const bool is_inside = i >= 3 && i < 43 && j >= 7;
      ASSERT_EQ(after(i, j), is_inside ? wanted(i - 3, j - 7) : before(i, j)) << i << " " << j;
    }
  }
  expect_inner_products(XtY, Kokkos::subview(x, std::pair(6, 46), std::pair(4, 9)), wanted, "subviews");
  expect_inner_products(YtY, wanted, wanted, "subviews");
  const typename TestFixture::Strided strided("strided", Kokkos::LayoutStride(40, 3, 5, 130));
  Square<Scalar> XtY_strided(5), YtY_strided(5);
  spmm_with_inner_products(exec, plan, work, Mode::NoTranspose, 1, X, 0, strided,
                           {XtY_strided.view(), YtY_strided.view()});
  // Kokkos copies strided arrays only within a memory space.
  const Right adjacent("adjacent", 40, 5);
  Kokkos::deep_copy(adjacent, strided);
  ASSERT_TRUE(are_same_bits(fetched(adjacent), wanted));
  expect_inner_products(XtY_strided, Kokkos::subview(x, std::pair(6, 46), std::pair(4, 9)), wanted, "strides");
  expect_inner_products(YtY_strided, wanted, wanted, "strides");
}

/// NaN reaches only the sums that it contributes to.
TYPED_TEST(SpmmWithSumsTest, NumbersThatAreNotFinitePass) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  using Right = typename TestFixture::Right;
  const Exec exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(50, 50, 0.3, 13));
  auto plan = A.plan(with_format(Format::Csr));
  auto work = plan.prepare(exec, 4, Mode::NoTranspose);
  const auto X = random_view<Right>(50, 4, 1), B = random_view<Right>(50, 4, 2);
  const Right Y("Y", 50, 4);
  const auto host = fetched(X);
  host(7, 2) = std::numeric_limits<Scalar>::quiet_NaN();
  Kokkos::deep_copy(X, host);
  Square<Scalar> XtY(4), YtY(4);
  spmm_with_inner_products(exec, plan, work, Mode::NoTranspose, 1, X, 0, Y, {XtY.view(), YtY.view()});
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      EXPECT_EQ(std::isnan(XtY.view()(i, j)), i == 2 || j == 2) << i << " " << j;
      EXPECT_EQ(std::isnan(YtY.view()(i, j)), i == 2 || j == 2) << i << " " << j;
    }
  }
  std::vector<Scalar> squares(4);
  residual(exec, plan, work, Mode::NoTranspose, X, B, Y, host_view(squares));
  for (int j = 0; j < 4; ++j) EXPECT_EQ(std::isnan(squares[j]), j == 2) << j;
  const auto b = fetched(B);
  b(49, 1) = std::numeric_limits<Scalar>::infinity();
  Kokkos::deep_copy(B, b);
  residual(exec, plan, work, Mode::NoTranspose, X, B, B, host_view(squares));
  EXPECT_TRUE(std::isfinite(squares[0]) && std::isfinite(squares[3]));
  EXPECT_EQ(squares[1], std::numeric_limits<Scalar>::infinity());
}

#ifdef KOKKOS_ENABLE_OPENMP
/// Sums are bitwise equal with one thread and two.
TYPED_TEST(SpmmWithSumsTest, AnyNumberOfThreads) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  using Right = typename TestFixture::Right;
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
    const int rows = 70000;  // 16 columns are summed in pieces
    const auto banded = [](int size) {
      HostPattern<typename TestFixture::Offset> pattern;
      pattern.columns = size;
      while (pattern.rows < size) {
        for (int j = std::max(0, pattern.rows - 1); j < std::min(size, pattern.rows + pattern.rows % 4); ++j)
          pattern.column_indices.push_back(j);
        pattern.end_row();
      }
      return pattern;
    };
    const typename TestFixture::Matrix A(banded(rows));
    auto plan = A.plan(with_format(Format::Csr));
    for (const int columns : {1, 16, 32}) {
      std::vector<std::vector<Scalar>> results;
      for (const int threads : {1, 2, 2}) {
        const Exec exec(std::min(threads, Exec().concurrency()));
        auto work = plan.prepare(exec, columns, Mode::NoTranspose);
        const auto X = random_view<Right>(rows, columns, 1), B = random_view<Right>(rows, columns, 2);
        const Right Y("Y", rows, columns);
        Square<Scalar> XtY(columns), YtY(columns);
        spmm_with_inner_products(exec, plan, work, Mode::NoTranspose, 1, X, 0, Y, {XtY.view(), YtY.view()});
        std::vector<Scalar> all(Y.data(), Y.data() + Y.span());
        all.insert(all.end(), XtY.memory.begin(), XtY.memory.end());
        all.insert(all.end(), YtY.memory.begin(), YtY.memory.end());
        std::vector<Scalar> squares(std::size_t(columns), Scalar(0));
        residual(exec, plan, work, Mode::NoTranspose, X, B, Y, host_view(squares));
        all.insert(all.end(), squares.begin(), squares.end());
        results.push_back(all);
      }
      EXPECT_TRUE(results[0] == results[1] && results[0] == results[2]) << columns << " columns";
    }
  }
}
#endif

TYPED_TEST(SpmmWithSumsTest, RejectsWhatDoesNotFit) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  using Right = typename TestFixture::Right;
  const Exec exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(20, 30, 0.3, 2));
  auto plan = A.plan(with_format(Format::Csr));
  auto work = plan.prepare(exec, 3, Mode::NoTranspose);
  const auto X = random_view<Right>(30, 3, 1), Y = random_view<Right>(20, 3, 2), Z = random_view<Right>(20, 2, 2);
  const auto before = fetched(Y);
  Square<Scalar> C(3), narrow(2);
  std::vector<Scalar> squares(3), two(2);
  const auto multiply = [&](const auto& x, const auto& y, const InnerProducts<Scalar>& sums,
                            Mode mode = Mode::NoTranspose) {
    spmm_with_inner_products(exec, plan, work, mode, 1, x, 0, y, sums);
  };
  const auto subtract = [&](const auto& x, const auto& b, const auto& r, const auto& sums) {
    residual(exec, plan, work, Mode::NoTranspose, x, b, r, sums);
  };
  const std::string who = "Tessera::spmm_with_inner_products: ", other = "Tessera::residual: ";
  EXPECT_MESSAGE(std::invalid_argument, multiply(X, Y, {.XtY = C.view()}),
                 who + "XtY is wanted and op(A) is 20 x 30 in mode N; expected a square op(A), or no XtY");
  EXPECT_MESSAGE(std::invalid_argument, multiply(X, Y, {}), who + "neither XtY nor YtY is given; expected one or both");
  EXPECT_MESSAGE(std::invalid_argument, multiply(X, Y, {.YtY = narrow.view()}),
                 who + "YtY is 2 x 2; expected 3 x 3, the columns of X and Y");
  EXPECT_MESSAGE(std::invalid_argument, multiply(X, Y, {.YtY = typename InnerProducts<Scalar>::Matrix(nullptr, 3, 3)}),
                 who + "YtY has no memory");
  EXPECT_MESSAGE(std::invalid_argument, multiply(X, Z, {.YtY = C.view()}), who + "op(A) is 20 x 30");
  EXPECT_MESSAGE(std::invalid_argument, multiply(X, Y, {.YtY = C.view()}, Mode::Transpose), who + "op(A) is 30 x 20");
  EXPECT_MESSAGE(std::invalid_argument,
                 multiply(X, Kokkos::subview(X, std::pair(5, 25), Kokkos::ALL), {.YtY = C.view()}),
                 who + "X (30 x 3) and Y (20 x 3) are the same memory");
  EXPECT_MESSAGE(std::invalid_argument, subtract(X, Z, Y, host_view(squares)),
                 other + "B is 20 x 2, R is 20 x 3; expected B of the shape of R");
  EXPECT_MESSAGE(std::invalid_argument, subtract(X, Y, Y, host_view(two)),
                 other + "squared_norms has 2 elements; expected 3, the columns of R");
  EXPECT_MESSAGE(std::invalid_argument, subtract(X, Y, Y, Kokkos::View<Scalar*, Kokkos::HostSpace>(nullptr, 3)),
                 other + "squared_norms has no memory");
  const auto every_second = Kokkos::subview(C.view(), 0, Kokkos::ALL);
  EXPECT_MESSAGE(std::invalid_argument, subtract(X, Y, Y, every_second), other + "squared_norms must be contiguous");
  const auto large = random_view<Right>(40, 3, 5);
  const auto part = Kokkos::subview(large, std::pair(0, 20), Kokkos::ALL),
             shifted = Kokkos::subview(large, std::pair(10, 30), Kokkos::ALL);
  EXPECT_MESSAGE(std::invalid_argument, subtract(X, part, shifted, host_view(squares)),
                 other + "B (20 x 3) and R (20 x 3) are the same memory");
  EXPECT_MESSAGE(std::invalid_argument, subtract(X, Y, Z, host_view(two)), other + "op(A) is 20 x 30");
  auto few = plan.prepare(exec, 1, Mode::NoTranspose);
  EXPECT_MESSAGE(std::invalid_argument, residual(exec, plan, few, Mode::NoTranspose, X, Y, Y, host_view(squares)),
                 other + "the workspace was prepared for 1 columns");
  EXPECT_TRUE(are_same_bits(fetched(Y), before));
}

TYPED_TEST(SpmmWithSumsTest, OperatorOfAPlan) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  using Right = typename TestFixture::Right;
  const Exec exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(40, 40, 0.2, 12));
  for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
    auto plan = A.plan(with_format(Format::Csr));
    const PlanOperator op(exec, plan, mode);
    EXPECT_EQ(op.rows(), 40);
    EXPECT_EQ(op.columns(), 40);
    for (const int columns : {2, 7, 3}) {
      const auto X = random_view<Right>(40, columns, 1), B = random_view<Right>(40, columns, 2);
      const Right Y("Y", 40, columns), Z("Z", 40, columns), expected("expected", 40, columns);
      auto work = plan.prepare(exec, columns, mode);
      spmm(exec, plan, work, mode, Scalar(1), X, Scalar(0), expected);
      op(X, Y);
      exec.fence();
      EXPECT_TRUE(are_same_bits(fetched(Y), fetched(expected)));
      Square<Scalar> XtY(columns);
      op.multiply_with_inner_products(X, Z, XtY.view());
      EXPECT_TRUE(are_same_bits(fetched(Z), fetched(expected)));
      expect_inner_products(XtY, fetched(X), fetched(Z), "operator");
      Kokkos::deep_copy(expected, B);
      spmm(exec, plan, work, mode, Scalar(-1), X, Scalar(1), expected);
      std::vector<Scalar> squares(static_cast<std::size_t>(columns), Scalar(-1));
      op.residual(X, B, Y, host_view(squares));
      EXPECT_TRUE(are_same_bits(fetched(Y), fetched(expected)));
      EXPECT_GT(squares.back(), Scalar(0));
    }
  }
}

}  // namespace Tessera::Impl::Test
