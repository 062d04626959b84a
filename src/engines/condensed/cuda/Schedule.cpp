// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "condensed/cuda/Schedule.hpp"

#include <algorithm>
#include <cmath>

#include "WindowCuts.hpp"

namespace Tessera::Impl::Cuda {

int condensed_piece_tiles(double tiles, const Device& device) {
  const double resident_warps = double(H200::resident_warps) * device.multiprocessors;
  constexpr int shortest = 32, longest = 64, step = 16;
  return static_cast<int>(std::clamp<double>(std::ceil(tiles / resident_warps / step) * step, shortest, longest));
}

HostCondensedSchedule build_condensed_schedule(const Offset* window_offsets, Ordinal windows, int piece_tiles,
                                               PieceCut cut) {
  return build_window_schedule("build_condensed_schedule", WindowCuts{window_offsets, windows, piece_tiles, cut});
}

void put_longest_first(std::vector<CondensedItem>& items) {
  double tiles = 0, most = 0;
  for (const auto& item : items) {
    tiles += item.tiles;
    most = std::max<double>(most, item.tiles);
  }
  if (!lengths_differ(most, static_cast<double>(items.size()), tiles)) return;
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.tiles > b.tiles; });
}

}  // namespace Tessera::Impl::Cuda
