// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>

/// @file
/// Bisection of a row for a column. The columns of canonical rows ascend.
namespace Tessera::Impl {

/// Returns the first of the entries begin, ..., end - 1 whose column is at least `column`, or `end` if there is none.
template <class Offset>
TESSERA_FUNCTION Offset first_from(const CsrPattern<Offset>& A, Offset begin, Offset end, Ordinal column) {
  while (begin < end) {
    const Offset middle = begin + (end - begin) / 2;
    if (A.column_indices[middle] < column) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Returns whether a row has an entry in a column.
template <class Offset>
TESSERA_FUNCTION bool has_column(const CsrPattern<Offset>& A, Ordinal row, Ordinal column) {
  const Offset end = A.row_offsets[row + 1], entry = first_from(A, A.row_offsets[row], end, column);
  return entry < end && A.column_indices[entry] == column;
}

}  // namespace Tessera::Impl
