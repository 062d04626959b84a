// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/reorder/WindowGrowing.hpp>

#include "RowOrderCases.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class WindowGrowingTest : public ::testing::Test {
 protected:
  using Exec = typename T::ExecutionSpace;
  using Offset = typename T::Offset;
  static auto order_of(const HostPattern<Offset>& A, int rows) {
    return grow_windows(Exec(), DevicePattern<Exec, Offset>(A).view(), rows);
  }
};
TYPED_TEST_SUITE(WindowGrowingTest, OffsetCases);

TYPED_TEST(WindowGrowingTest, APermutationThatNeverAddsColumns) {
  using Offset = typename TypeParam::Offset;
  for (const auto& [name, A] : row_order_cases<Offset>()) {
    for (const int height : {1, 2, 48, 64, 128}) {
      SCOPED_TRACE(name + ", windows of " + std::to_string(height));
      const auto p = this->order_of(A, height);
      EXPECT_EQ(validate(typename TypeParam::ExecutionSpace(), p, A.rows), "");
      if (p.is_identity()) continue;
      EXPECT_LT(distinct_columns(rows_in_order(A, to_host(p.order)), height), distinct_columns(A, height));
    }
  }
}

TYPED_TEST(WindowGrowingTest, BoxesOnAGrid) {
  using Offset = typename TypeParam::Offset;
  const auto A = grid_pattern<Offset>(64);
  const auto p = this->order_of(A, 64);
  ASSERT_FALSE(p.is_identity());
  // 64 boxes of 8 x 8 points, with their neighbours in the grid, have (6 * 10 + 2 * 9)^2 columns.
  EXPECT_LE(distinct_columns(rows_in_order(A, to_host(p.order)), 64), std::size_t(78 * 78 * 101 / 100));
}

TYPED_TEST(WindowGrowingTest, ShuffledGridsGetFewerColumnsThanTheyHadBefore) {
  using Offset = typename TypeParam::Offset;
  const auto A = grid_pattern<Offset>(60);
  const auto rows = rows_in_order(A, shuffled(A.rows, 13));
  const auto p = this->order_of(rows, 64);
  ASSERT_FALSE(p.is_identity());
  const auto grown = rows_in_order(rows, to_host(p.order));
  for (const int height : {16, 64}) EXPECT_LT(distinct_columns(grown, height), distinct_columns(A, height));
}

TYPED_TEST(WindowGrowingTest, EmptyRowsDoNotThinWindows) {
  using Offset = typename TypeParam::Offset;
  // Every other row is empty. The nonempty rows are 128 copies of each of two rows.
  HostPattern<Offset> A;
  A.columns = 20;
  for (int row = 0; row < 512; ++row) {
    for (int j = 0; row % 2 == 1 && j < 10; ++j) A.column_indices.push_back(row % 4 / 2 * 10 + j);
    A.end_row();
  }
  const auto p = this->order_of(A, 64);
  ASSERT_FALSE(p.is_identity());
  EXPECT_EQ(distinct_columns(rows_in_order(A, to_host(p.order)), 64), 40u);
}

TYPED_TEST(WindowGrowingTest, TheSameOrderOnEveryBackend) {
  using Offset = typename TypeParam::Offset;
  const auto A = grid_pattern<Offset>(40);
  EXPECT_EQ(fingerprint(to_host(this->order_of(rows_in_order(A, shuffled(A.rows, 14)), 64).order)),
            6653520676407068527u);
  // Hubs are columns with more rows than the algorithm visits.
  EXPECT_EQ(fingerprint(to_host(this->order_of(hub_pattern<Offset>(2000, 300, 15), 64).order)), 3822756047935522633u);
  // Here rows share columns with more rows than the algorithm counts.
  EXPECT_EQ(fingerprint(to_host(this->order_of(random_pattern<Offset>(600, 400, 0.1, 16), 64).order)),
            14448835530557141177u);
}

TYPED_TEST(WindowGrowingTest, WindowsHaveRows) {
  using Offset = typename TypeParam::Offset;
  EXPECT_THROW(this->order_of(staircase<Offset>(10, 2, 1), 0), std::invalid_argument);
}

}  // namespace Tessera::Impl::Test
