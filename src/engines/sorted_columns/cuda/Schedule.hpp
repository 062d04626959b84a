// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "sorted_columns/SortedColumnsView.hpp"

namespace Tessera::Impl::Cuda {

/// Where the sums of a product with sorted columns are added: raw pointers to device memory that the caller owns.
///
/// A *group* is a number of adjacent steps that one thread block multiplies; a set has eight steps. The elements of a
/// group in the same row are a *segment*. The workspace has one *slot* for the sum of each segment, in their order, and
/// then one for each irregular product. A row of Y is the sum of its slots in their order.
///
/// ```{.unparsed}
///   step_positions   steps                    position of a step's first column
///   places           regular elements         an element's place when its group is sorted by row, equal rows in the
///                                             order of the elements; null for groups of 8 steps: position_indices
///   group_segments   groups + 1               first segment of each group
///   segment_ends     segments                 place in the group where a segment ends; it begins where the one before
///                                             ends
///   row_offsets      rows + 1                 first of each row in row_slots
///   row_slots        segments + irregular     slots of each row, ascending
///   long_rows        long_row_count           rows with more than sorted_columns_long_row_slots slots, ascending
/// ```
struct SortedColumnsSchedule {
  int group_steps = 0;                          ///< steps of a group
  Offset groups = 0;                            ///< number of groups
  Offset segments = 0;                          ///< number of segments
  Offset slot_count = 0;                        ///< number of slots in the workspace
  Ordinal long_row_count = 0;                   ///< number of long rows
  const Ordinal* step_positions = nullptr;      ///< one position for each step
  const std::uint16_t* places = nullptr;        ///< one place for each regular element, or null
  const Offset* group_segments = nullptr;       ///< groups + 1 offsets, counted in segments
  const std::uint16_t* segment_ends = nullptr;  ///< one place for each segment
  const Offset* row_offsets = nullptr;          ///< rows + 1 offsets, counted in slots of rows
  const Offset* row_slots = nullptr;            ///< the slots of all rows
  const Ordinal* long_rows = nullptr;           ///< long_row_count rows
  int width = 0;                                ///< number of columns for which products choose a policy; 0: that of X
};

/// A row with more slots than this is summed by a whole thread block: each group of lanes sums a share of the slots.
inline constexpr int sorted_columns_long_row_slots = 64;

/// Upper bound on the elements of a group, which must fit in shared memory.
inline constexpr int sorted_columns_most_elements = 2048;

/// Which elements of a group make up a segment.
enum class SegmentRule {
  Rows,     ///< all elements of a row
  Elements  ///< each element alone, to measure the gain from sums within groups
};

/// Returns the steps of a group with which products are fastest: 2048 elements, but at most 64 steps.
inline int sorted_columns_group_steps(Ordinal width) {
  return std::clamp(sorted_columns_most_elements / std::max(width, 1), 1, 64);
}

}  // namespace Tessera::Impl::Cuda
