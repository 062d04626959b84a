// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "row_groups/cuda/Schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace Tessera::Impl::Cuda {

int row_groups_piece_columns(double columns, double longest, double row_bytes, const Device& device) {
  // Each resident group of lanes gets four items of at least 128 columns, or one shorter item if there is less work. A
  // multiprocessor has about 512 resident lanes with 32 bytes of X each.
  constexpr double items = 4, lane_bytes = 32, resident_lanes = 512, most_pieces = 128;
  constexpr double short_items = 0.625;  // measured on small matrices
  const double work = columns * row_bytes / (lane_bytes * resident_lanes * device.multiprocessors);  // per lane
  int length = row_groups_least_piece;
  while (length < 128 && (work >= short_items * length || longest > most_pieces * length)) length *= 2;
  while (length < 512 && (work >= items * 2 * length || longest > most_pieces * length)) length *= 2;
  return length;
}

bool row_groups_are_countable(std::size_t columns, std::size_t values) {
  constexpr std::size_t most = std::size_t(std::numeric_limits<std::uint32_t>::max()) * 4;
  return columns <= most && values <= most;
}

HostRowGroupsSchedule build_row_groups_schedule(const RowGroupsPattern& A, int piece_columns) {
  if (piece_columns <= 0 || piece_columns % A.alignment != 0) {
    throw std::invalid_argument("build_row_groups_schedule: piece_columns is " + std::to_string(piece_columns) +
                                "; expected a positive multiple of 4");
  }
  HostRowGroupsSchedule schedule;
  std::vector<std::pair<std::uint64_t, RowGroupItem>> items;
  for (Ordinal group = 0; group < A.groups; ++group) {
    const int pieces = items_of_group(A, group, piece_columns);
    if (items.size() + std::size_t(pieces) > std::size_t(std::numeric_limits<int>::max()))
      throw std::length_error("build_row_groups_schedule: more pieces than an int counts");
    for (int p = 0; p < pieces; ++p) {
      const RowGroupItem item = item_of_group(A, group, pieces, p, schedule.slots);
      items.emplace_back(row_groups_sort_key(item, group), item);
    }
    if (pieces == 1) continue;
    schedule.sums.push_back({A.first_rows[group], A.height(group), schedule.slots, pieces});
    schedule.slots += pieces;
  }
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& item : items) schedule.items.push_back(item.second);
  return schedule;
}

}  // namespace Tessera::Impl::Cuda
