// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/common/Csr.hpp>

/// Where a column is in a row. Columns of canonical rows ascend, so that a bisection finds it.
namespace Tessera::Impl {

/// The first entry of a row in a column or beyond it; the end of the row if there is none.
template <class Offset>
KOKKOS_INLINE_FUNCTION Offset first_from(const CsrPattern<Offset>& A, Ordinal row, Ordinal column) {
  Offset low = A.row_offsets[row], high = A.row_offsets[row + 1];
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (A.column_indices[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Whether a row has an entry in a column.
template <class Offset>
KOKKOS_INLINE_FUNCTION bool has_column(const CsrPattern<Offset>& A, Ordinal row, Ordinal column) {
  const Offset entry = first_from(A, row, column);
  return entry < A.row_offsets[row + 1] && A.column_indices[entry] == column;
}

}  // namespace Tessera::Impl
