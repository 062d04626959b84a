// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/reorder/DegreeSort.hpp>

#include "ReorderCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class DegreeSortTest : public ::testing::Test {};
TYPED_TEST_SUITE(DegreeSortTest, OffsetCases);

TYPED_TEST(DegreeSortTest, LongestRowsFirstAndEqualsInOrder) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const int rows : {0, 1, 2, 300}) {
    const auto A = random_pattern<Offset>(rows, 40, 0.2, 11, 7);
    const auto p = degree_sort(Exec(), DevicePattern<Exec, Offset>(A).view());
    ASSERT_EQ(validate(Exec(), p, rows), "");
    auto expected = shuffled(rows, 1);
    std::sort(expected.begin(), expected.end());
    std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) {
      const auto length = [&](int r) { return A.row_offsets[std::size_t(r) + 1] - A.row_offsets[std::size_t(r)]; };
      return length(a) > length(b);
    });
    EXPECT_EQ(to_host(p.order), expected);
  }
}

}  // namespace Tessera::Impl::Test
