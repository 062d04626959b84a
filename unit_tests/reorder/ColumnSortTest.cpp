// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>
#include <tessera/reorder/ColumnSort.hpp>

#include "ReorderCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class ColumnSortTest : public ::testing::Test {};
TYPED_TEST_SUITE(ColumnSortTest, OffsetCases);

TYPED_TEST(ColumnSortTest, ShortestColumnsFirstAndEqualsInOrder) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const int columns : {0, 1, 2, 300}) {
    for (const int rows : {0, 1, 40}) {
      const auto A = random_pattern<Offset>(rows, columns, 0.2, 11, 7);
      const auto p = column_sort(Exec(), DevicePattern<Exec, Offset>(A).view());
      ASSERT_EQ(validate(Exec(), p, columns), "");
      std::vector<int> lengths(std::size_t(columns), 0);
      for (const int column : A.column_indices) ++lengths[std::size_t(column)];
      std::vector<int> expected(std::size_t(columns), 0);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(),
                       [&](int a, int b) { return lengths[std::size_t(a)] < lengths[std::size_t(b)]; });
      EXPECT_EQ(to_host(p.order), expected);
    }
  }
}

}  // namespace Tessera::Impl::Test
