// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/common/Csr.hpp>
#include <tessera/common/RowGroupsView.hpp>

/// How the rows of a chunk are cut into groups (RowGroupsView.hpp).
namespace Tessera::Impl {

constexpr int most_group_rows = RowGroupsPattern<int>::most_rows;

constexpr Ordinal no_group_column = std::numeric_limits<Ordinal>::max();  // beyond all others

/// The column of an entry of a row, if the row has not ended.
template <class Offset>
KOKKOS_INLINE_FUNCTION Ordinal column_of(const CsrPattern<Offset>& A, Ordinal row, Offset entry) {
  return entry < A.row_offsets[row + 1] ? A.column_indices[entry] : no_group_column;
}

/// Calls visit(column, mask) for the distinct columns of `height` adjacent rows, in ascending order. Bit r of the mask
/// is set if row first + r has an entry there.
template <class Offset, class Visit>
KOKKOS_INLINE_FUNCTION void merge_group(const CsrPattern<Offset>& A, Ordinal first, int height, const Visit& visit) {
  Offset cursor[most_group_rows];
  Ordinal next[most_group_rows];  // the column under each cursor
  for (int r = 0; r < height; ++r) {
    cursor[r] = A.row_offsets[first + r];
    next[r] = column_of(A, first + r, cursor[r]);
  }
  while (true) {
    Ordinal column = no_group_column;
    for (int r = 0; r < height; ++r) column = next[r] < column ? next[r] : column;
    if (column == no_group_column) return;
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

/// The sizes of some groups.
struct GroupCounts {
  std::size_t groups = 0;
  std::size_t columns = 0;  // of all groups, with those that repeat the last one
  std::size_t values = 0;   // with the zeros

  KOKKOS_INLINE_FUNCTION GroupCounts& operator+=(const GroupCounts& other) {
    groups += other.groups;
    columns += other.columns;
    values += other.values;
    return *this;
  }
};

/// The cheapest way to cut the rows of a chunk from one on. Costs are counted in tenths, so that they are exact.
struct GroupSplit {
  std::int64_t cost = 0;
  GroupCounts counts;

  /// The same with a group before it.
  KOKKOS_INLINE_FUNCTION GroupSplit behind(Ordinal columns, int height) const {
    GroupSplit all = *this;
    all.cost += 30 + std::int64_t(columns) * (10 + 3 * height);
    const std::size_t padded = padded_group_columns(std::size_t(columns));
    all.counts += {1, padded, padded * std::size_t(height)};
    return all;
  }
};

/// Cuts a chunk into groups of at most group_rows rows, from its last row to its first, and calls choose(row, height)
/// with the height of the group that begins at each row, if one does. Returns the sizes of the groups.
///
/// Cost: each row is merged once with the rows behind it. The columns in which none of the first r rows has an entry
/// are those by which row r makes a group longer: one merge counts the columns of groups of any height.
template <class Offset, class Choose>
KOKKOS_INLINE_FUNCTION GroupCounts split_chunk(const CsrPattern<Offset>& A, Ordinal chunk, int group_rows,
                                               const Choose& choose) {
  constexpr Ordinal chunk_rows = RowGroupsPattern<Offset>::chunk_rows;
  const Ordinal first = chunk * chunk_rows;
  const Ordinal end = A.rows - first < chunk_rows ? A.rows : first + chunk_rows;
  GroupSplit behind[most_group_rows];  // behind[r] begins r + 1 rows behind `row`
  for (Ordinal row = end - 1; row >= first; --row) {
    const int most = end - row < group_rows ? end - row : group_rows;
    Ordinal added[most_group_rows] = {};  // columns by the first row that has an entry
    merge_group(A, row, most, [&](Ordinal, unsigned mask) {
      for (int r = 0; r < most; ++r) {
        if ((mask >> r & 1u) == 0) continue;
        ++added[r];
        break;
      }
    });
    Ordinal columns = added[0];
    int height = 1;
    GroupSplit best = behind[0].behind(columns, 1);
    for (int tried = 2; tried <= most; ++tried) {
      columns += added[tried - 1];
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
