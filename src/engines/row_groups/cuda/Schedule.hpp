// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>
#include <vector>

#include "condensed/cuda/Schedule.hpp"
#include "row_groups/RowGroupsView.hpp"

namespace Tessera::Impl::Cuda {

/// Some columns of one group of rows. Lanes multiply an item by a slab of columns of X. One 16-byte load reads all that
/// they need to begin. Columns and values of a group begin at multiples of four, and are counted in fours.
struct alignas(16) RowGroupItem {
  std::uint32_t first_columns;  ///< the first four columns
  std::uint32_t first_values;   ///< the first four values
  std::uint32_t size;           ///< 4 times the number of fours of columns, plus the number of rows less 1
  Ordinal target;               ///< first row of a whole group, or -1 - slot of a piece

  /// Returns the number of fours of columns.
  TESSERA_FUNCTION int fours() const { return static_cast<int>(size >> 2); }
  /// Returns the number of rows.
  TESSERA_FUNCTION int height() const { return static_cast<int>(size & 3u) + 1; }
  /// Whether the item is a whole group, so that its sums are written to Y.
  TESSERA_FUNCTION bool is_whole() const { return target >= 0; }
  /// Returns the slot of a piece in the workspace.
  TESSERA_FUNCTION int slot() const { return -1 - target; }
};

/// A group that is cut into pieces. Its sums are added from `slots` adjacent slots, in order.
struct RowGroupSum {
  Ordinal first_row;  ///< its first row
  int height;         ///< number of its rows
  int first_slot;     ///< its first slot
  int slots;          ///< number of its slots
};

/// The items of a product in row groups: raw pointers to device memory that the caller owns.
///
/// Groups of more than a given number of columns are cut into pieces of about equal size, like windows (see
/// WindowSchedule). Items are sorted within every schedule_sorted_groups adjacent groups, by height and then by
/// decreasing length, so the threads of a warp have equal work. Results do not depend on the order.
struct RowGroupsSchedule {
  static constexpr int slot_rows = 4;  ///< rows of a slot

  int item_count = 0;                   ///< number of items
  int sum_count = 0;                    ///< number of groups that are cut
  int slot_count = 0;                   ///< number of slots in the workspace
  const RowGroupItem* items = nullptr;  ///< the items
  const RowGroupSum* sums = nullptr;    ///< the groups that are cut
  int width = 0;                        ///< number of columns for which products choose a policy; 0: that of X
};

/// Number of adjacent groups whose items are sorted.
inline constexpr Ordinal schedule_sorted_groups = 2048;
/// Number of low bits of row_groups_sort_key(), below the bits for the group's position.
inline constexpr int row_groups_sort_bits = 10;

/// The arrays of a schedule, in host memory.
struct HostRowGroupsSchedule {
  std::vector<RowGroupItem> items;  ///< the items
  std::vector<RowGroupSum> sums;    ///< the groups that are cut
  int slots = 0;                    ///< number of slots in the workspace
};

/// Returns the number of items of a group, at least one.
TESSERA_FUNCTION int items_of_group(const RowGroupsPattern& A, Ordinal group, int piece_columns) {
  return pieces_of_window(A.column_offsets[group + 1] - A.column_offsets[group], piece_columns);
}

/// Returns item p of a group that is cut into `pieces`. first_slot is the slot of its first piece if there are several.
TESSERA_FUNCTION RowGroupItem item_of_group(const RowGroupsPattern& A, Ordinal group, int pieces, int p,
                                            int first_slot) {
  const Offset first = A.column_offsets[group] / 4, fours = A.column_offsets[group + 1] / 4 - first;
  const Offset begin = first_of_even_piece(fours, pieces, p), end = first_of_even_piece(fours, pieces, p + 1);
  const int height = A.height(group);
  return {static_cast<std::uint32_t>(first + begin),
          static_cast<std::uint32_t>(A.value_offsets[group] / 4 + begin * static_cast<Offset>(height)),
          static_cast<std::uint32_t>(end - begin) << 2 | static_cast<std::uint32_t>(height - 1),
          pieces == 1 ? A.first_rows[group] : -1 - (first_slot + p)};
}

/// Returns the key by which items are sorted in ascending order: by the position of their group, then the highest
/// first, then the longest first. All items of 255 or more fours count as equally long.
TESSERA_FUNCTION std::uint64_t row_groups_sort_key(const RowGroupItem& item, Ordinal group) {
  const auto fours = static_cast<unsigned>(item.fours());
  const unsigned shortness = 255 - (fours < 255 ? fours : 255), lowness = 4 - static_cast<unsigned>(item.height());
  return static_cast<std::uint64_t>(group / schedule_sorted_groups) << row_groups_sort_bits | lowness << 8 | shortness;
}

/// Lower bound on the columns that row_groups_piece_columns() chooses.
inline constexpr int row_groups_least_piece = 32;
/// Chooses the upper bound on columns of an item: 32, 64, ..., 512, such that each resident lane has several items.
/// With fewer columns, sums of pieces would cost more than they save; with more, all would wait for the last items.
/// Results depend on this number, hence on the matrix, the device and the typical X, within rounding errors.
///
/// \param columns   [in] columns of all groups
/// \param longest   [in] columns of the widest group: for each element of Y, one thread adds all its pieces
/// \param row_bytes [in] bytes of a row of a typical X
int row_groups_piece_columns(double columns, double longest, double row_bytes, const Device& device = {});

/// Whether items can count the columns and values of a matrix with these sizes: up to 2^34 of each.
bool row_groups_are_countable(std::size_t columns, std::size_t values);

/// Builds a schedule in host memory, from a pattern in host memory.
///
/// \param A             [in] the pattern; only offsets and first rows are read
/// \param piece_columns [in] upper bound on the columns of an item: a positive multiple of 4
/// \throws std::invalid_argument for other piece_columns
/// \throws std::length_error for more than 2^31 - 1 items
///
/// Cost: a sort of the items.
HostRowGroupsSchedule build_row_groups_schedule(const RowGroupsPattern& A, int piece_columns);

}  // namespace Tessera::Impl::Cuda
