// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sorted_columns/cuda/Schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>

namespace Tessera::Impl::Cuda {
namespace {

void add_step_positions(const SortedColumnsPattern& A, HostSortedColumnsSchedule& schedule) {
  for (Offset block = 0; block < A.blocks; ++block) {
    const Offset steps = (A.block_offsets[block + 1] - A.block_offsets[block]) / static_cast<Offset>(A.width);
    schedule.step_positions.insert(schedule.step_positions.end(), static_cast<std::size_t>(steps),
                                   A.block_positions[block]);
  }
}

/// Sorts a group (elements first, ..., last - 1) by row, ends its segments, and appends the rows of the segments.
void add_group(const SortedColumnsPattern& A, Offset first, Offset last, SegmentRule rule,
               HostSortedColumnsSchedule& schedule, std::vector<Ordinal>& segment_rows) {
  // Keys have rows in the high bits and elements in the low bits, so all are different.
  std::vector<std::uint64_t> keys;
  for (Offset i = first; i < last; ++i) {
    keys.push_back((static_cast<std::uint64_t>(A.row_indices[i]) << 16) + static_cast<std::uint64_t>(i - first));
  }
  if (rule == SegmentRule::Rows) std::sort(keys.begin(), keys.end());
  for (std::size_t place = 0; place < keys.size(); ++place) {
    schedule.places[static_cast<std::size_t>(first) + (keys[place] & 0xffff)] = static_cast<std::uint16_t>(place);
    const bool ends =
        rule == SegmentRule::Elements || place + 1 == keys.size() || keys[place] >> 16 != keys[place + 1] >> 16;
    if (!ends) continue;
    schedule.segment_ends.push_back(static_cast<std::uint16_t>(place + 1));
    segment_rows.push_back(static_cast<Ordinal>(keys[place] >> 16));
  }
  schedule.group_segments.push_back(static_cast<Offset>(schedule.segment_ends.size()));
}

/// Sorts the slots by row. `rows` has the row of each segment, then of each irregular element.
void sort_slots(const SortedColumnsPattern& A, const std::vector<Ordinal>& rows, HostSortedColumnsSchedule& schedule) {
  std::vector<Offset>& first = schedule.row_offsets;
  first.assign(static_cast<std::size_t>(A.rows) + 1, 0);
  for (const Ordinal row : rows) ++first[static_cast<std::size_t>(row) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Offset> next(first.begin(), first.end() - 1);
  schedule.row_slots.resize(rows.size());
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    Offset& place = next[static_cast<std::size_t>(rows[slot])];
    schedule.row_slots[static_cast<std::size_t>(place++)] = static_cast<Offset>(slot);
  }
  for (Ordinal row = 0; row < A.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (first[i + 1] - first[i] > static_cast<Offset>(sorted_columns_long_row_slots)) schedule.long_rows.push_back(row);
  }
}

}  // namespace

SortedColumnsSchedule HostSortedColumnsSchedule::view() const {
  SortedColumnsSchedule schedule;
  schedule.group_steps = group_steps;
  schedule.groups = static_cast<Offset>(group_segments.size() - 1);
  schedule.segments = group_segments.back();
  schedule.slot_count = static_cast<Offset>(row_slots.size());
  schedule.long_row_count = static_cast<Ordinal>(long_rows.size());
  schedule.step_positions = step_positions.data();
  schedule.places = places.empty() ? nullptr : places.data();
  schedule.group_segments = group_segments.data();
  schedule.segment_ends = segment_ends.data();
  schedule.row_offsets = row_offsets.data();
  schedule.row_slots = row_slots.data();
  schedule.long_rows = long_rows.data();
  return schedule;
}

int sorted_columns_group_steps(Ordinal width) { return std::clamp(2048 / std::max(width, 1), 1, 64); }

HostSortedColumnsSchedule build_sorted_columns_schedule(const SortedColumnsPattern& A, int group_steps,
                                                        SegmentRule rule) {
  if (group_steps <= 0) {
    throw std::invalid_argument("build_sorted_columns_schedule: groups of " + std::to_string(group_steps) + " steps");
  }
  const std::size_t size = static_cast<std::size_t>(group_steps) * static_cast<std::size_t>(A.width);
  if (A.blocks > 0 && size > static_cast<std::size_t>(sorted_columns_most_elements)) {
    throw std::length_error("build_sorted_columns_schedule: groups of " + std::to_string(group_steps) + " steps of " +
                            std::to_string(A.width) + " columns, more than " +
                            std::to_string(sorted_columns_most_elements) + " elements");
  }
  HostSortedColumnsSchedule schedule;
  schedule.group_steps = group_steps;
  add_step_positions(A, schedule);
  schedule.places.resize(static_cast<std::size_t>(A.regular));
  std::vector<Ordinal> rows;
  for (Offset first = 0; first < A.regular;) {
    const Offset last = A.regular - first > static_cast<Offset>(size) ? first + static_cast<Offset>(size) : A.regular;
    add_group(A, first, last, rule, schedule, rows);
    first = last;
  }
  const Offset end = A.pieces > 0 ? A.piece_offsets[A.pieces] : A.regular;
  rows.insert(rows.end(), A.row_indices + A.regular, A.row_indices + end);
  sort_slots(A, rows, schedule);
  if (group_steps == A.steps_of_set && rule == SegmentRule::Rows) schedule.places = {};
  return schedule;
}

}  // namespace Tessera::Impl::Cuda
