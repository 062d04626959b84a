// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/cuda/Stream.hpp>
#include <vector>

namespace Tessera::Cuda {

/// What the work of a product depends on besides its columns, and how many arrays a CsrSchedule has to fill.
struct CsrScheduleSize {
  std::size_t nonzeros = 0;
  Ordinal piece_length = 0;  ///< entries of a piece
  Ordinal mean_span = 0;     ///< last column of a row less its first, plus 1; the mean over the rows that have entries
  Ordinal long_rows = 0;     ///< rows of more than piece_length entries
  Ordinal pieces = 0;        ///< of all long rows

  /// Integers in the memory of the schedule.
  std::size_t memory_size() const { return 2 * std::size_t(long_rows) + 1 + 2 * std::size_t(pieces); }
};

/// Which rows of a matrix are long, and how csr_spmm cuts them: raw pointers into memory that somebody else owns.
///
/// A row of more than piece_length entries is cut into pieces of that many, the last of which may have fewer. A piece
/// is summed from its first entry to its last, the pieces of a row are added from the first to the last: the order of
/// summation, and with it every bit of a column of Y, depends on the matrix and piece_length alone.
///
///   long_rows      size.long_rows      the matrix row of each, in any order
///   piece_offsets  size.long_rows + 1  first piece of each long row
///   piece_rows     size.pieces         the matrix row of each piece
///   piece_numbers  size.pieces         the place of a piece among those of its row, from 0
struct CsrSchedule {
  CsrScheduleSize size;
  const Ordinal* long_rows = nullptr;
  const Ordinal* piece_offsets = nullptr;
  const Ordinal* piece_rows = nullptr;
  const Ordinal* piece_numbers = nullptr;

  CsrSchedule() = default;
  /// \param memory  size.memory_size() integers: the arrays in the order above
  CsrSchedule(const CsrScheduleSize& size_, const Ordinal* memory)
      : size(size_),
        long_rows(memory),
        piece_offsets(long_rows + size.long_rows),
        piece_rows(piece_offsets + size.long_rows + 1),
        piece_numbers(piece_rows + size.pieces) {}
};

/// 128, or 64 for so few nonzeros that longer pieces would not fill a GPU several times over: below that the sums of
/// pieces cost as much as the pieces, above it one piece keeps a product, and the rest of its warp, waiting.
Ordinal csr_piece_length(std::size_t nonzeros);

/// The schedule of a matrix whose arrays are in host memory, into memory of the same kind.
///
/// \param A  canonical; with column_indices = nullptr, mean_span is A.columns
/// Throws std::overflow_error if there are more pieces than an int counts. Cost: one pass over the rows.
template <class Offset>
CsrScheduleSize count_csr_schedule(const CsrPattern<Offset>& A, Ordinal piece_length);
template <class Offset>
std::vector<Ordinal> fill_csr_schedule(const CsrPattern<Offset>& A, const CsrScheduleSize& size);

/// Counters in device memory that count_csr_schedule and fill_csr_schedule take, 8 bytes each.
inline constexpr int csr_schedule_counters = 3;

/// The same of a matrix in device memory, by two kernels. In contrast to those of the host's, long rows come in an
/// order that differs from run to run; results of csr_spmm do not depend on it.
///
/// \param counters  [scratch] csr_schedule_counters of them in device memory
/// \param memory    [out] size.memory_size() integers in device memory
/// Throws as above and std::runtime_error for errors of CUDA. Counting waits for the stream; filling does not.
template <class Offset>
CsrScheduleSize count_csr_schedule(Stream stream, const CsrPattern<Offset>& A, Ordinal piece_length,
                                   unsigned long long* counters);
template <class Offset>
void fill_csr_schedule(Stream stream, const CsrPattern<Offset>& A, const CsrScheduleSize& size,
                       unsigned long long* counters, Ordinal* memory);

}  // namespace Tessera::Cuda
