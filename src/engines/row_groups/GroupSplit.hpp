// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/common/Csr.hpp>
#include <tessera/common/RowSearch.hpp>

#include "row_groups/RowGroups.hpp"
#include "row_groups/RowGroupsView.hpp"

/// How the rows of a chunk are cut into groups (RowGroupsView.hpp).
namespace Tessera::Impl {

constexpr int most_group_rows = RowGroupsPattern::most_rows;

constexpr Ordinal no_group_column = std::numeric_limits<Ordinal>::max();  // greater than all columns

/// Returns the column of an entry of a row; no_group_column beyond the row's end.
KOKKOS_INLINE_FUNCTION Ordinal column_of(const CsrPattern<Offset>& A, Ordinal row, Offset entry) {
  return entry < A.row_offsets[row + 1] ? A.column_indices[entry] : no_group_column;
}

/// Calls visit(column, mask) for the distinct columns in [begin, end) of `height` adjacent rows, in ascending order.
/// Bit r of the mask is set if row first + r has an entry in the column.
template <class Visit>
KOKKOS_INLINE_FUNCTION void merge_group(const CsrPattern<Offset>& A, Ordinal first, int height, Ordinal begin,
                                        Ordinal end, const Visit& visit) {
  Offset cursor[most_group_rows];
  Ordinal next[most_group_rows];  // the column of the entry under each cursor
  for (int r = 0; r < height; ++r) {
    cursor[r] = first_from(A, A.row_offsets[first + r], A.row_offsets[first + r + 1], begin);
    next[r] = column_of(A, first + r, cursor[r]);
  }
  while (true) {
    Ordinal column = no_group_column;
    for (int r = 0; r < height; ++r) column = next[r] < column ? next[r] : column;
    if (column >= end) return;
    unsigned mask = 0;
    for (int r = 0; r < height; ++r) {
      if (next[r] != column) continue;
      mask |= 1u << r;
      ++cursor[r];
      next[r] = column_of(A, first + r, cursor[r]);
    }
    visit(column, mask);
  }
}

/// The cheapest way to cut a chunk from some row to its end. Costs are counted in tenths, so they are exact.
struct GroupSplit {
  std::int64_t cost = 0;
  RowGroupCounts counts;

  /// Returns the split that begins with a group and continues with this split.
  KOKKOS_INLINE_FUNCTION GroupSplit behind(Ordinal columns, int height) const {
    GroupSplit all = *this;
    all.cost += 30 + std::int64_t(columns) * (10 + 3 * height);
    const std::size_t padded = padded_group_columns(std::size_t(columns));
    all.counts += {1, padded, padded * std::size_t(height)};
    return all;
  }
};

/// The number of entries of a row that are new to its group: after[d] counts entries whose columns are in none of the d
/// + 1 previous rows. In the first row of a group, all entries are new.
struct NewEntries {
  Ordinal after[most_group_rows - 1] = {};

  KOKKOS_INLINE_FUNCTION NewEntries& operator+=(const NewEntries& other) {
    for (int d = 0; d < most_group_rows - 1; ++d) after[d] += other.after[d];
    return *this;
  }
};

/// Counts an entry of a row, given the `rows` rows before it.
KOKKOS_INLINE_FUNCTION NewEntries count_entry(const CsrPattern<Offset>& A, Ordinal row, Ordinal column, int rows) {
  NewEntries count;
  for (int d = 0; d < rows && !has_column(A, row - d - 1, column); ++d) count.after[d] = 1;
  return count;
}

/// Cuts the rows [first, end) of a chunk into groups, from the last row to the first. For each row, calls choose(row,
/// height) with the height of the best group that begins there. Returns the sizes of the groups.
///
/// \param lengths     [in] lengths(row) is the number of entries of a row
/// \param new_entries [in] new_entries(row, d) is NewEntries::after[d] of a row
template <class Lengths, class NewEntriesOfRows, class Choose>
KOKKOS_INLINE_FUNCTION RowGroupCounts split_chunk(const Lengths& lengths, const NewEntriesOfRows& new_entries,
                                                  Ordinal first, Ordinal end, int group_rows, const Choose& choose) {
  GroupSplit behind[most_group_rows];  // behind[r] begins at row + r + 1
  for (Ordinal row = end - 1; row >= first; --row) {
    const int most = end - row < group_rows ? end - row : group_rows;
    int height = 1;
    Ordinal columns = lengths(row);
    GroupSplit best = behind[0].behind(columns, 1);
    for (int tried = 2; tried <= most; ++tried) {
      columns += new_entries(row + tried - 1, tried - 2);
      const GroupSplit other = behind[tried - 1].behind(columns, tried);
      if (other.cost >= best.cost) continue;
      best = other;
      height = tried;
    }
    choose(row, height);
    for (int r = most_group_rows - 1; r > 0; --r) behind[r] = behind[r - 1];
    behind[0] = best;
  }
  return behind[0].counts;
}

}  // namespace Tessera::Impl

namespace Kokkos {
/// The neutral element of sums, for parallel_reduce().
template <>
struct reduction_identity<Tessera::Impl::NewEntries> {
  KOKKOS_FORCEINLINE_FUNCTION static Tessera::Impl::NewEntries sum() { return {}; }
};
}  // namespace Kokkos
