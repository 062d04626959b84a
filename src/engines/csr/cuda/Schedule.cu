// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "Task.cuh"
#include "csr/cuda/Schedule.hpp"
#include "launch/Launch.cuh"
#include "launch/WarpSum.cuh"

namespace Tessera::Impl::Cuda {

namespace {

/// Number of long rows and of their pieces in one integer, so one atomic addition reserves slots for both.
using LongRowsAndPieces = unsigned long long;
constexpr int pieces_bits = 32;

__host__ __device__ Ordinal pieces_of(Offset length, Ordinal piece_length) {
  if (length <= Offset(piece_length)) return 0;  // the row is its only piece
  return static_cast<Ordinal>((length - 1) / Offset(piece_length)) + 1;
}

__host__ __device__ Ordinal span_of(const CsrPattern<Offset>& A, Ordinal row) {
  const Offset begin = A.row_offsets[row], end = A.row_offsets[row + 1];
  if (begin == end) return 0;
  return A.column_indices == nullptr ? A.columns : A.column_indices[end - 1] - A.column_indices[begin] + 1;
}

/// Counts of the rows of a matrix, on the host or the device.
struct Counts {
  unsigned long long spans = 0;
  unsigned long long rows_with_entries = 0;
  unsigned long long long_rows = 0;
  unsigned long long pieces = 0;
};

CsrScheduleSize size_of(const Counts& counts, Ordinal rows, std::size_t nonzeros, Ordinal piece_length) {
  if (counts.pieces > static_cast<unsigned long long>(std::numeric_limits<Ordinal>::max())) {
    throw std::overflow_error("csr schedule: " + std::to_string(counts.pieces) + " pieces of " +
                              std::to_string(piece_length) + " entries, more than an int counts");
  }
  CsrScheduleSize size;
  size.nonzeros = nonzeros;
  size.piece_length = piece_length;
  size.mean_span = static_cast<Ordinal>(counts.spans / std::max(counts.rows_with_entries, 1ull));
  size.long_rows = static_cast<Ordinal>(counts.long_rows);
  size.pieces = static_cast<Ordinal>(counts.pieces);
  size.tiles = rows == 0 ? 0 : static_cast<Ordinal>(csr_tile_of(nonzeros, static_cast<std::uint64_t>(rows)) + 1);
  return size;
}

/// Writes the tiles that begin after the first entry of this row, up to the first entry of the next row.
///
/// \param first_piece  the first piece of the row in the schedule, if it is long
__host__ __device__ void fill_tiles(const CsrPattern<Offset>& A, const CsrScheduleSize& size, Ordinal row,
                                    Ordinal first_piece, CsrTile* tiles) {
  const std::uint64_t begin = A.row_offsets[row], end = A.row_offsets[row + 1];
  const auto number = static_cast<std::uint64_t>(row), piece_length = static_cast<std::uint64_t>(size.piece_length);
  const auto pieces = static_cast<std::uint64_t>(pieces_of(end - begin, size.piece_length));
  if (row == 0) tiles[0] = CsrTile{};
  for (std::uint64_t t = csr_tile_of(begin, number) + 1; t <= csr_tile_of(end, number + 1); ++t) {
    const std::uint64_t piece = (t * csr_tile_span - (begin + number / 2) + piece_length - 1) / piece_length;
    const bool is_within = piece < pieces;
    tiles[t] = {is_within ? begin + piece * piece_length : end, row + 1,
                is_within ? first_piece + static_cast<Ordinal>(piece) : -1};
  }
  if (row + 1 == A.rows) tiles[size.tiles] = {end, A.rows, -1};
}

void check_piece_length(Ordinal piece_length) {
  if (piece_length < 1) {
    throw std::invalid_argument("csr schedule: piece_length is " + std::to_string(piece_length) + ", not positive");
  }
}

/// Adds the spans to counters[0], the rows with entries to counters[1], and long rows and pieces to counters[2].
__global__ void count_long_rows(CsrPattern<Offset> A, Ordinal piece_length, unsigned long long* counters) {
  const auto row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  Ordinal span = 0, pieces = 0;
  if (row < A.rows) {
    const auto i = static_cast<Ordinal>(row);
    span = span_of(A, i);
    pieces = pieces_of(A.row_offsets[i + 1] - A.row_offsets[i], piece_length);
  }
  const unsigned long long counts[csr_schedule_counters] = {
      warp_sum(static_cast<unsigned long long>(span)), warp_sum(span > 0),
      warp_sum(pieces > 0 ? (LongRowsAndPieces(1) << pieces_bits) + static_cast<unsigned>(pieces) : 0)};
  if (threadIdx.x % 32 != 0) return;
  for (int c = 0; c < csr_schedule_counters; ++c) {
    if (counts[c] > 0) atomicAdd(&counters[c], counts[c]);
  }
}

/// Lists a row if it is long.
///
/// \return its first piece, or -1
__device__ Ordinal fill_long_row(const CsrPattern<Offset>& A, const CsrScheduleSize& size, Ordinal i,
                                 unsigned long long* counter, Ordinal* memory) {
  const Ordinal pieces = pieces_of(A.row_offsets[i + 1] - A.row_offsets[i], size.piece_length);
  if (pieces == 0) return -1;
  const LongRowsAndPieces before =
      atomicAdd(counter, (LongRowsAndPieces(1) << pieces_bits) + static_cast<unsigned>(pieces));
  const auto l = static_cast<Ordinal>(before >> pieces_bits);
  const auto first = static_cast<Ordinal>(before & 0xffffffffu);
  Ordinal* const long_rows = memory;
  Ordinal* const piece_offsets = long_rows + size.long_rows;
  Ordinal* const piece_rows = piece_offsets + size.long_rows + 1;
  Ordinal* const piece_numbers = piece_rows + size.pieces;
  long_rows[l] = i;
  piece_offsets[l] = first;
  if (l + 1 == size.long_rows) piece_offsets[l + 1] = first + pieces;
  for (Ordinal p = 0; p < pieces; ++p) {
    piece_rows[first + p] = i;
    piece_numbers[first + p] = p;
  }
  return first;
}

__global__ void fill_rows(CsrPattern<Offset> A, CsrScheduleSize size, unsigned long long* counter, CsrTile* tiles,
                          Ordinal* lists) {
  const auto row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= A.rows) return;
  const auto i = static_cast<Ordinal>(row);
  const Ordinal first_piece = fill_long_row(A, size, i, counter, lists);
  fill_tiles(A, size, i, first_piece, tiles);
}

constexpr unsigned block_threads = 256;  // one row each

}  // namespace

