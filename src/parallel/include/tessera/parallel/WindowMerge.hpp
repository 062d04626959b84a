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

/// The column that no matrix has: every column is below.
inline constexpr Ordinal beyond_columns = Kokkos::Experimental::finite_max_v<Ordinal>;

/// What is to be merged of Height adjacent rows: from `cursor` to `end`, columns below `limit`.
template <int Height, class Offset>
struct RowCursors {
  Offset cursor[Height];
  Offset end[Height];
  Ordinal limit;
};

/// Those of all entries of a window; rows beyond the last are empty.
///
/// \param A [in] a canonical CsrPattern, or other rows whose columns ascend strictly: with the members rows and
///               column_indices, and with begin_of_row() and end_of_row()
template <int Height, class Rows>
KOKKOS_INLINE_FUNCTION auto cursors_of_window(const Rows& A, Ordinal first_row) {
  using Offset = decltype(begin_of_row(A, first_row));
  RowCursors<Height, Offset> result;
  for (int r = 0; r < Height; ++r) {
    const bool exists = first_row < A.rows - r;
    result.cursor[r] = exists ? begin_of_row(A, first_row + r) : Offset(0);
    result.end[r] = exists ? end_of_row(A, first_row + r) : Offset(0);
  }
  result.limit = beyond_columns;
  return result;
}

/// Walks distinct columns in ascending order, and calls visit(column, rows) for each, where bit r of `rows` is set if
/// row r has an entry there. Returns how many.
template <int Height, class Offset, class Visit>
KOKKOS_INLINE_FUNCTION Offset merge_rows(const Ordinal* column_indices, RowCursors<Height, Offset> rows,
                                         const Visit& visit) {
  Ordinal next[Height];  // the column under each cursor
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

/// Walks the distinct columns of a window of Height adjacent rows.
template <int Height, class Rows, class Visit>
KOKKOS_INLINE_FUNCTION auto merge_window(const Rows& A, Ordinal first_row, const Visit& visit) {
  return merge_rows<Height>(A.column_indices, cursors_of_window<Height>(A, first_row), visit);
}

}  // namespace Tessera::Impl
