// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/common/H200.hpp>

#include "csr/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// Returns the number of pieces that a row is cut into; 0 for a row that is not cut.
TESSERA_FUNCTION Ordinal csr_pieces_of(Offset length, Ordinal piece_length) {
  return length <= Offset(piece_length) ? 0 : static_cast<Ordinal>((length - 1) / Offset(piece_length)) + 1;
}

/// The lengths of pieces that choose_csr_schedule() compares.
struct CsrPieceLengths {
  static constexpr int count = 4;
  Ordinal at[count] = {32, 64, 128, H200::uncut_row};
};

/// What the sizes of schedules depend on, summed over rows, for several lengths of pieces at once.
struct CsrRowCounts {
  std::int64_t spans = 0;  // see CsrScheduleSize::mean_span
  Ordinal rows_with_entries = 0;
  std::uint64_t longest = 0;  // entries of the longest row
  Ordinal long_rows[CsrPieceLengths::count] = {};
  Ordinal pieces[CsrPieceLengths::count] = {};  // each has an entry, so an Offset can count them

  /// Returns the counts of rows that are not cut.
  static CsrRowCounts of_short_rows(Ordinal rows_with_entries, std::uint64_t longest, std::int64_t spans) {
    CsrRowCounts counts;
    counts.rows_with_entries = rows_with_entries;
    counts.longest = longest;
    counts.spans = spans;
    return counts;
  }

  TESSERA_FUNCTION void add_row(const CsrPattern<Offset>& A, Ordinal row, const CsrPieceLengths& lengths) {
    const Offset begin = A.row_offsets[row], end = A.row_offsets[row + 1];
    if (begin == end) return;
    ++rows_with_entries;
    take_longer(end - begin);
    spans += A.column_indices == nullptr ? A.columns : A.column_indices[end - 1] - A.column_indices[begin] + 1;
    for (int i = 0; i < CsrPieceLengths::count; ++i) {
      const Ordinal pieces_of_row = csr_pieces_of(end - begin, lengths.at[i]);
      long_rows[i] += pieces_of_row > 0;
      pieces[i] += pieces_of_row;
    }
  }
  TESSERA_FUNCTION void operator+=(const CsrRowCounts& other) {
    spans += other.spans;
    rows_with_entries += other.rows_with_entries;
    take_longer(other.longest);
    for (int i = 0; i < CsrPieceLengths::count; ++i) {
      long_rows[i] += other.long_rows[i];
      pieces[i] += other.pieces[i];
    }
  }

  TESSERA_FUNCTION void take_longer(std::uint64_t length) { longest = length > longest ? length : longest; }

  /// Returns the sizes of the schedule with pieces of one of the lengths that were counted.
  /// \throws std::invalid_argument if the length was not counted, or is not positive
  CsrScheduleSize size(const CsrPieceLengths& lengths, Ordinal piece_length, Ordinal rows, std::size_t nonzeros) const;
};

}  // namespace Tessera::Impl::Cuda
