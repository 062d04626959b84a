// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "acc_spmm/cuda/Schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

namespace Tessera::Impl::Cuda {
namespace {

constexpr double tile_rows = 8, tile_columns = 8;

// Sorts items by window, then by tile, so tiles of adjacent items are adjacent.
void put_in_order_of_tiles(std::vector<CondensedItem>& items) {
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return std::tie(a.window, a.first_tile) < std::tie(b.window, b.first_tile);
  });
}

// Joins adjacent items into blocks within the limits on tiles and time.
std::vector<int> joined_items(const std::vector<CondensedItem>& items, int block_tiles, int scalar_bytes) {
  const double longest_time = bittcf_block_time(block_tiles, 1, scalar_bytes);
  std::vector<int> block_items = {0};
  double tiles = 0, windows = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    tiles += items[i].tiles;
    windows += 1;
    const bool is_full = tiles > block_tiles || bittcf_block_time(tiles, windows, scalar_bytes) > longest_time;
    if (!is_full || windows == 1) continue;
    block_items.push_back(static_cast<int>(i));
    tiles = items[i].tiles;
    windows = 1;
  }
  if (!items.empty()) block_items.push_back(static_cast<int>(items.size()));
  return block_items;
}

std::vector<int> single_items(std::size_t count) {
  std::vector<int> block_items(count + 1);
  for (std::size_t i = 0; i <= count; ++i) block_items[i] = static_cast<int>(i);
  return block_items;
}

}  // namespace

double tile_imbalance(const Offset* window_offsets, Ordinal windows) {
  if (windows == 0) return 0;
  const double mean = static_cast<double>(window_offsets[windows] - window_offsets[0]) / windows;
  double deviation = 0;
  for (Ordinal window = 0; window < windows; ++window) {
    deviation += std::abs(static_cast<double>(window_offsets[window + 1] - window_offsets[window]) - mean);
  }
  return deviation / windows;
}

double bittcf_block_time(double tiles, double windows, int scalar_bytes) {
  const double load = tile_columns * scalar_bytes * tiles / H200::memory_rate;
  const double multiply =
      tile_rows * (2 * tile_columns - 1) * tiles / (scalar_bytes > 4 ? H200::fp64_rate : H200::tf32_rate);
  const double write_back = tile_rows * scalar_bytes * windows / H200::memory_rate;
  return load + multiply + write_back;
}

int bittcf_block_tiles(double tiles, const Device& device) {
  const double resident_blocks = 16. * device.multiprocessors;
  constexpr double fewest = 8, most = 32;
  return static_cast<int>(std::clamp(std::ceil(tiles / resident_blocks), fewest, most));
}

HostBitTcfSchedule build_bittcf_schedule(const Offset* window_offsets, Ordinal windows, int block_tiles,
                                         int scalar_bytes, BitTcfBalance balance) {
  if (block_tiles <= 0 || scalar_bytes <= 0) {
    throw std::invalid_argument("build_bittcf_schedule: block_tiles = " + std::to_string(block_tiles) +
                                ", scalar_bytes = " + std::to_string(scalar_bytes) + ", not both > 0");
  }
  const bool is_balanced =
      balance == BitTcfBalance::Always ||
      (balance == BitTcfBalance::Adaptive && tile_imbalance(window_offsets, windows) > balanced_imbalance);
  HostBitTcfSchedule schedule;
  schedule.pieces =
      build_condensed_schedule(window_offsets, windows, is_balanced ? block_tiles : std::numeric_limits<int>::max());
  put_in_order_of_tiles(schedule.pieces.items);
  schedule.block_items = is_balanced ? joined_items(schedule.pieces.items, block_tiles, scalar_bytes)
                                     : single_items(schedule.pieces.items.size());
  return schedule;
}

}  // namespace Tessera::Impl::Cuda
