// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "voltrix/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {
namespace {

using Items = std::vector<BmatItem>;

Items items_of(const std::vector<int>& tiles) {
  Items items;
  for (const int count : tiles) items.push_back({0, 0, count, static_cast<Ordinal>(items.size()), -1});
  return items;
}

double position(const BmatPoint& point) {
  return point.item + static_cast<double>(point.fraction) / (1 << BmatPoint::fraction_bits);
}

TEST(BmatSchedule, PointsCutCostsInEqualParts) {
  const auto points = partition_bmat_items(items_of({2, 6, 0, 4}), 4, {0});  // 3 tiles per part
  ASSERT_EQ(points.size(), 5u);
  const double expected[] = {0, 1 + 1.0 / 6, 1 + 4.0 / 6, 3.25, 4};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(position(points[std::size_t(i)]), expected[i], 1e-4) << i;
}

TEST(BmatSchedule, WindowsCostAsMuchAsTheirResultsAreWorth) {
  const auto points = partition_bmat_items(items_of({0, 0, 0, 6}), 2, {3});  // total cost 18
  EXPECT_NEAR(position(points[1]), 3, 1e-4);
}

TEST(BmatSchedule, PointsNearTheEndsOfAnItemAreMovedThere) {
  // The first two points are near the end of item 0, before or after it, and move there. The third is inside item 1.
  EXPECT_EQ(position(partition_bmat_items(items_of({101, 99}), 2, {0})[1]), 1);
  EXPECT_EQ(position(partition_bmat_items(items_of({99, 101}), 2, {0})[1]), 1);
  EXPECT_NEAR(position(partition_bmat_items(items_of({10, 30}), 2, {0})[1]), 1 + 1.0 / 3, 1e-4);
  const auto eighths = partition_bmat_items(items_of({800}), 16, {0});
  for (int i = 0; i <= 16; ++i) {
    const double expected = i < 2 ? 0 : i > 14 ? 1 : i / 16.0;
    EXPECT_NEAR(position(eighths[std::size_t(i)]), expected, 1e-4) << i;
  }
}

TEST(BmatSchedule, PointsAscendAndEndWithTheItems) {
  std::vector<int> tiles;
  for (int i = 0; i < 500; ++i) tiles.push_back(i * i % 97 == 0 ? 4000 : i * 7919 % 23);
  const Items items = items_of(tiles);
  for (const int parts : {1, 7, 132 * 24, 20000}) {
    const auto points = partition_bmat_items(items, parts);
    ASSERT_EQ(points.size(), std::size_t(parts) + 1);
    EXPECT_EQ(position(points.front()), 0);
    EXPECT_EQ(position(points.back()), 500);
    for (std::size_t i = 1; i < points.size(); ++i) EXPECT_LE(position(points[i - 1]), position(points[i]));
  }
  EXPECT_EQ(position(partition_bmat_items(Items(), 3).back()), 0);
}

// Checks that no part costs much more than another, wherever long items are.
TEST(BmatSchedule, PartsAreBalanced) {
  std::vector<int> tiles(300, 3);
  for (int i = 0; i < 20; ++i) tiles[std::size_t(i) * 5] = 200;
  const Items items = items_of(tiles);
  const BmatCost cost = {2};
  double all = 0;
  std::vector<double> before = {0};
  for (const auto& item : items) before.push_back(all += item.tiles + cost.window);
  constexpr int parts = 20;
  const auto points = partition_bmat_items(items, parts, cost);
  const auto cost_before = [&](const BmatPoint& point) {
    if (point.fraction == 0) return before[std::size_t(point.item)];
    const double own = items[std::size_t(point.item)].tiles + cost.window;
    return before[std::size_t(point.item)] + own * (position(point) - point.item);
  };
  for (int i = 0; i < parts; ++i) {
    const double part = cost_before(points[std::size_t(i) + 1]) - cost_before(points[std::size_t(i)]);
    EXPECT_LE(part, all / parts + 2 * 0.125 * 202) << i;
  }
}

/// Checks the pieces of windows, their first values, and their slots.
void check_schedule() {
  // Three windows of 5, 0 and 2 tiles; tile t has t + 1 entries.
  const std::vector<Offset> windows = {0, 5, 5, 7}, values = {0, 1, 3, 6, 10, 15, 21, 28};
  const BmatWords A = {33, 100, windows.data(), values.data(), nullptr, nullptr};
  const auto schedule = build_bmat_schedule(A, 2, 3, BmatPartition::EqualCost);
  ASSERT_EQ(schedule.items.size(), 5u);
  EXPECT_EQ(schedule.slots, 3);
  ASSERT_EQ(schedule.sums.size(), 1u);
  EXPECT_EQ(schedule.sums[0].slots, 3);
  EXPECT_EQ(schedule.points.size(), std::size_t(3 * bmat_parts_per_multiprocessor + 1));
  int tiles = 0;
  for (const auto& item : schedule.items) {
    tiles += item.tiles;
    const Offset t = item.first_tile;
    EXPECT_EQ(item.first_value, t * (t + 1) / 2) << t;
    EXPECT_EQ(item.slot == BmatItem::direct, item.window != 0);
  }
  EXPECT_EQ(tiles, 7);
}

TEST(BmatSchedule, ItemsKnowTheirFirstValue) {
  check_schedule();
  check_schedule();
}

TEST(BmatSchedule, ItemsAreDealtWhereNoBlockGetsMuchMore) {
  EXPECT_DOUBLE_EQ(dealt_bmat_imbalance(items_of({1, 3, 1, 3}), 2, {0}), 1.5);
  EXPECT_DOUBLE_EQ(dealt_bmat_imbalance(items_of({1, 3, 3, 1}), 4, {2}), 1.25);
  EXPECT_EQ(dealt_bmat_imbalance(Items(), 4), 1);
  // 32 windows for four blocks: in the first case all have equal length, then every fourth is much longer.
  for (const int longer : {0, 100}) {
    std::vector<int> offsets = {0};
    for (int w = 0; w < 32; ++w) offsets.push_back(offsets.back() + 10 + (w % 4 == 0 ? longer : 0));
    std::vector<int> values(std::size_t(offsets.back()) + 1);
    std::iota(values.begin(), values.end(), 0);
    const BmatWords A = {512, 100, offsets.data(), values.data(), nullptr, nullptr};
    EXPECT_EQ(build_bmat_schedule(A, 1000, 1).points.empty(), longer == 0);
    EXPECT_TRUE(build_bmat_schedule(A, 1000, 1, BmatPartition::Dealt).points.empty());
    EXPECT_FALSE(build_bmat_schedule(A, 1000, 1, BmatPartition::EqualCost).points.empty());
  }
}

TEST(BmatSchedule, RejectsNumbersThatMakeNoSense) {
  const std::vector<int> offsets{0, 4};
  const BmatWords A = {16, 100, offsets.data(), offsets.data(), nullptr, nullptr};
  EXPECT_THROW(build_bmat_schedule(A, 0, 1), std::invalid_argument);
  EXPECT_THROW(build_bmat_schedule(A, 1, 0), std::invalid_argument);
  EXPECT_THROW(partition_bmat_items(Items(), 0), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Cuda
