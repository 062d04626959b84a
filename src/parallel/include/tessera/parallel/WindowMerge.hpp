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

/// Walks the distinct columns of Height adjacent rows in ascending order, and calls visit(column, rows) for each, where
/// bit r of `rows` is set if row first_row + r has an entry there. Returns how many.
///
/// \param A [in] a canonical CsrPattern, or other rows whose columns ascend strictly: with the members rows and
///               column_indices, and with begin_of_row() and end_of_row()
template <int Height, class Rows, class Visit>
KOKKOS_INLINE_FUNCTION auto merge_window(const Rows& A, Ordinal first_row, const Visit& visit) {
  using Offset = decltype(begin_of_row(A, first_row));
  constexpr Ordinal exhausted = Kokkos::Experimental::finite_max_v<Ordinal>;
  Offset cursor[Height];
  Offset end[Height];
  Ordinal next[Height];  // the column under each cursor
  for (int r = 0; r < Height; ++r) {
    const bool exists = first_row < A.rows - r;
    cursor[r] = exists ? begin_of_row(A, first_row + r) : Offset(0);
    end[r] = exists ? end_of_row(A, first_row + r) : Offset(0);
    next[r] = cursor[r] < end[r] ? A.column_indices[cursor[r]] : exhausted;
  }
  for (Offset count = 0;; ++count) {
    Ordinal column = exhausted;
    for (int r = 0; r < Height; ++r) column = next[r] < column ? next[r] : column;
    if (column == exhausted) return count;
    unsigned rows = 0;
    for (int r = 0; r < Height; ++r) rows |= unsigned(next[r] == column) << r;
    visit(column, rows);
    for (int r = 0; r < Height; ++r) {
      if (next[r] != column) continue;
      ++cursor[r];
      next[r] = cursor[r] < end[r] ? A.column_indices[cursor[r]] : exhausted;
    }
  }
}

}  // namespace Tessera::Impl
