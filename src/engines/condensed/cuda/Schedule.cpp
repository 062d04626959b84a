// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "condensed/cuda/Schedule.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "WindowCuts.hpp"

namespace Tessera::Impl::Cuda {

int condensed_piece_tiles(double tiles, const Device& device) {
  const double resident_warps = double(H200::resident_warps) * device.multiprocessors;
  constexpr int shortest = 32, longest = 64, step = 16;
  return static_cast<int>(std::clamp<double>(std::ceil(tiles / resident_warps / step) * step, shortest, longest));
}

HostCondensedSchedule build_condensed_schedule(const Offset* window_offsets, Ordinal windows, int piece_tiles,
                                               PieceCut cut) {
  if (piece_tiles <= 0) {
    throw std::invalid_argument("build_condensed_schedule: piece_tiles = " + std::to_string(piece_tiles) + " <= 0");
  }
  const WindowCuts cuts{window_offsets, windows, piece_tiles, cut};
  std::vector<ScheduleStart> starts(static_cast<std::size_t>(windows) + 1);
  for (Ordinal window = 0; window < windows; ++window) {
    starts[window + 1] = starts[window];
    starts[window + 1] += schedule_of_window(cuts.tiles(window), piece_tiles);
  }
  const ScheduleStart& all = starts.back();
  HostCondensedSchedule schedule;
  schedule.items.resize(expect_countable_items("build_condensed_schedule", all));
  schedule.sums.resize(static_cast<std::size_t>(all.sums));
  schedule.slots = all.slots(windows);
  for (Ordinal window = 0; window < windows; ++window)
    cuts.write(window, starts.data(), schedule.items.data(), schedule.sums.data());
  return schedule;
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