Ordinal csr_piece_length(std::size_t nonzeros, std::size_t row_bytes) {
  constexpr std::size_t small = std::size_t(1) << 19, wide = 1024;
  Ordinal length = nonzeros < small && row_bytes <= wide ? 32 : 64;
  while (length < 128 && nonzeros / 16384 >= 2 * static_cast<std::size_t>(length)) length *= 2;
  return length;
}

bool csr_has_many_pieces(const CsrScheduleSize& size) {
  constexpr std::int64_t many = 64;
  return size.piece_length < 128 && size.pieces > many * size.long_rows;
}

bool csr_is_uncut(Ordinal rows, const CsrScheduleSize& uncut) {
  return uncut.long_rows == 0 && rows < H200::small_rows && static_cast<double>(uncut.nonzeros) < H200::small_entries;
}

CsrScheduleSize count_csr_schedule(const CsrPattern<Offset>& A, Ordinal piece_length) {
  check_piece_length(piece_length);
  Counts counts;
  for (Ordinal i = 0; i < A.rows; ++i) {
    const Ordinal span = span_of(A, i);
    const Ordinal pieces = pieces_of(A.row_offsets[i + 1] - A.row_offsets[i], piece_length);
    counts.spans += static_cast<unsigned long long>(span);
    counts.rows_with_entries += span > 0;
    counts.long_rows += pieces > 0;
    counts.pieces += static_cast<unsigned long long>(pieces);
  }
  return size_of(counts, A.rows, A.rows == 0 ? 0 : static_cast<std::size_t>(A.row_offsets[A.rows]), piece_length);
}

std::vector<Ordinal> fill_csr_schedule(const CsrPattern<Offset>& A, const CsrScheduleSize& size) {
  std::vector<Ordinal> long_rows, piece_offsets{0}, piece_rows, piece_numbers;
  std::vector<CsrTile> tiles(static_cast<std::size_t>(size.tiles) + 1);
  for (Ordinal i = 0; i < A.rows; ++i) {
    const Ordinal pieces = pieces_of(A.row_offsets[i + 1] - A.row_offsets[i], size.piece_length);
    fill_tiles(A, size, i, static_cast<Ordinal>(piece_rows.size()), tiles.data());
    if (pieces == 0) continue;
    long_rows.push_back(i);
    for (Ordinal p = 0; p < pieces; ++p) {
      piece_rows.push_back(i);
      piece_numbers.push_back(p);
    }
    piece_offsets.push_back(static_cast<Ordinal>(piece_rows.size()));
  }
  std::vector<Ordinal> memory(size.tile_memory_size());
  std::memcpy(memory.data(), tiles.data(), memory.size() * sizeof(Ordinal));
  for (const auto* part : {&long_rows, &piece_offsets, &piece_rows, &piece_numbers}) {
    memory.insert(memory.end(), part->begin(), part->end());
  }
  return memory;
}

CsrScheduleSize count_csr_schedule(Stream stream, const CsrPattern<Offset>& A, Ordinal piece_length,
                                   unsigned long long* counters) {
  check_piece_length(piece_length);
  if (A.rows == 0) return size_of({}, 0, 0, piece_length);
  unsigned long long host[csr_schedule_counters];
  Offset nonzeros = 0;
  check(cudaMemsetAsync(counters, 0, sizeof(host), stream), "csr schedule: clearing counters");
  launch("count_long_rows", count_long_rows, blocks_for(std::size_t(A.rows), block_threads), block_threads, 0, stream,
         A, piece_length, counters);
  check(cudaMemcpyAsync(host, counters, sizeof(host), cudaMemcpyDefault, stream), "csr schedule: reading counters");
  check(cudaMemcpyAsync(&nonzeros, A.row_offsets + A.rows, sizeof(Offset), cudaMemcpyDefault, stream),
        "csr schedule: reading the number of entries");
  check(cudaStreamSynchronize(stream), "csr schedule: counting");
  const Counts counts{host[0], host[1], host[2] >> pieces_bits, host[2] & 0xffffffffu};
  return size_of(counts, A.rows, static_cast<std::size_t>(nonzeros), piece_length);
}

void fill_csr_schedule(Stream stream, const CsrPattern<Offset>& A, const CsrScheduleSize& size,
                       unsigned long long* counters, Ordinal* memory) {
  if (A.rows == 0) return;
  check(cudaMemsetAsync(counters, 0, sizeof(*counters), stream), "csr schedule: clearing counters");
  launch("fill_rows", fill_rows, blocks_for(std::size_t(A.rows), block_threads), block_threads, 0, stream, A, size,
         counters, reinterpret_cast<CsrTile*>(memory), memory + size.tile_memory_size());
}

}  // namespace Tessera::Impl::Cuda
