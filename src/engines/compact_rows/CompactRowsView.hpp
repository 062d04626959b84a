// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// The pattern of a matrix in compact rows: compressed rows that store most columns in 16 bits. Raw pointers into
/// memory that the caller owns.
///
/// Products with few columns take the time of reading A. Compact rows have 6 bytes for an entry of a float matrix where
/// compressed rows have 8, and 10 for 12 of a double matrix. Entries and values are in the order of compressed rows.
/// Every 64 adjacent entries are a *block*, whatever their rows are. A block stores its least column and, for each
/// entry, the distance from it. If a distance does not fit in 16 bits, the block is *wide*: it stores the low and the
/// high 16 bits of each column. The arrays are:
///
/// ```{.unparsed}
///   row_offsets    rows + 1         first entry of each row
///   block_columns  blocks           least column of the block; -1 - n for wide block number n, counted from 0
///   low_columns    nonzeros         column of the entry minus that of its block; in wide blocks modulo 2^16
///   high_columns   64 wide blocks   column of the entry divided by 2^16; 0 behind the last entry of the matrix
/// ```
///
/// This is the matrix pictured in CsrPattern with its 26 entries in one block:
///
/// ```{.unparsed}
///   block_columns  0
///   low_columns    0 1 0 1 9 0 2 5 15 5 6 5 9 13 12 8 9 8 9 1 8 9 12 13 12 13
///   high_columns   none
/// ```
struct CompactRowsPattern {
  using offset_type = Offset;                       ///< the type of an offset
  static constexpr int window_rows = 1;             ///< each row is a window
  static constexpr int block_entries = 64;          ///< entries of a block
  static constexpr Ordinal most_distance = 0xffff;  ///< upper bound on the distances of a block that is not wide
  static constexpr const char* label = "Tessera::compact_rows_spmm";  ///< name of a portable product in profilers

  Ordinal rows = 0;                             ///< rows of the matrix
  Ordinal columns = 0;                          ///< columns of the matrix
  const Offset* row_offsets = nullptr;          ///< rows + 1 offsets
  const Ordinal* block_columns = nullptr;       ///< the least column of each block, or the number of a wide block
  const std::uint16_t* low_columns = nullptr;   ///< distances and low bits
  const std::uint16_t* high_columns = nullptr;  ///< high bits of the columns of wide blocks

  TESSERA_FUNCTION Ordinal windows() const { return rows; }  ///< number of windows: each row is one

  /// Returns the column of an entry.
  TESSERA_FUNCTION Ordinal column(Offset entry) const {
    const Ordinal first = block_columns[entry / block_entries];
    if (first >= 0) return first + low_columns[entry];
    const auto high =
        static_cast<std::size_t>(-1 - first) * block_entries + static_cast<unsigned>(entry) % block_entries;
    return static_cast<Ordinal>(low_columns[entry] | static_cast<unsigned>(high_columns[high]) << 16);
  }
};

/// Returns the number of blocks of a matrix in compact rows.
TESSERA_FUNCTION constexpr std::size_t compact_row_blocks(std::size_t nonzeros) {
  return (nonzeros + CompactRowsPattern::block_entries - 1) / CompactRowsPattern::block_entries;
}

/// Calls visit(column, place of the value) for every entry of a row, in ascending order of columns.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry(const CompactRowsPattern& A, Ordinal row, const Visit& visit) {
  for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) visit(A.column(k), k);
}

/// Calls visit(0, column, place of the value) for every entry of a row.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry_of_window(const CompactRowsPattern& A, Ordinal row, const Visit& visit) {
  for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) visit(0, A.column(k), k);
}

/// Returns the number of entries in the rows before `row`, which may be A.rows.
TESSERA_FUNCTION Offset entries_before(const CompactRowsPattern& A, Ordinal row) { return A.row_offsets[row]; }

}  // namespace Tessera::Impl
