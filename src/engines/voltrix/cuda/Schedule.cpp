// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "voltrix/cuda/Schedule.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace Tessera::Impl::Cuda {
namespace {

// Returns the point at a fraction of an item, or a nearby end of the item.
BmatPoint snapped(int item, double fraction) {
  constexpr double near = 0.125;
  if (fraction < near) return {item, 0};
  if (fraction > 1 - near) return {item + 1, 0};
  return {item, static_cast<unsigned>(fraction * (1 << BmatPoint::fraction_bits))};
}

}  // namespace

std::vector<BmatPoint> partition_bmat_items(const std::vector<BmatItem>& items, int parts, BmatCost cost) {
  if (parts <= 0) throw std::invalid_argument("partition_bmat_items: parts = " + std::to_string(parts) + " <= 0");
  double all = 0;
  for (const BmatItem& item : items) all += item.tiles + cost.window;

  std::vector<BmatPoint> points = {{0, 0}};
  double before = 0;  // cost of the items before this one
  int part = 1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double own = items[i].tiles + cost.window;
    for (; part < parts && all * part / parts < before + own; ++part) {
      points.push_back(snapped(static_cast<int>(i), (all * part / parts - before) / own));
    }
    before += own;
  }
  // Adds the last point, and replaces points that rounding errors moved beyond the last item.
  points.resize(static_cast<std::size_t>(parts) + 1, {static_cast<int>(items.size()), 0});
  return points;
}

double dealt_bmat_imbalance(const std::vector<BmatItem>& items, int blocks, BmatCost cost) {
  if (blocks <= 0) throw std::invalid_argument("dealt_bmat_imbalance: blocks = " + std::to_string(blocks) + " <= 0");
  std::vector<double> dealt(static_cast<std::size_t>(blocks), 0);
  double all = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double own = items[i].tiles + cost.window;
    dealt[i % dealt.size()] += own;
    all += own;
  }
  return all == 0 ? 1 : *std::max_element(dealt.begin(), dealt.end()) * blocks / all;
}

HostBmatSchedule build_bmat_schedule(const BmatWords& A, int piece_tiles, int multiprocessors, BmatPartition partition,
                                     BmatCost cost) {
  if (multiprocessors <= 0) {
    throw std::invalid_argument("build_bmat_schedule: multiprocessors = " + std::to_string(multiprocessors) + " <= 0");
  }
  auto pieces = build_condensed_schedule(A.window_offsets, A.windows(), piece_tiles);
  HostBmatSchedule schedule;
  schedule.items.reserve(pieces.items.size());
  for (const CondensedItem& item : pieces.items)
    schedule.items.push_back({item.first_tile, A.tile_offsets[item.first_tile], item.tiles, item.window, item.slot});
  schedule.sums = std::move(pieces.sums);
  schedule.slots = pieces.slots;
  constexpr double most_imbalance = 1.2;
  constexpr int usual_blocks = 4;  // blocks of a multiprocessor
  const bool is_dealt = partition == BmatPartition::Dealt ||
                        (partition == BmatPartition::Best &&
                         dealt_bmat_imbalance(schedule.items, usual_blocks * multiprocessors, cost) <= most_imbalance);
  if (is_dealt) return schedule;
  schedule.points = partition_bmat_items(schedule.items, multiprocessors * bmat_parts_per_multiprocessor, cost);
  return schedule;
}

}  // namespace Tessera::Impl::Cuda
