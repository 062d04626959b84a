// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// The pattern of a sparse matrix in compressed rows: raw pointers into memory that the caller owns.
///
/// Row i holds the entries row_offsets[i] <= k < row_offsets[i + 1]. Entry k lies in column column_indices[k]. Every
/// format is built from a *canonical* pattern: row_offsets[0] = 0, row_offsets does not decrease, and the columns of
/// each row ascend strictly.
///
/// The pictures of all formats show the same example, a matrix of 16 x 16 elements with the entries a to z:
///
/// ```{.unparsed}
///        0  1  2  3   4  5  6  7   8  9 10 11  12 13 14 15    row_offsets
///    0   a  b  .  .   .  .  .  .   .  .  .  .   .  .  .  .     0
///    1   c  d  .  .   .  .  .  .   .  e  .  .   .  .  .  .     2
///    2   .  .  .  .   .  .  .  .   .  .  .  .   .  .  .  .     5
///    3   f  .  g  .   .  .  .  .   .  .  .  .   .  .  .  .     5
///    4   .  .  .  .   .  h  .  .   .  .  .  .   .  .  .  i     7
///    5   .  .  .  .   .  j  k  .   .  .  .  .   .  .  .  .     9
///    6   .  .  .  .   .  l  .  .   .  m  .  .   .  n  .  .    11
///    7   .  .  .  .   .  .  .  .   .  .  .  .   o  .  .  .    14
///    8   .  .  .  .   .  .  .  .   p  q  .  .   .  .  .  .    15
///    9   .  .  .  .   .  .  .  .   r  s  .  .   .  .  .  .    17
///   10   .  t  .  .   .  .  .  .   .  .  .  .   .  .  .  .    19
///   11   .  .  .  .   .  .  .  .   u  v  .  .   .  .  .  .    20
///   12   .  .  .  .   .  .  .  .   .  .  .  .   w  .  .  .    22
///   13   .  .  .  .   .  .  .  .   .  .  .  .   .  x  .  .    23
///   14   .  .  .  .   .  .  .  .   .  .  .  .   .  .  .  .    24
///   15   .  .  .  .   .  .  .  .   .  .  .  .   y  z  .  .    24
///                                                             26
///
///   column_indices  0 1 0 1 9 0 2 5 15 5 6 5 9 13 12 8 9 8 9 1 8 9 12 13 12 13
/// ```
template <class Offset>
struct CsrPattern {
  using offset_type = Offset;                                ///< the type of an offset
  static constexpr const char* label = "Tessera::csr_spmm";  ///< name of a portable product in profilers

  Ordinal rows = 0;                         ///< rows of the matrix
  Ordinal columns = 0;                      ///< columns of the matrix
  const Offset* row_offsets = nullptr;      ///< rows + 1 offsets
  const Ordinal* column_indices = nullptr;  ///< one column for each entry

  TESSERA_FUNCTION Ordinal windows() const { return rows; }  ///< number of windows: each row is one
  /// Returns the column of an entry.
  TESSERA_FUNCTION Ordinal column(Offset entry) const { return column_indices[entry]; }
};

/// Whether a pattern has rows of entries, and the column of each entry.
template <class Pattern>
inline constexpr bool has_row_entries = requires(const Pattern& A) {
  A.row_offsets;
  A.column(Offset());
};

/// Calls visit(column, place of the value) for every entry of a row, in the order of storage.
TESSERA_CALLS_ARGUMENT
template <class Offset, class Visit>
TESSERA_FUNCTION void for_each_entry(const CsrPattern<Offset>& A, Ordinal row, const Visit& visit) {
  for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) visit(A.column_indices[k], k);
}

/// Returns the number of entries in the rows before `row`, which may be A.rows.
template <class Offset>
TESSERA_FUNCTION Offset entries_before(const CsrPattern<Offset>& A, Ordinal row) {
  return A.row_offsets[row];
}

}  // namespace Tessera::Impl
