// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "row_groups/SerialRowGroups.hpp"
#include "row_groups/cuda/Schedule.hpp"

namespace Tessera::Impl::Test {
namespace {

using Cuda::build_row_groups_schedule;
using Cuda::RowGroupItem;

/// Makes groups of 1, 2, 3 and 4 rows with 4, 12, 0 and 40 columns.
HostRowGroups some_groups() {
  HostRowGroups B;
  int height = 1;
  for (const int columns : {4, 12, 0, 40}) {
    B.first_rows.push_back(B.first_rows.back() + height);
    B.column_offsets.push_back(B.column_offsets.back() + columns);
    B.value_offsets.push_back(B.value_offsets.back() + columns * height++);
  }
  B.rows = B.first_rows.back();
  B.chunk_groups.push_back(4);
  return B;
}

void expect_item(const RowGroupItem& item, int height, int fours, unsigned first_columns, unsigned first_values,
                 int target) {
  EXPECT_EQ(item.height(), height);
  EXPECT_EQ(item.fours(), fours);
  EXPECT_EQ(item.first_columns, first_columns);
  EXPECT_EQ(item.first_values, first_values);
  EXPECT_EQ(item.target, target);
}

TEST(RowGroupsSchedule, HighAndLongItemsComeFirst) {
  const auto B = some_groups();
  const auto schedule = build_row_groups_schedule(B.view(), 16);
  ASSERT_EQ(schedule.items.size(), 6u);
  // The last group is first, in pieces of 12, 12 and 16 columns. The longest piece precedes the others.
  expect_item(schedule.items[0], 4, 4, 10, 31, -3);
  expect_item(schedule.items[1], 4, 3, 4, 7, -1);
  expect_item(schedule.items[2], 4, 3, 7, 19, -2);
  expect_item(schedule.items[3], 3, 0, 4, 7, 3);
  expect_item(schedule.items[4], 2, 3, 1, 1, 1);
  expect_item(schedule.items[5], 1, 1, 0, 0, 0);
  EXPECT_FALSE(schedule.items[0].is_whole());
  EXPECT_EQ(schedule.items[0].slot(), 2);
  EXPECT_TRUE(schedule.items[3].is_whole());
  ASSERT_EQ(schedule.sums.size(), 1u);
  EXPECT_EQ(schedule.sums[0].first_row, 6);
  EXPECT_EQ(schedule.sums[0].height, 4);
  EXPECT_EQ(schedule.sums[0].first_slot, 0);
  EXPECT_EQ(schedule.sums[0].slots, 3);
  EXPECT_EQ(schedule.slots, 3);
}

/// Lengths that the key cannot represent count as equal, and do not change the other parts of the key.
TEST(RowGroupsSchedule, ItemsOf255AndMoreFoursAreEquallyLong) {
  const auto key = [](unsigned fours, unsigned height, Ordinal group) {
    return Cuda::row_groups_sort_key({0, 0, fours << 2 | (height - 1), 0}, group);
  };
  EXPECT_GT(key(253, 2, 0), key(254, 2, 0));
  EXPECT_GT(key(254, 2, 0), key(255, 2, 0));
  EXPECT_EQ(key(255, 2, 0), key(256, 2, 0));
  EXPECT_EQ(key(255, 2, 0), key(100000, 2, 0));
  EXPECT_GT(key(0, 3, 0), key(1, 3, 0));
  EXPECT_LT(key(0, 3, 0), key(100000, 2, 0));
  EXPECT_LT(key(0, 1, 0), key(100000, 4, Cuda::schedule_sorted_groups));
}

/// Items are sorted only within 2048 adjacent groups.
TEST(RowGroupsSchedule, ItemsAreSortedAmongNeighbours) {
  HostPattern<int> A;
  A.columns = 300;
  std::vector<int> row(4);
  for (int i = 0; i < 5000; ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<int>(j) + i % 200;
    add_row(A, row);
    if (i % 7 == 0) row.push_back(0);
    if (row.size() > 90) row.resize(4);
  }
  const auto B = serial_row_groups(A, 1);
  const auto schedule = build_row_groups_schedule(B.view(), 400);
  ASSERT_EQ(schedule.items.size(), 5000u);
  EXPECT_TRUE(schedule.sums.empty());
  for (int first = 0; first < 5000; first += Cuda::schedule_sorted_groups) {
    const int end = std::min(5000, first + Cuda::schedule_sorted_groups);
    std::vector<int> rows;
    for (int i = first; i < end; ++i) {
      rows.push_back(schedule.items[static_cast<std::size_t>(i)].target);
      if (i > first) {
        EXPECT_GE(schedule.items[static_cast<std::size_t>(i) - 1].fours(),
                  schedule.items[static_cast<std::size_t>(i)].fours());
      }
    }
    std::sort(rows.begin(), rows.end());
    std::vector<int> all(rows.size());
    std::iota(all.begin(), all.end(), first);
    EXPECT_EQ(rows, all);
  }
}

TEST(RowGroupsSchedule, PiecesAreLongerWhereThereIsMoreWork) {
  EXPECT_EQ(Cuda::row_groups_piece_columns(1000, 10, 128), 32);
  EXPECT_EQ(Cuda::row_groups_piece_columns(1e5, 100, 512), 64);
  EXPECT_EQ(Cuda::row_groups_piece_columns(2e6, 1000, 128), 128);
  EXPECT_EQ(Cuda::row_groups_piece_columns(2e6, 1000, 2048), 256);
  EXPECT_EQ(Cuda::row_groups_piece_columns(1e9, 1000, 128), 512);
  EXPECT_EQ(Cuda::row_groups_piece_columns(5e4, 4096, 128), 32) << "128 pieces";
  EXPECT_EQ(Cuda::row_groups_piece_columns(5e4, 40000, 128), 512);
  EXPECT_TRUE(Cuda::row_groups_are_countable(std::size_t(1) << 33, std::size_t(1) << 33));
  EXPECT_FALSE(Cuda::row_groups_are_countable(std::size_t(1) << 34, 4));
  EXPECT_FALSE(Cuda::row_groups_are_countable(4, std::size_t(1) << 34));
}

TEST(RowGroupsSchedule, RejectsPiecesThatAreNoFours) {
  const auto B = some_groups();
  for (const int columns : {-4, 0, 3, 6})
    EXPECT_THROW(build_row_groups_schedule(B.view(), columns), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
