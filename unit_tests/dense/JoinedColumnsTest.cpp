// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <tessera/dense/impl/JoinedColumns.hpp>

namespace Tessera::Impl {
namespace {

using Block = TallBlock<const double>;
using Rows = std::vector<Ordinal>;

class JoinedColumnsTest : public ::testing::Test {
 protected:
  std::vector<double> memory = std::vector<double>(100);
  /// A block of 5 rows of 20 elements, from column `first` on.
  Block columns(Ordinal first, Ordinal count) const { return {memory.data() + first, 5, count, 20, nullptr}; }
  static auto join(const std::vector<Block>& blocks, Ordinal most_columns = 128) {
    return Impl::join_columns<double>(blocks, most_columns);
  }
};

TEST_F(JoinedColumnsTest, InTheOrderOfMemory) {
  const auto joined = join({columns(0, 2), columns(7, 3), columns(2, 5)});
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].block.data, memory.data());
  EXPECT_EQ(joined[0].block.columns, 10);
  EXPECT_EQ(joined[0].block.row_stride, 20);
  EXPECT_EQ(joined[0].rows, (Rows{0, 1, 5, 6, 7, 8, 9, 2, 3, 4}));
}

TEST_F(JoinedColumnsTest, BackwardsAndInSeveralGroups) {
  const auto joined =
      join({columns(17, 3), columns(4, 1), columns(15, 2), columns(3, 1), columns(10, 1), columns(2, 1)});
  ASSERT_EQ(joined.size(), 3U);
  EXPECT_EQ(joined[0].block.data, memory.data() + 15);
  EXPECT_EQ(joined[0].rows, (Rows{4, 5, 0, 1, 2}));
  EXPECT_EQ(joined[1].rows, (Rows{7}));
  EXPECT_EQ(joined[2].block.data, memory.data() + 2);
  EXPECT_EQ(joined[2].rows, (Rows{8, 6, 3}));
}

TEST_F(JoinedColumnsTest, ListsOfAdjacentColumns) {
  const Ordinal adjacent[] = {4, 5, 6}, others[] = {7, 9};
  Block a = columns(0, 3), b = columns(0, 2);
  a.column_list = adjacent;
  b.column_list = others;
  const auto joined = join({columns(3, 1), a, b});
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].block.columns, 4);
  EXPECT_EQ(joined[0].block.column_list, nullptr);
  EXPECT_EQ(joined[1].block.column_list, others);
  EXPECT_EQ(joined[1].rows, (Rows{4, 5}));
}

TEST_F(JoinedColumnsTest, OnlyOfOneStrideAndSoManyColumns) {
  Block wider = columns(5, 5);
  wider.row_stride = 18;
  EXPECT_EQ(join({columns(0, 5), wider}).size(), 2U);
  EXPECT_EQ(join({columns(0, 5), columns(5, 5)}, 10).size(), 1U);
  EXPECT_EQ(join({columns(0, 5), columns(5, 5)}, 9).size(), 2U);
  // Arrays of single rows may be adjacent by chance, which must not change results.
  Block a = columns(0, 5), b = columns(5, 5);
  a.rows = b.rows = 1;
  EXPECT_EQ(join({a, b}).size(), 2U);
  EXPECT_EQ(join({columns(0, 0), columns(0, 3), columns(3, 0)}).size(), 1U);
  EXPECT_TRUE(join({}).empty());
}

}  // namespace
}  // namespace Tessera::Impl
