// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/SortedColumnsView.hpp>
#include <vector>

namespace Tessera::Cuda {

/// Where the sums of a product with sorted columns meet: raw pointers to device memory that somebody else owns.
///
/// A *group* is a number of adjacent steps, which a block of threads multiplies; eight of them are a set. A *segment*
/// is the elements of a group that have the same row. The workspace has a *slot* for the sum of each segment, in their
/// order, and after them one for each irregular product. A row of Y is the sum of its slots, in order, whoever filled
/// them first.
///
///   step_positions   steps                    position of a step's first column
///   places           regular elements         an element's place when its group is sorted by row, equal rows in the
///                                             order of the elements; null for groups of 8 steps: position_indices
///   group_segments   groups + 1               first segment of each group
///   segment_ends     segments                 place in the group where a segment ends; it begins where the one before
///                                             ends
///   row_offsets      rows + 1                 first of each row in row_slots
///   row_slots        segments + irregular     slots of each row, ascending
///   long_rows        long_row_count           rows with more than sorted_columns_long_row_slots slots, ascending
template <class Offset>
struct SortedColumnsSchedule {
  int group_steps = 0;
  Offset groups = 0;
  Offset segments = 0;
  Offset slot_count = 0;
  Ordinal long_row_count = 0;
  const Ordinal* step_positions = nullptr;
  const std::uint16_t* places = nullptr;
  const Offset* group_segments = nullptr;
  const std::uint16_t* segment_ends = nullptr;
  const Offset* row_offsets = nullptr;
  const Offset* row_slots = nullptr;
  const Ordinal* long_rows = nullptr;
};

/// Rows with more slots than that are summed by a whole block of threads, in a share of slots a group of its lanes.
inline constexpr int sorted_columns_long_row_slots = 64;

/// The most elements of a group: they lie in shared memory.
inline constexpr int sorted_columns_most_elements = 2048;

/// The arrays of a schedule, in host memory.
template <class Offset>
struct HostSortedColumnsSchedule {
  int group_steps = 0;
  std::vector<Ordinal> step_positions;
  std::vector<std::uint16_t> places, segment_ends;
  std::vector<Offset> group_segments = {0}, row_offsets, row_slots;
  std::vector<Ordinal> long_rows;

  /// Sizes, and arrays that are in host memory.
  SortedColumnsSchedule<Offset> view() const;
};

/// Which elements of a group make up a segment.
enum class SegmentRule {
  Rows,     ///< those of a row
  Elements  ///< each element alone: to see what sums within groups are worth
};

/// The steps of a group that products are fastest with: as many as make 2048 elements, at most 64.
int sorted_columns_group_steps(Ordinal width);

/// Builds a schedule from a pattern, all of whose pointers are to host memory; position_indices and segment_lengths are
/// not read.
///
/// group_steps: 8 for the sets of the format (and of the paper); more steps have fewer segments. Throws
/// std::invalid_argument for group_steps <= 0, std::length_error if a group has more than sorted_columns_most_elements
/// elements. Cost: a sort of each group by row.
template <class Offset>
HostSortedColumnsSchedule<Offset> build_sorted_columns_schedule(const SortedColumnsPattern<Offset>& A, int group_steps,
                                                                SegmentRule rule = SegmentRule::Rows);

}  // namespace Tessera::Cuda
