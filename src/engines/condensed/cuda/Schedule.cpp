// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "condensed/cuda/Schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace Tessera::Cuda {
namespace {

struct PieceRule {
  int tiles;  // the most tiles of a piece
  PieceCut cut;
};

// The first tile of piece p of a window with `tiles` tiles in `pieces` pieces.
template <class Offset>
Offset first_of_piece(Offset tiles, int pieces, int p, const PieceRule& rule) {
  if (rule.cut == PieceCut::Full) return std::min(tiles, static_cast<Offset>(rule.tiles) * static_cast<Offset>(p));
  return first_of_even_piece(tiles, pieces, p);
}

// Adds the items of a group of windows, ordered by the number of the piece, then by window.
template <class Offset>
void add_group(HostCondensedSchedule<Offset>& schedule, const Offset* offsets, Ordinal first, Ordinal last,
               const PieceRule& rule) {
  std::vector<int> pieces, first_slots;
  for (Ordinal window = first; window < last; ++window) {
    pieces.push_back(pieces_of_window(offsets[window + 1] - offsets[window], rule.tiles));
    first_slots.push_back(schedule.slots);
    if (pieces.back() == 1) continue;
    schedule.sums.push_back({window, schedule.slots, pieces.back()});
    schedule.slots += pieces.back();
  }
  const int most = *std::max_element(pieces.begin(), pieces.end());
  for (int p = 0; p < most; ++p) {
    for (Ordinal window = first; window < last; ++window) {
      const int count = pieces[window - first];
      if (p >= count) continue;
      const Offset tiles = offsets[window + 1] - offsets[window];
      const Offset begin = first_of_piece(tiles, count, p, rule);
      const Offset end = first_of_piece(tiles, count, p + 1, rule);
      schedule.items.push_back({offsets[window] + begin, static_cast<int>(end - begin), window,
                                count == 1 ? CondensedItem<Offset>::direct : first_slots[window - first] + p});
    }
  }
}

}  // namespace

int condensed_piece_tiles(double tiles, const Device& device) {
  const double resident_warps = double(H200::resident_warps) * device.multiprocessors;
  constexpr int shortest = 32, longest = 64, step = 16;
  return static_cast<int>(std::clamp<double>(std::ceil(tiles / resident_warps / step) * step, shortest, longest));
}

template <class Offset>
HostCondensedSchedule<Offset> build_condensed_schedule(const Offset* window_offsets, Ordinal windows, int piece_tiles,
                                                       PieceCut cut) {
  if (piece_tiles <= 0) {
    throw std::invalid_argument("build_condensed_schedule: piece_tiles = " + std::to_string(piece_tiles) + " <= 0");
  }
  HostCondensedSchedule<Offset> schedule;
  schedule.items.reserve(static_cast<std::size_t>(windows));
  for (Ordinal first = 0; first < windows; first += std::min(schedule_group_windows, windows - first)) {
    add_group(schedule, window_offsets, first, first + std::min(schedule_group_windows, windows - first),
              {piece_tiles, cut});
    if (schedule.items.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::length_error("build_condensed_schedule: more than 2^31 - 1 pieces of " + std::to_string(piece_tiles) +
                              " tiles");
    }
  }
  return schedule;
}

template <class Offset>
void put_longest_first(std::vector<CondensedItem<Offset>>& items) {
  double tiles = 0, most = 0;
  for (const auto& item : items) {
    tiles += item.tiles;
    most = std::max<double>(most, item.tiles);
  }
  if (2 * most * static_cast<double>(items.size()) <= 3 * tiles) return;
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.tiles > b.tiles; });
}

template void put_longest_first(std::vector<CondensedItem<int>>&);
template void put_longest_first(std::vector<CondensedItem<std::size_t>>&);
template HostCondensedSchedule<int> build_condensed_schedule(const int*, Ordinal, int, PieceCut);
template HostCondensedSchedule<std::size_t> build_condensed_schedule(const std::size_t*, Ordinal, int, PieceCut);

}  // namespace Tessera::Cuda
