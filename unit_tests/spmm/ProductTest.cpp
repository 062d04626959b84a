// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>

#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class ProductTest : public ::testing::Test {};
TYPED_TEST_SUITE(ProductTest, UserProductCases);

template <class T>
struct ViewsOf {
  using Memory = typename T::ExecutionSpace::memory_space;
  using User = user_scalar_t<typename T::VectorScalar>;
  using Left = Kokkos::View<User**, Kokkos::LayoutLeft, Memory>;
  using Right = Kokkos::View<User**, Kokkos::LayoutRight, Memory>;
  using Vector = Kokkos::View<User*, Memory>;
};

template <class T>
using MatrixOf = UserMatrix<typename T::ExecutionSpace, typename T::MatrixScalar, typename T::Offset>;

TYPED_TEST(ProductTest, EveryFormatModeAndLayout) {
  using Views = ViewsOf<TypeParam>;
  const MatrixOf<TypeParam> A(random_pattern<typename TypeParam::Offset>(43, 29, 0.2, 3, 6));
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    EXPECT_EQ(plan.format(), format);
    for (const Mode mode : every_mode) {
      for (const int columns : {1, 2, 8, 17, 33}) {
        const std::string what = std::string(to_string(format)) + ", " + std::to_string(columns) + " columns";
        expect_product<typename Views::Left>(A, plan, columns, mode, 1, 0, what + ", left");
        expect_product<typename Views::Right>(A, plan, columns, mode, -2, 0.5, what + ", right");
      }
      expect_product<typename Views::Vector>(A, plan, 1, mode, 3, -1, "rank 1");
      expect_product<typename Views::Left>(A, plan, 3, mode, 0, 0, "alpha 0, beta 0");
      expect_product<typename Views::Left>(A, plan, 3, mode, 0, 2, "alpha 0");
      expect_product<typename Views::Left>(A, plan, 0, mode, 1, 0, "no columns");
    }
  }
}

TYPED_TEST(ProductTest, UnsortedRowsAndDuplicates) {
  using Views = ViewsOf<TypeParam>;
  const MatrixOf<TypeParam> A(unsorted_pattern<typename TypeParam::Offset>(50, 20, 15, 8));
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    EXPECT_LT(plan.nonzeros(), A.host.nonzeros());
    for (const Mode mode : every_mode) expect_product<typename Views::Right>(A, plan, 5, mode, 1, 1, "duplicates");
  }
}

TYPED_TEST(ProductTest, EmptyShapes) {
  using Views = ViewsOf<TypeParam>;
  for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 6}, {6, 0}, {9, 9}}) {
    HostPattern<typename TypeParam::Offset> empty;
    empty.columns = columns;
    while (empty.rows < rows) empty.end_row();
    const MatrixOf<TypeParam> A(empty);
    for (const Format format : every_format) {
      if (!is_chosen_on<typename TypeParam::ExecutionSpace>(5)) continue;
      auto plan = A.plan(with_format(format));
      for (const Mode mode : every_mode) {
        expect_product<typename Views::Left>(A, plan, 4, mode, 1, 0, "empty");
        expect_product<typename Views::Right>(A, plan, 4, mode, 1, 2, "empty");
      }
    }
  }
}

TYPED_TEST(ProductTest, WindowsAndTilesAtTheirEdges) {
  using Views = ViewsOf<TypeParam>;
  for (const int rows : {1, 7, 8, 9, 16, 17}) {
    for (const int columns : {1, 7, 8, 9, 16, 17}) {
      for (const double density : {0.15, 1.0}) {
        const MatrixOf<TypeParam> A(random_pattern<typename TypeParam::Offset>(rows, columns, density, rows * columns));
        for (const Format format : every_format) {
          if (!is_chosen_on<typename TypeParam::ExecutionSpace>(5)) continue;
          auto plan = A.plan(with_format(format));
          expect_product<typename Views::Left>(A, plan, 9, Mode::NoTranspose, 1, 0, "edges");
          expect_product<typename Views::Left>(A, plan, 2, Mode::Transpose, 1, 0, "edges");
        }
      }
    }
  }
}

/// Inf and NaN in a row of X reach only rows of Y with an entry in that column of A: padding reads nothing.
/// X has more columns than are packed or multiplied at a time, and some rows are cut into pieces.
TYPED_TEST(ProductTest, ManyColumnsAndLongRows) {
  using Views = ViewsOf<TypeParam>;
  HostPattern<typename TypeParam::Offset> pattern;
  pattern.columns = 4000;
  while (pattern.rows < 20) {
    const int step = pattern.rows % 9 == 0 ? 1 : 500;
    for (int j = pattern.rows; j < 3000; j += step) pattern.column_indices.push_back(j);
    pattern.end_row();
  }
  const MatrixOf<TypeParam> A(pattern);
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    const std::string what(to_string(format));
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
      expect_product<typename Views::Left>(A, plan, 130, mode, 1, 0.5, what + ", left", false);
      expect_product<typename Views::Right>(A, plan, 130, mode, 1, 0.5, what + ", right", false);
    }
  }
}

