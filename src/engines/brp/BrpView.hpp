// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// The pattern of a matrix in the block-row partition (BRP-SpMM, sections IV.B and IV.C): raw pointers into memory that
/// the caller owns.
///
/// Rows are cut into windows of 16. A window is cut into *local columns*, each with exactly f entries of one matrix
/// column. A column with m entries in the window makes floor(m / f) local columns, beginning with its first row. Local
/// columns have the order of their matrix columns. Eight of them make a tile of 16x8, the left operand of mma.m16n8k8,
/// and g tiles make a *group*. A group has 8 g local columns and exactly 8 f g entries, so all groups are equal work. A
/// window has as many groups as its local columns fill. All other entries are *residual*: they are stored as compressed
/// rows, and rows without residual entries are not listed. The arrays are:
///
/// ```{.unparsed}
///   group_windows     groups             window of each group, ascending              (the paper's group_window_id)
///   window_groups     windows + 1        first group of each window
///   local_ids         8 f g groups       8 row + column within the tile, column by column, rows ascending  (local_id)
///   group_columns     8 g groups         matrix column of each local column                              (old_col_id)
///   residual_rows     residual rows      the matrix row of each, ascending                              (res_rows_id)
///   residual_offsets  residual rows + 1  first residual entry of each                                (res_row_offset)
///   residual_columns  residual entries   matrix columns, ascending within a row                          (res_col_id)
///   window_residuals  windows + 1        first residual row of each window
/// ```
///
/// The values of the groups come first, in the order of local_ids, then those of the residual entries. f and g must
/// make the values of a group a multiple of 128 bytes. Every group, and the residual part, is then as aligned as the
/// array. With f = 2 and g = 1, the matrix pictured in CsrPattern is one window with one group. Columns 2, 6 and 15,
/// which have one entry each, and the last entries of the others are residual:
///
/// ```{.unparsed}
///   group_windows     0
///   window_groups     0 1
///   group_columns     0     1     5      8      9      9      12      13
///   local_ids         0 8   1 9   34 42  67 75  12 52  69 77  62 102  55 111
///   values            a c   b d   h  j   p  r   e  m   q  s   o  w    n  x
///
///   window_residuals  0 7
///   residual_rows     3     4     5    6    10   11    15
///   residual_offsets  0     2     3    4    5    6     8      10
///   residual_columns  0 2   15    6    5    1    8 9   12 13
///   values            f g   i     k    l    t    u v   y  z
/// ```
///
/// Deviations from the paper: it has f = 1 and g = 4, and names this choice as its limitation (section VI). Here f and
/// g are free, and a matrix column is stored once for each local column, not once for each entry; for f = 1 this is the
/// same. window_groups and window_residuals locate the parts of a window. The owner of a window can then write its rows
/// of Y once, without atomics; in the paper, groups and residual rows each add to Y. Offsets are a template parameter.
struct BrpPattern {
  static constexpr int tile_rows = 16;  ///< rows of a tile
  static constexpr int tile_width = 8;  ///< local columns of a tile

  static constexpr const char* label = "Tessera::brp_spmm";  ///< name of a portable product in profilers

  Ordinal rows = 0;                           ///< rows of the matrix
  Ordinal columns = 0;                        ///< columns of the matrix
  int f = 1;                                  ///< entries of a local column
  int g = 1;                                  ///< tiles of a group
  Offset groups = 0;                          ///< number of groups
  const Ordinal* group_windows = nullptr;     ///< the window of each group
  const Offset* window_groups = nullptr;      ///< windows + 1 offsets, counted in groups
  const std::uint8_t* local_ids = nullptr;    ///< 8 f g places for each group
  const Ordinal* group_columns = nullptr;     ///< 8 g columns for each group
  const Ordinal* residual_rows = nullptr;     ///< the matrix row of each residual row
  const Offset* residual_offsets = nullptr;   ///< residual rows + 1 offsets, counted in residual entries
  const Ordinal* residual_columns = nullptr;  ///< one column for each residual entry
  const Offset* window_residuals = nullptr;   ///< windows + 1 offsets, counted in residual rows

  TESSERA_FUNCTION Ordinal window_rows() const { return tile_rows; }                  ///< rows of a window
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, tile_rows); }  ///< number of windows
  /// Returns the entries of a group.
  TESSERA_FUNCTION Offset group_entries() const { return static_cast<Offset>(tile_width * f * g); }
  /// Returns the place of the first residual value.
  TESSERA_FUNCTION Offset grouped_entries() const { return groups * group_entries(); }
};

/// Returns the id of element (r, c) of a tile.
TESSERA_FUNCTION constexpr int brp_local_id(int r, int c) { return r * 8 + c; }
/// Returns the row of the element with this id.
TESSERA_FUNCTION constexpr int brp_local_row(int id) { return id / 8; }

/// Calls visit(column, place of the value) for every entry of a row: first for entries in groups, then for residual
/// ones. Columns ascend within each part. Cost: a scan of the groups of the row's window, one byte per entry.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry(const BrpPattern& A, Ordinal row, const Visit& visit) {
  const Ordinal window = row / A.tile_rows;
  const int r = row % A.tile_rows;
  const Offset end = A.window_groups[window + 1] * A.group_entries();
  for (Offset place = A.window_groups[window] * A.group_entries(); place < end; ++place) {
    if (brp_local_row(A.local_ids[place]) == r) visit(A.group_columns[place / static_cast<Offset>(A.f)], place);
  }
  for (Offset listed = A.window_residuals[window]; listed < A.window_residuals[window + 1]; ++listed) {
    if (A.residual_rows[listed] != row) continue;
    for (Offset k = A.residual_offsets[listed]; k < A.residual_offsets[listed + 1]; ++k) {
      visit(A.residual_columns[k], A.grouped_entries() + k);
    }
  }
}

/// Returns the number of entries in the windows before `window`, which may be windows().
TESSERA_FUNCTION Offset entries_before(const BrpPattern& A, Ordinal window) {
  return A.window_groups[window] * A.group_entries() + A.residual_offsets[A.window_residuals[window]];
}

/// Calls visit(row within the window, column, place of the value) for every entry of a window: first for entries in
/// groups, in the order of their places, then for residual ones.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry_of_window(const BrpPattern& A, Ordinal window, const Visit& visit) {
  const Offset end = A.window_groups[window + 1] * A.group_entries();
  Offset place = A.window_groups[window] * A.group_entries();
  for (Offset local_column = place / static_cast<Offset>(A.f); place < end; ++local_column) {
    for (int k = 0; k < A.f; ++k, ++place)
      visit(brp_local_row(A.local_ids[place]), A.group_columns[local_column], place);
  }
  for (Offset listed = A.window_residuals[window]; listed < A.window_residuals[window + 1]; ++listed) {
    const int r = A.residual_rows[listed] % A.tile_rows;
    for (Offset k = A.residual_offsets[listed]; k < A.residual_offsets[listed + 1]; ++k)
      visit(r, A.residual_columns[k], A.grouped_entries() + k);
  }
}

}  // namespace Tessera::Impl
