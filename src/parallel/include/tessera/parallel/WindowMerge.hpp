// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/common/Csr.hpp>

namespace Tessera::Impl {

/// Walks the distinct columns of Height adjacent rows of a canonical pattern in ascending order, and calls
/// visit(column, rows) for each, where bit r of `rows` is set if row first_row + r has an entry there. Returns how
/// many.
template <int Height, class Offset, class Visit>
KOKKOS_INLINE_FUNCTION Offset merge_window(const CsrPattern<Offset>& A, Ordinal first_row, const Visit& visit) {
  constexpr Ordinal exhausted = Kokkos::Experimental::finite_max_v<Ordinal>;
  Offset cursor[Height];
  Offset end[Height];
  Ordinal next[Height];  // the column under each cursor
  for (int r = 0; r < Height; ++r) {
    const bool exists = first_row < A.rows - r;
    cursor[r] = exists ? A.row_offsets[first_row + r] : Offset(0);
    end[r] = exists ? A.row_offsets[first_row + r + 1] : Offset(0);
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