TYPED_TEST(ProductTest, NonFiniteXReachesOnlyWhatItMultiplies) {
  using Exec = typename TypeParam::ExecutionSpace;
  using V = typename TypeParam::VectorScalar;
  using User = user_scalar_t<V>;
  using Real = real_of_t<V>;
  const MatrixOf<TypeParam> A(random_pattern<typename TypeParam::Offset>(64, 40, 0.1, 77));
  const int bad_columns[] = {0, 13, 39};
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    for (const int columns : {1, 8, 11}) {
      typename ViewsOf<TypeParam>::Left x("x", 40, columns), y("y", 64, columns);
      auto x_host = Kokkos::create_mirror_view(x);
      Kokkos::deep_copy(x_host, User(1));
      for (int j = 0; j < columns; ++j) {
        x_host(0, j) = User(std::numeric_limits<Real>::infinity());
        x_host(13, j) = User(std::numeric_limits<Real>::quiet_NaN());
        x_host(39, j) = User(-std::numeric_limits<Real>::infinity());
      }
      Kokkos::deep_copy(x, x_host);
      auto work = plan.prepare(Exec(), columns, Mode::NoTranspose);
      spmm(Exec(), plan, work, Mode::NoTranspose, 1, x, 0, y);
      Exec().fence();
      const auto y_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
      for (int i = 0; i < 64; ++i) {
        bool touches = false;
        for (auto k = A.host.row_offsets[i]; k < A.host.row_offsets[i + 1]; ++k) {
          for (const int bad : bad_columns) touches = touches || A.host.column_indices[k] == bad;
        }
        for (int j = 0; j < columns; ++j) {
          const auto value = reinterpret_cast<const Real*>(&y_host(i, j))[0];
          ASSERT_EQ(std::isfinite(value), !touches) << to_string(format) << ", row " << i;
        }
      }
    }
  }
}

/// Columns of a larger multivector, as Belos passes them, and a strided layout.
TYPED_TEST(ProductTest, SubviewsAndStrides) {
  using Exec = typename TypeParam::ExecutionSpace;
  using V = typename TypeParam::VectorScalar;
  using User = user_scalar_t<V>;
  using Memory = typename Exec::memory_space;
  const MatrixOf<TypeParam> A(random_pattern<typename TypeParam::Offset>(31, 27, 0.3, 12));
  const auto fill = [](const auto& view) {
    auto host = Kokkos::create_mirror_view(view);
    Random random(4);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      for (std::size_t j = 0; j < host.extent(1); ++j) {
        const V value = random.scalar<V>();
        host(i, j) = std::bit_cast<User>(value);
      }
    Kokkos::deep_copy(view, host);
  };
  typename ViewsOf<TypeParam>::Left x("x", 40, 12), y("y", 35, 12), expected("expected", 31, 5),
      compact("compact", 27, 5);
  fill(x);
  fill(y);
  const auto x_part = Kokkos::subview(x, std::pair(6, 33), std::pair(4, 9));
  const auto y_part = Kokkos::subview(y, std::pair(2, 33), std::pair(7, 12));
  Kokkos::deep_copy(compact, x_part);
  Kokkos::View<User**, Kokkos::LayoutStride, Memory> strided("strided", Kokkos::LayoutStride(27, 3, 5, 100));
  Kokkos::deep_copy(strided, compact);
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    auto work = plan.prepare(Exec(), 5, Mode::NoTranspose);
    const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    spmm(Exec(), plan, work, Mode::NoTranspose, 1, compact, 0, expected);
    spmm(Exec(), plan, work, Mode::NoTranspose, 1, x_part, 0, y_part);
    Exec().fence();
    const auto wanted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
    const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    for (int j = 0; j < 12; ++j) {
      for (int i = 0; i < 35; ++i) {
        const bool inside = j >= 7 && i >= 2 && i < 33;
        ASSERT_TRUE(after(i, j) == (inside ? wanted(i - 2, j - 7) : before(i, j))) << i << " " << j;
      }
    }
    Kokkos::deep_copy(expected, User(0));
    spmm(Exec(), plan, work, Mode::NoTranspose, 1, strided, 0, expected);
    Exec().fence();
    const auto from_strided = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 31; ++i) ASSERT_TRUE(from_strided(i, j) == wanted(i, j));
  }
}

/// Deflation must not change the columns that remain: they are bitwise equal in every layout and format.
TYPED_TEST(ProductTest, AColumnDoesNotDependOnTheOthers) {
  using Exec = typename TypeParam::ExecutionSpace;
  using V = typename TypeParam::VectorScalar;
  using User = user_scalar_t<V>;
  const MatrixOf<TypeParam> A(random_pattern<typename TypeParam::Offset>(40, 33, 0.4, 90));
  typename ViewsOf<TypeParam>::Left x("x", 33, 37), all("all", 40, 37);
  auto x_host = Kokkos::create_mirror_view(x);
  Random random(91);
  for (int j = 0; j < 37; ++j)
    for (int i = 0; i < 33; ++i) {
      const V value = random.scalar<V>();
      x_host(i, j) = std::bit_cast<User>(value);
    }
  Kokkos::deep_copy(x, x_host);
  for (const Format format : every_format) {
    PlanOptions options = with_format(format);
    options.same_bits_alone = true;
    auto plan = A.plan(options);
    auto work = plan.prepare(Exec(), 37, Mode::NoTranspose);
    spmm(Exec(), plan, work, Mode::NoTranspose, 3, x, 0, all);
    Exec().fence();
    const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
    for (const auto& [first, last] : {std::pair{0, 1}, {36, 37}, {3, 5}, {0, 8}, {5, 21}, {1, 33}}) {
      typename ViewsOf<TypeParam>::Right part("part", 40, last - first);
      spmm(Exec(), plan, work, Mode::NoTranspose, 3, Kokkos::subview(x, Kokkos::ALL, std::pair(first, last)), 0, part);
      Exec().fence();
      const auto some = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part);
      for (int j = first; j < last; ++j)
        for (int i = 0; i < 40; ++i)
          ASSERT_TRUE(some(i, j - first) == expected(i, j)) << to_string(format) << " " << first;
    }
  }
}

}  // namespace Tessera::Impl::Test
