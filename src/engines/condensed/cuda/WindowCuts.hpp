// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "condensed/cuda/Schedule.hpp"

/// @file
/// Finds where windows are cut, and where their pieces are in a schedule. Both builders of schedules call it for one
/// window at a time: build_condensed_schedule() on the host, Impl::schedule_windows() on any device.
namespace Tessera::Impl::Cuda {

/// The numbers of items and sums of all windows before a given one.
struct ScheduleStart {
  std::int64_t items = 0;
  Ordinal sums = 0;

  TESSERA_FUNCTION ScheduleStart& operator+=(const ScheduleStart& other) {
    items += other.items;
    sums += other.sums;
    return *this;
  }
  /// Returns the number of slots before `window`. Every item has a slot, except those of windows that are not split.
  TESSERA_FUNCTION int slots(Ordinal window) const { return static_cast<int>(items - (window - sums)); }
};

/// Returns the items and sums of a window with `tiles` tiles.
TESSERA_FUNCTION ScheduleStart schedule_of_window(Offset tiles, int piece_tiles) {
  const int pieces = pieces_of_window(tiles, piece_tiles);
  return {pieces, pieces > 1};
}

/// Returns the number of items of a schedule, given the total over all windows.
///
/// \throws std::length_error for more than 2^31 - 1
inline std::size_t expect_countable_items(const char* function, const ScheduleStart& all) {
  if (all.items > std::numeric_limits<int>::max())
    throw std::length_error(std::string(function) + ": " + std::to_string(all.items) +
                            " pieces, more than an int counts");
  return static_cast<std::size_t>(all.items);
}

/// Windows that are cut into items.
struct WindowCuts {
  const Offset* offsets = nullptr;  ///< the first tile of each window, then the number of tiles
  Ordinal windows = 0;              ///< number of windows
  int piece_tiles = 0;              ///< upper bound on the tiles of an item
  PieceCut cut = PieceCut::Even;    ///< where a window is cut

  /// Returns the number of tiles of a window.
  TESSERA_FUNCTION Offset tiles(Ordinal window) const { return offsets[window + 1] - offsets[window]; }

  /// Writes the items of a window, and its sum if it is split. starts[w] counts the items and sums of windows before w.
  TESSERA_FUNCTION void write(Ordinal window, const ScheduleStart* starts, CondensedItem* items,
                              CondensedSum* sums) const {
    const int pieces = pieces_of(starts, window), first_slot = starts[window].slots(window);
    if (pieces > 1) sums[starts[window].sums] = {window, first_slot, pieces};
    for (int p = 0; p < pieces; ++p) {
      const Offset begin = first_of_piece(window, pieces, p), end = first_of_piece(window, pieces, p + 1);
      items[place(window, starts, p)] = {offsets[window] + begin, static_cast<int>(end - begin), window,
                                         pieces == 1 ? CondensedItem::direct : first_slot + p};
    }
  }

 private:
  static TESSERA_FUNCTION int pieces_of(const ScheduleStart* starts, Ordinal window) {
    return static_cast<int>(starts[window + 1].items - starts[window].items);
  }
  TESSERA_FUNCTION Offset first_of_piece(Ordinal window, int pieces, int p) const {
    if (cut == PieceCut::Even) return first_of_even_piece(tiles(window), pieces, p);
    const Offset first = static_cast<Offset>(piece_tiles) * static_cast<Offset>(p);
    return first < tiles(window) ? first : tiles(window);
  }
  /// Returns the place of piece p among the items: after all pieces of its group of windows with lower numbers, and
  /// after the pieces p of earlier windows of the group.
  TESSERA_FUNCTION std::int64_t place(Ordinal window, const ScheduleStart* starts, int p) const {
    const Ordinal first = window / schedule_group_windows * schedule_group_windows;
    const Ordinal last = windows - first < schedule_group_windows ? windows : first + schedule_group_windows;
    std::int64_t place = starts[first].items;
    for (Ordinal w = first; w < last; ++w) {
      const int others = pieces_of(starts, w);
      place += others < p ? others : p;
      place += w < window && others > p;
    }
    return place;
  }
};

/// Whether put_longest_first() reorders items: the longest has more than 1.5 times the mean number of tiles.
inline bool lengths_differ(double most, double items, double tiles) { return 2 * most * items > 3 * tiles; }

}  // namespace Tessera::Impl::Cuda
