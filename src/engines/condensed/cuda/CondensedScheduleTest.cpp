// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {
namespace {

/// Checks that each tile is in one item of its window, that the slots of a split window have the order of its tiles,
/// and that no item has more tiles than a piece.
void expect_covered(const std::vector<Offset>& offsets, int piece_tiles, PieceCut cut) {
  const int windows = static_cast<int>(offsets.size()) - 1;
  const auto schedule = build_condensed_schedule(offsets.data(), windows, piece_tiles, cut);
  std::vector<int> covered(static_cast<std::size_t>(offsets.back()), 0), items_of(std::size_t(windows), 0);
  std::vector<Offset> slot_tiles(std::size_t(schedule.slots), 0);
  std::vector<int> slot_windows(std::size_t(schedule.slots), -1);
  for (const auto& item : schedule.items) {
    const auto w = std::size_t(item.window);
    ++items_of[w];
    EXPECT_LE(item.tiles, piece_tiles);
    if (cut == PieceCut::Full) {
      EXPECT_EQ((item.first_tile - offsets[w]) % Offset(piece_tiles), 0);
    }
    EXPECT_GE(item.first_tile, offsets[w]);
    EXPECT_LE(item.first_tile + item.tiles, offsets[w + 1]);
    for (int t = 0; t < item.tiles; ++t) ++covered[std::size_t(item.first_tile) + std::size_t(t)];
    if (item.slot == CondensedItem::direct) {
      EXPECT_EQ(item.tiles, offsets[w + 1] - offsets[w]);
    } else {
      slot_tiles[std::size_t(item.slot)] = item.first_tile;
      slot_windows[std::size_t(item.slot)] = item.window;
    }
  }
  for (const int times : covered) EXPECT_EQ(times, 1);
  for (const int times : items_of) EXPECT_GE(times, 1);  // empty windows also have an item, for beta Y
  int slots = 0;
  for (const auto& sum : schedule.sums) {
    EXPECT_EQ(sum.slots, items_of[std::size_t(sum.window)]);
    for (int s = sum.first_slot; s < sum.first_slot + sum.slots; ++s, ++slots) {
      EXPECT_EQ(slot_windows[std::size_t(s)], sum.window);
      if (s > sum.first_slot) {
        EXPECT_GT(slot_tiles[std::size_t(s)], slot_tiles[std::size_t(s) - 1]);
      }
    }
  }
  EXPECT_EQ(slots, schedule.slots);
}

TEST(CondensedSchedule, CoversEachTileOnceInPieces) {
  for (const PieceCut cut : {PieceCut::Even, PieceCut::Full}) {
    for (const int piece : {1, 3, 4, 5, 100}) {
      expect_covered({0, 4, 4, 9, 10, 30, 30}, piece, cut);
      expect_covered({0, 3, 7, 12}, piece, cut);
    }
    expect_covered({0}, 4, cut);
  }
}

/// In each group of windows: all first pieces, then all second ones, and so on, in the order of windows.
TEST(CondensedSchedule, PiecesWithTheSameNumberAreAdjacent) {
  constexpr int piece = 4, windows = 2 * schedule_group_windows + 5;
  std::vector<Offset> offsets{0};
  for (int w = 0; w < windows; ++w) offsets.push_back(offsets.back() + (w % 7 == 5 ? 31 : w % 11));
  std::vector<std::pair<int, Offset>> expected, made;  // window and first tile
  for (int first = 0; first < windows; first += schedule_group_windows) {
    for (int p = 0; p < 8; ++p) {
      for (int w = first; w < std::min(windows, first + schedule_group_windows); ++w) {
        const Offset tiles = offsets[w + 1] - offsets[w];
        if (p == 0 || p * piece < tiles) expected.emplace_back(w, offsets[w] + p * piece);
      }
    }
  }
  for (const auto& item : build_condensed_schedule(offsets.data(), windows, piece, PieceCut::Full).items)
    made.emplace_back(item.window, item.first_tile);
  EXPECT_EQ(made, expected);
}

TEST(CondensedSchedule, RejectsPiecesOfNoTiles) {
  const std::vector<int> offsets{0, 4};
  EXPECT_THROW(build_condensed_schedule(offsets.data(), 1, 0), std::invalid_argument);
}

TEST(CondensedSchedule, PiecesOfMeasuredMatrices) {
  EXPECT_EQ(condensed_piece_tiles(0), 32);
  EXPECT_EQ(condensed_piece_tiles(18412), 32);   // the number of tiles of a band
  EXPECT_EQ(condensed_piece_tiles(174472), 48);  // the number of tiles of a dense graph with few rows
  EXPECT_EQ(condensed_piece_tiles(416888), 64);  // the number of tiles of a finite element mesh
  EXPECT_EQ(condensed_piece_tiles(1e12), 64);
}

TEST(CondensedSchedule, PiecesOfSmallerDevicesAreLonger) {
  EXPECT_EQ(condensed_piece_tiles(174472, {.multiprocessors = 132}), 48);
  EXPECT_EQ(condensed_piece_tiles(174472, {.multiprocessors = 108}), 64);
}

TEST(CondensedSchedule, LongItemsComeFirstWhereTheyDiffer) {
  const auto windows_of = [](std::vector<CondensedItem> items) {
    put_longest_first(items);
    std::vector<int> windows;
    for (const auto& item : items) windows.push_back(item.window);
    return windows;
  };
  EXPECT_EQ(windows_of({{0, 2, 0, -1}, {2, 3, 1, -1}, {5, 2, 2, -1}}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(windows_of({{0, 2, 0, -1}, {2, 9, 1, -1}, {11, 2, 2, -1}, {13, 5, 3, -1}}), (std::vector<int>{1, 3, 0, 2}));
  EXPECT_TRUE(windows_of({}).empty());
}

}  // namespace
}  // namespace Tessera::Impl::Cuda
