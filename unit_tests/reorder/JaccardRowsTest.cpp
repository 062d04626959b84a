// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/reorder/JaccardRows.hpp>

#include "RowOrderCases.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class JaccardRowsTest : public ::testing::Test {
 protected:
  using Exec = typename T::ExecutionSpace;
  using Offset = typename T::Offset;
  static auto order_of(const HostPattern<Offset>& A, int block_rows, int block_columns) {
    return jaccard_rows(Exec(), DevicePattern<Exec, Offset>(A).view(), block_rows, block_columns);
  }
};
TYPED_TEST_SUITE(JaccardRowsTest, OffsetCases);

/// The pattern of block columns: one column for each `width` columns.
template <class Offset>
HostPattern<Offset> block_columns_of(const HostPattern<Offset>& A, int width) {
  HostPattern<Offset> result = A;
  result.columns = A.columns / width + 1;
  for (int& column : result.column_indices) column /= width;
  return result;
}

template <class Offset>
std::size_t count_blocks(const HostPattern<Offset>& A, int height, int width) {
  return distinct_columns(block_columns_of(A, width), height);
}

/// A matrix of dense blocks at random positions.
template <class Offset>
HostPattern<Offset> block_pattern(int block_rows, int height, int width, std::uint64_t seed) {
  const auto blocks = random_pattern<Offset>(block_rows, block_rows, 0.05, seed);
  HostPattern<Offset> result;
  result.columns = block_rows * width;
  for (int row = 0; row < block_rows * height; ++row) {
    const auto block_row = static_cast<std::size_t>(row / height);
    for (auto k = blocks.row_offsets[block_row]; k < blocks.row_offsets[block_row + 1]; ++k) {
      for (int c = 0; c < width; ++c)
        result.column_indices.push_back(blocks.column_indices[static_cast<std::size_t>(k)] * width + c);
    }
    result.end_row();
  }
  return result;
}

TYPED_TEST(JaccardRowsTest, APermutationThatNeverAddsBlocks) {
  using Offset = typename TypeParam::Offset;
  for (const auto& [name, A] : row_order_cases<Offset>()) {
    for (const auto [height, width] : {std::pair{8, 4}, {16, 8}, {6, 5}, {1, 1}}) {
      SCOPED_TRACE(name + ", blocks of " + std::to_string(height) + " x " + std::to_string(width));
      const auto p = this->order_of(A, height, width);
      EXPECT_EQ(validate(typename TypeParam::ExecutionSpace(), p, A.rows), "");
      if (p.is_identity()) continue;
      const std::size_t before = count_blocks(A, height, width);
      EXPECT_LT(count_blocks(rows_in_order(A, to_host(p.order)), height, width), before - before / 20);
    }
  }
}

TYPED_TEST(JaccardRowsTest, FindsTheBlocksOfAShuffledBlockMatrix) {
  using Offset = typename TypeParam::Offset;
  for (const auto [height, width] : {std::pair{8, 4}, {16, 8}}) {
    const auto A = block_pattern<Offset>(150, height, width, 9);
    const auto rows = rows_in_order(A, shuffled(A.rows, 10));
    const auto p = this->order_of(rows, height, width);
    ASSERT_FALSE(p.is_identity());
    EXPECT_EQ(count_blocks(rows_in_order(rows, to_host(p.order)), height, width), count_blocks(A, height, width));
  }
}

TYPED_TEST(JaccardRowsTest, BandMatricesStay) {
  using Offset = typename TypeParam::Offset;
  EXPECT_TRUE(this->order_of(staircase<Offset>(1000, 9, 1), 8, 4).is_identity());
  EXPECT_TRUE(this->order_of(staircase<Offset>(1000, 21, 1), 16, 8).is_identity());
}

TYPED_TEST(JaccardRowsTest, TheSameOrderOnEveryBackend) {
  using Offset = typename TypeParam::Offset;
  const auto A = block_pattern<Offset>(100, 8, 4, 11);
  const auto p = this->order_of(rows_in_order(A, shuffled(A.rows, 12)), 8, 4);
  EXPECT_EQ(fingerprint(to_host(p.order)), 6224961446696248233u);
}

TYPED_TEST(JaccardRowsTest, BlocksHaveRowsAndColumns) {
  using Offset = typename TypeParam::Offset;
  const auto A = staircase<Offset>(10, 2, 1);
  EXPECT_THROW(this->order_of(A, 0, 4), std::invalid_argument);
  EXPECT_THROW(this->order_of(A, 8, 0), std::invalid_argument);
}

}  // namespace Tessera::Impl::Test
