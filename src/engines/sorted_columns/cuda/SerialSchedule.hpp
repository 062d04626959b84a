// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sorted_columns/cuda/Schedule.hpp"

namespace Tessera::Impl::Test {

/// The arrays of a schedule, in host memory.
struct HostColumnsSchedule {
  int group_steps = 0;                       ///< steps of a group
  std::vector<Ordinal> step_positions;       ///< see SortedColumnsSchedule
  std::vector<std::uint16_t> places;         ///< see SortedColumnsSchedule
  std::vector<std::uint16_t> segment_ends;   ///< see SortedColumnsSchedule
  std::vector<Offset> group_segments = {0};  ///< see SortedColumnsSchedule
  std::vector<Offset> row_offsets;           ///< see SortedColumnsSchedule
  std::vector<Offset> row_slots;             ///< see SortedColumnsSchedule
  std::vector<Ordinal> long_rows;            ///< see SortedColumnsSchedule

  /// Returns a schedule whose arrays are in host memory.
  Cuda::SortedColumnsSchedule view() const {
    Cuda::SortedColumnsSchedule schedule;
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
};

inline void add_step_positions(const SortedColumnsPattern& A, HostColumnsSchedule& schedule) {
  for (Offset block = 0; block < A.blocks; ++block) {
    const Offset steps = (A.block_offsets[block + 1] - A.block_offsets[block]) / static_cast<Offset>(A.width);
    schedule.step_positions.insert(schedule.step_positions.end(), static_cast<std::size_t>(steps),
                                   A.block_positions[block]);
  }
}

/// Sorts a group (elements first, ..., last - 1) by row, ends its segments, and appends the rows of the segments.
inline void add_group(const SortedColumnsPattern& A, Offset first, Offset last, Cuda::SegmentRule rule,
                      HostColumnsSchedule& schedule, std::vector<Ordinal>& segment_rows) {
  // Keys have rows in the high bits and elements in the low bits, so all are different.
  std::vector<std::uint64_t> keys;
  for (Offset i = first; i < last; ++i) {
    keys.push_back((static_cast<std::uint64_t>(A.row_indices[i]) << 16) + static_cast<std::uint64_t>(i - first));
  }
  if (rule == Cuda::SegmentRule::Rows) std::sort(keys.begin(), keys.end());
  for (std::size_t place = 0; place < keys.size(); ++place) {
    schedule.places[static_cast<std::size_t>(first) + (keys[place] & 0xffff)] = static_cast<std::uint16_t>(place);
    const bool ends =
        rule == Cuda::SegmentRule::Elements || place + 1 == keys.size() || keys[place] >> 16 != keys[place + 1] >> 16;
    if (!ends) continue;
    schedule.segment_ends.push_back(static_cast<std::uint16_t>(place + 1));
    segment_rows.push_back(static_cast<Ordinal>(keys[place] >> 16));
  }
  schedule.group_segments.push_back(static_cast<Offset>(schedule.segment_ends.size()));
}

/// Sorts the slots by row. `rows` has the row of each segment, then of each irregular element.
inline void sort_slots(const SortedColumnsPattern& A, const std::vector<Ordinal>& rows, HostColumnsSchedule& schedule) {
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
    if (first[i + 1] - first[i] > static_cast<Offset>(Cuda::sorted_columns_long_row_slots))
      schedule.long_rows.push_back(row);
  }
}

/// Builds a schedule group by group from a pattern in host memory; position_indices and segment_lengths are not read.
inline HostColumnsSchedule serial_columns_schedule(const SortedColumnsPattern& A, int group_steps,
                                                   Cuda::SegmentRule rule = Cuda::SegmentRule::Rows) {
  HostColumnsSchedule schedule;
  const std::size_t size = static_cast<std::size_t>(group_steps) * static_cast<std::size_t>(A.width);
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
  if (group_steps == A.steps_of_set && rule == Cuda::SegmentRule::Rows) schedule.places = {};
  return schedule;
}

}  // namespace Tessera::Impl::Test
