// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <numeric>

#include "sorted_columns/SortedColumnsPicture.hpp"
#include "sorted_columns/cuda/SerialSchedule.hpp"

namespace Tessera::Impl::Test {
namespace {

using Cuda::SegmentRule;

TEST(SortedColumnsSchedule, PictureInOneGroup) {
  const SortedColumnsPicture picture;
  const auto schedule = serial_columns_schedule(picture.view(), 8);
  EXPECT_EQ(schedule.step_positions, (std::vector<int>{0, 4, 3, 3}));
  EXPECT_TRUE(schedule.places.empty());
  EXPECT_EQ(schedule.group_segments, (std::vector<int>{0, 11}));
  EXPECT_EQ(schedule.segment_ends, (std::vector<std::uint16_t>{2, 4, 6, 8, 10, 11, 12, 13, 14, 15, 16}));
  EXPECT_EQ(schedule.row_offsets, (std::vector<int>{0, 1, 3, 3, 4, 5, 6, 9, 10, 12, 14, 15, 17, 18, 19, 19, 21}));
  EXPECT_EQ(schedule.row_slots,
            (std::vector<int>{0, 1, 11, 2, 3, 4, 5, 12, 16, 6, 7, 13, 8, 14, 9, 10, 15, 19, 17, 18, 20}));
  EXPECT_TRUE(schedule.long_rows.empty());
  const auto view = schedule.view();
  EXPECT_EQ(view.groups, 1);
  EXPECT_EQ(view.segments, 11);
  EXPECT_EQ(view.slot_count, 21);
  EXPECT_EQ(view.places, nullptr);
}

/// Three steps per group; the last group has one.
TEST(SortedColumnsSchedule, PictureInTwoGroups) {
  const SortedColumnsPicture picture;
  const auto schedule = serial_columns_schedule(picture.view(), 3);
  EXPECT_EQ(schedule.places, (std::vector<std::uint16_t>{4, 7, 5, 0, 1, 6, 10, 9, 2, 3, 8, 11, 0, 2, 1, 3}));
  EXPECT_EQ(schedule.group_segments, (std::vector<int>{0, 8, 12}));
  EXPECT_EQ(schedule.segment_ends, (std::vector<std::uint16_t>{2, 4, 5, 7, 9, 10, 11, 12, 1, 2, 3, 4}));
  ASSERT_EQ(schedule.row_slots.size(), 22u);
  EXPECT_EQ(schedule.row_offsets[3], 3);  // row 3 has the first group's third segment and the second group's first one
  EXPECT_EQ(schedule.row_slots[3], 2);
  EXPECT_EQ(schedule.row_slots[4], 8);
}

TEST(SortedColumnsSchedule, ElementsAlone) {
  const SortedColumnsPicture picture;
  const auto schedule = serial_columns_schedule(picture.view(), 8, SegmentRule::Elements);
  std::vector<std::uint16_t> in_order(16);
  std::iota(in_order.begin(), in_order.end(), std::uint16_t(0));
  EXPECT_EQ(schedule.places, in_order);
  EXPECT_EQ(schedule.segment_ends.size(), 16u);
  EXPECT_EQ(schedule.row_slots.size(), 26u);
}

/// A row with more slots than the limit for a team of lanes, and a row at the limit.
TEST(SortedColumnsSchedule, LongRows) {
  const std::size_t few = Cuda::sorted_columns_long_row_slots;
  std::vector<int> piece_offsets(2 * few + 2);
  std::iota(piece_offsets.begin(), piece_offsets.end(), 0);
  std::vector<int> row_indices(2 * few + 1, 2);
  std::fill_n(row_indices.begin(), few, 0);
  SortedColumnsPattern A;
  A.rows = 3;
  A.pieces = 2 * few + 1;
  A.width = 32;
  A.row_indices = row_indices.data();
  A.piece_offsets = piece_offsets.data();
  EXPECT_EQ(serial_columns_schedule(A, 8).long_rows, std::vector<int>{2});
}

TEST(SortedColumnsSchedule, GroupsFitInSharedMemory) {
  EXPECT_EQ(Cuda::sorted_columns_group_steps(32), 64);
  EXPECT_EQ(Cuda::sorted_columns_group_steps(1), 64);
  EXPECT_EQ(Cuda::sorted_columns_group_steps(1500), 1);
}

}  // namespace
}  // namespace Tessera::Impl::Test
