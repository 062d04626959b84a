// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "condensed/cuda/Schedule.hpp"

/// @file
/// Finds where windows are cut, and where their pieces are in a schedule. Both builders of schedules call it for one
/// piece at a time: build_window_schedule() on the host, Impl::schedule_windows() on any device.
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

/// Windows of condensed tiles, and how they are cut into items. Other windows can be scheduled by a type with the
/// members Item, windows, piece_tiles, tiles() and piece().
struct WindowCuts {
  using Item = CondensedItem;  ///< the type of items

  const Offset* offsets = nullptr;  ///< the first tile of each window, then the number of tiles
  Ordinal windows = 0;              ///< number of windows
  int piece_tiles = 0;              ///< upper bound on the tiles of an item
  PieceCut cut = PieceCut::Even;    ///< where a window is cut

  /// Returns the number of tiles of a window.
  TESSERA_FUNCTION Offset tiles(Ordinal window) const { return offsets[window + 1] - offsets[window]; }

  /// Returns piece p of a window that is cut into `pieces` pieces, without a slot.
  TESSERA_FUNCTION CondensedItem piece(Ordinal window, int pieces, int p) const {
    const Offset begin = first_of_piece(window, pieces, p), end = first_of_piece(window, pieces, p + 1);
    return {offsets[window] + begin, static_cast<int>(end - begin), window, CondensedItem::direct};
  }

 private:
  TESSERA_FUNCTION Offset first_of_piece(Ordinal window, int pieces, int p) const {
    if (cut == PieceCut::Even) return first_of_even_piece(tiles(window), pieces, p);
    const Offset first = static_cast<Offset>(piece_tiles) * static_cast<Offset>(p);
    return first < tiles(window) ? first : tiles(window);
  }
};

/// A schedule that is being written. The arrays have as many elements as starts[windows] counts.
template <class Cuts>
struct ScheduleWriter {
  Cuts cuts;                              ///< the windows
  const ScheduleStart* starts = nullptr;  ///< windows + 1 elements: the items and sums before each window, and all
  typename Cuts::Item* items = nullptr;   ///< gets the items
  CondensedSum* sums = nullptr;           ///< gets the windows that are split

  /// Returns the number of pieces of a window.
  TESSERA_FUNCTION int pieces_of(Ordinal window) const {
    return static_cast<int>(starts[window + 1].items - starts[window].items);
  }
  /// Writes piece p of a window. With the first piece of a window that is split, writes the window's sum.
  TESSERA_FUNCTION void write(Ordinal window, int p) const {
    const ScheduleStart start = starts[window];
    const int pieces = pieces_of(window), first_slot = start.slots(window);
    typename Cuts::Item item = cuts.piece(window, pieces, p);
    if (pieces > 1) item.slot = first_slot + p;
    items[place(window, p)] = item;
    if (pieces > 1 && p == 0) sums[start.sums] = {window, first_slot, pieces};
  }
  /// Writes the i-th piece of all windows.
  TESSERA_FUNCTION void write(std::int64_t i) const {
    const Ordinal window = window_of(i);
    write(window, static_cast<int>(i - starts[window].items));
  }

 private:
  /// Returns the window of the i-th piece by bisection. Each window has a piece, so few are searched if few are split.
  TESSERA_FUNCTION Ordinal window_of(std::int64_t i) const {
    const std::int64_t earliest = i - (starts[cuts.windows].items - cuts.windows);
    Ordinal first = static_cast<Ordinal>(earliest > 0 ? earliest : 0);
    Ordinal end = static_cast<Ordinal>(i < cuts.windows ? i + 1 : cuts.windows);
    while (end - first > 1) {
      const Ordinal middle = first + (end - first) / 2;
      (starts[middle].items <= i ? first : end) = middle;
    }
    return first;
  }
  /// Returns the place of piece p of a window among the items: after all pieces of its group of windows with lower
  /// numbers, and after the pieces p of earlier windows of the group.
  TESSERA_FUNCTION std::int64_t place(Ordinal window, int p) const {
    const Ordinal first = window / schedule_group_windows * schedule_group_windows;
    const Ordinal last = cuts.windows - first < schedule_group_windows ? cuts.windows : first + schedule_group_windows;
    std::int64_t place = starts[first].items;
    for (Ordinal w = first; w < last; ++w) {
      const int others = pieces_of(w);
      place += others < p ? others : p;
      place += w < window && others > p;
    }
    return place;
  }
};

/// Builds a schedule on the host, of windows in host memory.
///
/// \throws std::invalid_argument for cuts.piece_tiles <= 0, std::length_error for more than 2^31 - 1 items
template <class Cuts>
HostWindowSchedule<typename Cuts::Item> build_window_schedule(const char* function, const Cuts& cuts) {
  if (cuts.piece_tiles <= 0)
    throw std::invalid_argument(std::string(function) + ": piece_tiles = " + std::to_string(cuts.piece_tiles) +
                                " <= 0");
  std::vector<ScheduleStart> starts(static_cast<std::size_t>(cuts.windows) + 1);
  for (Ordinal window = 0; window < cuts.windows; ++window) {
    starts[window + 1] = starts[window];
    starts[window + 1] += schedule_of_window(cuts.tiles(window), cuts.piece_tiles);
  }
  const ScheduleStart& all = starts.back();
  HostWindowSchedule<typename Cuts::Item> schedule;
  schedule.items.resize(expect_countable_items(function, all));
  schedule.sums.resize(static_cast<std::size_t>(all.sums));
  schedule.slots = all.slots(cuts.windows);
  const ScheduleWriter<Cuts> writer{cuts, starts.data(), schedule.items.data(), schedule.sums.data()};
  for (Ordinal window = 0; window < cuts.windows; ++window)
    for (int p = 0; p < writer.pieces_of(window); ++p) writer.write(window, p);
  return schedule;
}

/// Whether put_longest_first() reorders items: the longest has more than 1.5 times the mean number of tiles.
inline bool lengths_differ(double most, double items, double tiles) { return 2 * most * items > 3 * tiles; }

}  // namespace Tessera::Impl::Cuda
