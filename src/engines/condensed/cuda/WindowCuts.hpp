// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "condensed/cuda/Schedule.hpp"

/// @file
/// Where windows are cut, and where their pieces stand in a schedule. Both builders of schedules call this, for one
/// window at a time: build_condensed_schedule() on the host, Impl::schedule_windows() on any device.
namespace Tessera::Cuda {

/// How much of a schedule the windows before one take.
struct ScheduleStart {
  std::int64_t items = 0;
  Ordinal sums = 0;

  TESSERA_FUNCTION ScheduleStart& operator+=(const ScheduleStart& other) {
    items += other.items;
    sums += other.sums;
    return *this;
  }
  /// The number of slots before `window`. Only a window that is not split has an item without a slot.
  TESSERA_FUNCTION int slots(Ordinal window) const { return static_cast<int>(items - (window - sums)); }
};

/// What a window with `tiles` tiles adds to a ScheduleStart.
TESSERA_FUNCTION ScheduleStart schedule_of_window(Offset tiles, int piece_tiles) {
  const int pieces = pieces_of_window(tiles, piece_tiles);
  return {pieces, pieces > 1};
}

/// The number of items of a schedule, from what all windows take.
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
  const Offset* offsets = nullptr;  ///< the first tile of each window, and the end
  Ordinal windows = 0;              ///< number of windows
  int piece_tiles = 0;              ///< the most tiles of an item
  PieceCut cut = PieceCut::Even;    ///< where a window is cut

  /// The number of tiles of a window.
  TESSERA_FUNCTION Offset tiles(Ordinal window) const { return offsets[window + 1] - offsets[window]; }

  /// Writes the items of a window, and its sum if it is split. starts[w] is what the windows before w take.
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
  /// The place of piece p: after all pieces of its group with lower numbers, and after the pieces p of the windows
  /// before it.
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

/// Whether put_longest_first() changes the order of items: if the longest has far more tiles than the mean.
inline bool lengths_differ(double most, double items, double tiles) { return 2 * most * items > 3 * tiles; }

}  // namespace Tessera::Cuda
