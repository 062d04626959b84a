// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/common/Csr.hpp>

namespace Tessera::Impl {

template <class Offset>
KOKKOS_INLINE_FUNCTION Offset begin_of_row(const CsrPattern<Offset>& A, Ordinal row) {
  return A.row_offsets[row];
}
template <class Offset>
KOKKOS_INLINE_FUNCTION Offset end_of_row(const CsrPattern<Offset>& A, Ordinal row) {
  return A.row_offsets[row + 1];
}

/// A number larger than every column.
inline constexpr Ordinal beyond_columns = Kokkos::Experimental::finite_max_v<Ordinal>;

/// The parts of Height adjacent rows to merge: entries from `cursor` to `end` whose columns are below `limit`.
template <int Height, class Offset>
struct RowCursors {
  Offset cursor[Height];
  Offset end[Height];
  Ordinal limit;
};

/// Returns cursors to the whole rows of a window. Rows beyond the last row of the matrix are empty.
///
/// \param A         [in] a canonical CsrPattern, or any other type of rows whose columns ascend strictly and that has
///                       the members rows, column_indices, begin_of_row() and end_of_row()
/// \param first_row [in] the first row of the window
template <int Height, class Rows>
KOKKOS_INLINE_FUNCTION auto cursors_of_window(const Rows& A, Ordinal first_row) {
  using Entry = decltype(begin_of_row(A, first_row));
  RowCursors<Height, Entry> result;
  for (int r = 0; r < Height; ++r) {
    const bool exists = first_row < A.rows - r;
    result.cursor[r] = exists ? begin_of_row(A, first_row + r) : Entry(0);
    result.end[r] = exists ? end_of_row(A, first_row + r) : Entry(0);
  }
  result.limit = beyond_columns;
  return result;
}

/// Calls visit(column, rows) for each distinct column, in ascending order. Bit r of `rows` is set if row r has an entry
/// in that column. Returns the number of distinct columns.
template <int Height, class Offset, class Visit>
KOKKOS_INLINE_FUNCTION Offset merge_rows(const Ordinal* column_indices, RowCursors<Height, Offset> rows,
                                         const Visit& visit) {
  Ordinal next[Height];  // the column of the entry at each cursor
  for (int r = 0; r < Height; ++r)
    next[r] = rows.cursor[r] < rows.end[r] ? column_indices[rows.cursor[r]] : beyond_columns;
  for (Offset count = 0;; ++count) {
    Ordinal column = beyond_columns;
    for (int r = 0; r < Height; ++r) column = next[r] < column ? next[r] : column;
    if (column >= rows.limit) return count;
    unsigned have_it = 0;
    for (int r = 0; r < Height; ++r) have_it |= unsigned(next[r] == column) << r;
    visit(column, have_it);
    for (int r = 0; r < Height; ++r) {
      if (next[r] != column) continue;
      ++rows.cursor[r];
      next[r] = rows.cursor[r] < rows.end[r] ? column_indices[rows.cursor[r]] : beyond_columns;
    }
  }
}

/// Calls visit(column, rows) for each distinct column of a window of Height adjacent rows; see merge_rows().
template <int Height, class Rows, class Visit>
KOKKOS_INLINE_FUNCTION auto merge_window(const Rows& A, Ordinal first_row, const Visit& visit) {
  return merge_rows<Height>(A.column_indices, cursors_of_window<Height>(A, first_row), visit);
}

}  // namespace Tessera::Impl
