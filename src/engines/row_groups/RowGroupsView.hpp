// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// The pattern of a matrix in row groups, which are compressed rows that share columns: raw pointers into memory that
/// the caller owns.
///
/// One to four adjacent rows are a group. It stores the distinct columns of its rows once, in ascending order. A
/// product reads a row of X once for all rows of a group that need it. The arrays are:
///
/// ```{.unparsed}
///   chunk_groups    chunks + 1       first group of each chunk of 256 rows; groups do not cross chunks
///   first_rows      groups + 1       first row of each group
///   column_offsets  groups + 1       first column of each group, a multiple of 4, counted in the next two arrays
///   group_columns   columns, summed  matrix column of each column of a group; ascending up to the padding
///   column_masks    columns, summed  bit r is set if the column has an entry in row r of its group
///   value_offsets   groups + 1       first value of each group, a multiple of 4
/// ```
///
/// Columns are padded to a multiple of 4 in each group: the last column is repeated, without bits. Values are stored
/// group by group, column by column. A column has one value for each of the `height` rows of the group, zero where the
/// mask has no bit. If the arrays are aligned to 4 elements, so is each group: 4 columns or 4 values are read as one
/// vector.
///
/// Dynamic programming cuts the rows of each chunk into groups. A group costs 3 + columns (1 + 0.3 height), and the sum
/// of the costs is minimal. If several splits are equally cheap, the first group has as few rows as possible, then the
/// second, and so on. This is the matrix pictured in CsrPattern in groups of up to three rows:
///
/// ```{.unparsed}
///   rows 0-1   0  1  9      rows 2-3   0  2      rows 4-6   5  6  9 13 15
///              a  b  .                 .  .                 h  .  .  .  i
///              c  d  e                 f  g                 j  k  .  .  .
///                                                           l  .  m  n  .
///
///   rows 7-9   8  9 12      rows 10-12   1  8  9 12      rows 13-15  12 13
///              .  .  o                   t  .  .  .                   .  x
///              p  q  .                   .  u  v  .                   .  .
///              r  s  .                   .  .  .  w                   y  z
///
///   chunk_groups    0                                                                               6
///   first_rows      0          2      4                  7            10              13           16
///   column_offsets  0      4      8             16         20         24         28
///   column_masks    3320   2200   72441000      6610       1224       4500
///   value_offsets   0      8      16            40         52         64         76
///
///   group_columns   0 1 9 9   0 2 2 2   5 6 9 13 15 15 15 15   8 9 12 12   1 8 9 12   12 13 13 13
///   values          acbd0e00  0f0g0000  hjl0k000m00ni00000000000  0pr0qso00000  t000u00v000w  00yx0z000000
/// ```
struct RowGroupsPattern {
  static constexpr int chunk_rows = 256;  ///< rows of a chunk
  static constexpr int most_rows = 4;     ///< upper bound on the rows of a group
  static constexpr int alignment = 4;     ///< columns and values of a group begin at multiples of this

  static constexpr const char* label = "Tessera::row_groups_spmm";  ///< name of a portable product in profilers

  Ordinal rows = 0;                            ///< rows of the matrix
  Ordinal columns = 0;                         ///< columns of the matrix
  Ordinal groups = 0;                          ///< number of groups
  const Ordinal* chunk_groups = nullptr;       ///< chunks + 1 offsets, counted in groups
  const Ordinal* first_rows = nullptr;         ///< groups + 1 rows
  const Offset* column_offsets = nullptr;      ///< groups + 1 offsets, counted in columns of groups
  const Offset* value_offsets = nullptr;       ///< groups + 1 offsets, counted in values
  const Ordinal* group_columns = nullptr;      ///< the matrix column of each column
  const std::uint8_t* column_masks = nullptr;  ///< for each column, the set of rows of its group with entries in it

  TESSERA_FUNCTION Ordinal windows() const { return groups; }  ///< number of groups: each is a window
  /// Returns the number of rows of a group.
  TESSERA_FUNCTION int height(Ordinal group) const { return first_rows[group + 1] - first_rows[group]; }
};

/// Returns the number of chunks of a matrix in row groups.
TESSERA_FUNCTION constexpr Ordinal row_group_chunks(Ordinal rows) {
  return window_count(rows, RowGroupsPattern::chunk_rows);
}

/// Returns the number of columns that a group of `columns` distinct columns stores, including padding.
TESSERA_FUNCTION constexpr std::size_t padded_group_columns(std::size_t columns) {
  constexpr std::size_t unit = RowGroupsPattern::alignment;
  return (columns + unit - 1) / unit * unit;
}

/// Returns the end of a group's distinct columns, where padding begins.
TESSERA_FUNCTION Offset end_of_columns(const RowGroupsPattern& A, Ordinal group) {
  Offset end = A.column_offsets[group + 1];
  while (end > A.column_offsets[group] && A.column_masks[end - 1] == 0) --end;
  return end;
}

/// Returns the group of a row. Cost: a bisection of the groups of the row's chunk.
TESSERA_FUNCTION Ordinal group_of(const RowGroupsPattern& A, Ordinal row) {
  const Ordinal chunk = row / A.chunk_rows;
  Ordinal low = A.chunk_groups[chunk], high = A.chunk_groups[chunk + 1];
  while (high - low > 1) {
    const Ordinal middle = low + (high - low) / 2;
    if (A.first_rows[middle] <= row) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Calls visit(column, place of the value) for every entry of a row, in ascending order of columns.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry(const RowGroupsPattern& A, Ordinal row, const Visit& visit) {
  const Ordinal group = group_of(A, row);
  const int r = row - A.first_rows[group];
  const auto height = static_cast<Offset>(A.height(group));
  Offset place = A.value_offsets[group] + static_cast<Offset>(r);
  for (Offset c = A.column_offsets[group]; c < A.column_offsets[group + 1]; ++c, place += height)
    if ((A.column_masks[c] >> r & 1) != 0) visit(A.group_columns[c], place);
}

/// Calls visit(row within the group, column, place of the value) for every entry of a group, column by column.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry_of_window(const RowGroupsPattern& A, Ordinal group, const Visit& visit) {
  const int height = A.height(group);
  Offset place = A.value_offsets[group];
  for (Offset c = A.column_offsets[group]; c < A.column_offsets[group + 1]; ++c, place += static_cast<Offset>(height)) {
    for (int r = 0; r < height; ++r)
      if ((A.column_masks[c] >> r & 1) != 0) visit(r, A.group_columns[c], place + static_cast<Offset>(r));
  }
}

/// Returns the number of values in groups before `group`, an upper bound on their entries. `group` may be A.groups.
TESSERA_FUNCTION Offset entries_before(const RowGroupsPattern& A, Ordinal group) { return A.value_offsets[group]; }

}  // namespace Tessera::Impl
