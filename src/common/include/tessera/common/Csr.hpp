// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera {

/// The pattern of a sparse matrix in compressed rows: raw pointers into memory that somebody else owns.
///
/// Row i holds the entries row_offsets[i] <= k < row_offsets[i + 1], entry k in column column_indices[k].
/// Invariants of a *canonical* pattern, which every format is built from: row_offsets[0] = 0, row_offsets does not
/// decrease, and the columns of a row ascend strictly (sorted, no duplicates).
template <class Offset>
struct CsrPattern {
  using offset_type = Offset;

  Ordinal rows = 0;
  Ordinal columns = 0;
  const Offset* row_offsets = nullptr;      // rows + 1
  const Ordinal* column_indices = nullptr;  // row_offsets[rows]

  TESSERA_FUNCTION Ordinal windows() const { return rows; }  // as in formats that keep several rows together
};

/// Calls visit(column, place of the value) for every entry of a row, in the order in which they are stored. So do the
/// functions of this name for other formats.
TESSERA_CALLS_ARGUMENT
template <class Offset, class Visit>
TESSERA_FUNCTION void for_each_entry(const CsrPattern<Offset>& A, Ordinal row, const Visit& visit) {
  for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) visit(A.column_indices[k], k);
}

/// The entries of all rows before this one; of all, for row = rows.
template <class Offset>
TESSERA_FUNCTION Offset entries_before(const CsrPattern<Offset>& A, Ordinal row) {
  return A.row_offsets[row];
}

}  // namespace Tessera
