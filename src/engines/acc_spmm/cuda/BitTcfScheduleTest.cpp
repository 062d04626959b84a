// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "acc_spmm/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {
namespace {

// Checks that items cover every tile once, in order, and that no block is too large. Returns the tiles of each block.
std::vector<Offset> expect_covered(const std::vector<Offset>& offsets, int block_tiles, BitTcfBalance balance) {
  const auto windows = static_cast<Ordinal>(offsets.size()) - 1;
  const auto schedule = build_bittcf_schedule(offsets.data(), windows, block_tiles, 8, balance);
  const auto& items = schedule.pieces.items;
  EXPECT_EQ(schedule.block_items.front(), 0);
  EXPECT_EQ(schedule.block_items.back(), static_cast<int>(items.size()));
  Offset next = offsets.front();
  Ordinal window = -1;
  std::vector<Offset> tiles_of_blocks;
  for (int b = 0; b < schedule.block_count(); ++b) {
    const int first = schedule.block_items[std::size_t(b)], last = schedule.block_items[std::size_t(b) + 1];
    EXPECT_LT(first, last);
    tiles_of_blocks.push_back(0);
    for (int i = first; i < last; ++i) {
      const auto& item = items[std::size_t(i)];
      EXPECT_EQ(item.first_tile, next);
      next += static_cast<Offset>(item.tiles);
      EXPECT_TRUE(item.window == window || item.window == window + 1);
      window = item.window;
      tiles_of_blocks.back() += static_cast<Offset>(item.tiles);
    }
    if (balance == BitTcfBalance::Always) {
      const double tiles = static_cast<double>(tiles_of_blocks.back());
      EXPECT_LE(tiles, block_tiles);
      EXPECT_LE(bittcf_block_time(tiles, last - first, 8), bittcf_block_time(block_tiles, 1, 8));
    } else {
      EXPECT_EQ(last - first, 1);
    }
  }
  EXPECT_EQ(next, offsets.back());
  EXPECT_EQ(window, windows - 1);
  return tiles_of_blocks;
}

TEST(BitTcfSchedule, BlocksCoverEachTileOnce) {
  for (const auto balance : {BitTcfBalance::Never, BitTcfBalance::Always}) {
    for (const int block_tiles : {1, 3, 4, 5, 32, 100}) {
      expect_covered({0, 4, 4, 9, 10, 30, 30}, block_tiles, balance);
      expect_covered({0, 3, 7, 12}, block_tiles, balance);
      expect_covered({0, 0, 0, 0}, block_tiles, balance);
      EXPECT_TRUE(expect_covered({0}, block_tiles, balance).empty());
    }
  }
}

TEST(BitTcfSchedule, WindowsAreCutAndJoined) {
  // A window of 100 tiles in 4 even pieces. Small windows are joined, up to the time of a window with 32 tiles.
  const std::vector<int> offsets{0, 100, 110, 120, 121, 122};
  EXPECT_EQ(expect_covered(offsets, 32, BitTcfBalance::Always), (std::vector<int>{25, 25, 25, 25, 22}));
  EXPECT_EQ(expect_covered(offsets, 32, BitTcfBalance::Never), (std::vector<int>{100, 10, 10, 1, 1}));
}

TEST(BitTcfSchedule, ImbalanceIsTheMeanDeviation) {
  const std::vector<int> even{0, 5, 10, 15}, uneven{0, 0, 40, 40, 80};
  EXPECT_EQ(tile_imbalance(even.data(), 3), 0);
  EXPECT_EQ(tile_imbalance(uneven.data(), 4), 20);
  EXPECT_EQ(tile_imbalance(uneven.data(), 0), 0);
}

TEST(BitTcfSchedule, BalancesWhereWindowsDiffer) {
  const auto blocks = [](const std::vector<int>& offsets) {
    return build_bittcf_schedule(offsets.data(), static_cast<Ordinal>(offsets.size()) - 1, 32, 4).block_count();
  };
  EXPECT_EQ(blocks({0, 40, 80, 120}), 3);        // equal lengths: a block for each window, although they are long
  EXPECT_EQ(blocks({0, 0, 0, 0, 160, 160}), 7);  // 5 blocks of pieces, and one of empty windows on either side
}

TEST(BitTcfSchedule, TimeGrowsWithTilesWindowsAndElements) {
  const double time = bittcf_block_time(10, 2, 4);
  EXPECT_GT(bittcf_block_time(11, 2, 4), time);
  EXPECT_GT(bittcf_block_time(10, 3, 4), time);
  EXPECT_GT(bittcf_block_time(10, 2, 8), time);
  EXPECT_DOUBLE_EQ(bittcf_block_time(20, 4, 4), 2 * time);
}

TEST(BitTcfSchedule, TilesOfABlock) {
  EXPECT_EQ(bittcf_block_tiles(0), 8);
  EXPECT_EQ(bittcf_block_tiles(18412), 9);  // the number of tiles of a band
  EXPECT_EQ(bittcf_block_tiles(1e9), 32);
  EXPECT_EQ(bittcf_block_tiles(18412, {.multiprocessors = 66}), 18);
}

TEST(BitTcfSchedule, RejectsBlocksOfNoTiles) {
  const std::vector<int> offsets{0, 4};
  EXPECT_THROW(build_bittcf_schedule(offsets.data(), 1, 0, 4), std::invalid_argument);
  EXPECT_THROW(build_bittcf_schedule(offsets.data(), 1, 4, 0), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Cuda
