// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/cuda/CondensedSchedule.hpp>

namespace Tessera::Cuda {
namespace {

template <class Offset>
void add_window(HostCondensedSchedule<Offset>& schedule, Ordinal window, Offset first, Offset last, int piece_tiles) {
  if (last - first <= static_cast<Offset>(piece_tiles)) {
    schedule.items.push_back({first, static_cast<int>(last - first), window, CondensedItem<Offset>::direct});
    return;
  }
  const int first_slot = schedule.slots;
  for (Offset tile = first; tile < last;) {
    const int tiles = static_cast<int>(std::min(last - tile, static_cast<Offset>(piece_tiles)));
    schedule.items.push_back({tile, tiles, window, schedule.slots++});
    tile += static_cast<Offset>(tiles);
  }
  schedule.sums.push_back({window, first_slot, schedule.slots - first_slot});
}

}  // namespace

template <class Offset>
HostCondensedSchedule<Offset> build_condensed_schedule(const Offset* window_offsets, Ordinal windows, int piece_tiles) {
  if (piece_tiles <= 0) {
    throw std::invalid_argument("build_condensed_schedule: piece_tiles = " + std::to_string(piece_tiles) + " <= 0");
  }
  HostCondensedSchedule<Offset> schedule;
  schedule.items.reserve(static_cast<std::size_t>(windows));
  for (Ordinal window = 0; window < windows; ++window) {
    add_window(schedule, window, window_offsets[window], window_offsets[window + 1], piece_tiles);
    if (schedule.items.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::length_error("build_condensed_schedule: more than 2^31 - 1 pieces of " + std::to_string(piece_tiles) +
                              " tiles");
    }
  }
  return schedule;
}

template HostCondensedSchedule<int> build_condensed_schedule(const int*, Ordinal, int);
template HostCondensedSchedule<std::size_t> build_condensed_schedule(const std::size_t*, Ordinal, int);

}  // namespace Tessera::Cuda
