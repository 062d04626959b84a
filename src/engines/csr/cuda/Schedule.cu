// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "Task.cuh"
#include "csr/cuda/RowCounts.hpp"
#include "csr/cuda/Schedule.hpp"
#include "launch/Launch.cuh"

namespace Tessera::Impl::Cuda {

namespace {

/// Number of long rows and of their pieces in one integer, so one atomic addition reserves slots for both.
using LongRowsAndPieces = unsigned long long;
constexpr int pieces_bits = 32;

/// Writes the tiles that begin after the first entry of this row, up to the first entry of the next row.
__host__ __device__ void fill_tiles(const CsrPattern<Offset>& A, const CsrScheduleSize& size, Ordinal row,
                                    CsrTile* tiles) {
  const std::uint64_t begin = A.row_offsets[row], end = A.row_offsets[row + 1];
  const auto number = static_cast<std::uint64_t>(row);
  const bool is_cut = size.cuts_rows() && end - begin > static_cast<std::uint64_t>(csr_cut_row);
  if (row == 0) tiles[0] = CsrTile{};
  for (std::uint64_t t = csr_tile_of(begin, number) + 1; t <= csr_tile_of(end, number + 1); ++t) {
    const std::uint64_t entry = t * csr_tile_span - number / 2;
    const bool is_within = is_cut && entry < end;
    tiles[t] = {is_within ? entry : end, row + 1, is_within};
  }
  if (row + 1 == A.rows) tiles[size.tiles] = {end, A.rows, 0};
}

/// Lists a row if it is long.
__device__ void fill_long_row(const CsrPattern<Offset>& A, const CsrScheduleSize& size, Ordinal i,
                              unsigned long long* counter, Ordinal* memory) {
  const Ordinal pieces = csr_pieces_of(A.row_offsets[i + 1] - A.row_offsets[i], size.piece_length);
  if (pieces == 0) return;
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
}

__global__ void fill_rows(CsrPattern<Offset> A, CsrScheduleSize size, unsigned long long* counter, CsrTile* tiles,
                          Ordinal* lists) {
  const auto row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= A.rows) return;
  const auto i = static_cast<Ordinal>(row);
  fill_long_row(A, size, i, counter, lists);
  fill_tiles(A, size, i, tiles);
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

CsrScheduleSize CsrRowCounts::size(const CsrPieceLengths& lengths, Ordinal piece_length, Ordinal rows,
                                   std::size_t nonzeros) const {
  const Ordinal* const at = std::find(std::begin(lengths.at), std::end(lengths.at), piece_length);
  if (at == std::end(lengths.at) || piece_length < 1) {
    throw std::invalid_argument("csr schedule: piece_length is " + std::to_string(piece_length) +
                                (piece_length < 1 ? ", not positive" : ", which was not counted"));
  }
  const auto number = static_cast<std::size_t>(at - lengths.at);
  CsrScheduleSize size;
  size.nonzeros = nonzeros;
  size.piece_length = piece_length;
  size.mean_span = static_cast<Ordinal>(spans / std::max(rows_with_entries, 1));
  size.long_rows = long_rows[number];
  size.pieces = pieces[number];
  size.longest_row = longest;
  size.tiles = rows == 0 ? 0 : static_cast<Ordinal>(csr_tile_of(nonzeros, static_cast<std::uint64_t>(rows)) + 1);
  return size;
}

CsrScheduleSize count_csr_schedule(const CsrPattern<Offset>& A, Ordinal piece_length) {
  const CsrPieceLengths lengths{{piece_length, piece_length, piece_length, piece_length}};
  CsrRowCounts counts;
  if (piece_length > 0) {
    for (Ordinal row = 0; row < A.rows; ++row) counts.add_row(A, row, lengths);
  }
  return counts.size(lengths, piece_length, A.rows, A.rows == 0 ? 0 : static_cast<std::size_t>(A.row_offsets[A.rows]));
}

std::vector<Ordinal> fill_csr_schedule(const CsrPattern<Offset>& A, const CsrScheduleSize& size) {
  std::vector<Ordinal> long_rows, piece_offsets{0}, piece_rows, piece_numbers;
  std::vector<CsrTile> tiles(static_cast<std::size_t>(size.tiles) + 1);
  for (Ordinal i = 0; i < A.rows; ++i) {
    const Ordinal pieces = csr_pieces_of(A.row_offsets[i + 1] - A.row_offsets[i], size.piece_length);
    fill_tiles(A, size, i, tiles.data());
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

void fill_csr_schedule(Stream stream, const CsrPattern<Offset>& A, const CsrScheduleSize& size,
                       unsigned long long* counter, Ordinal* memory) {
  if (A.rows == 0) return;
  if (size.long_rows > 0)
    check(cudaMemsetAsync(counter, 0, sizeof(*counter), stream), "csr schedule: clearing the counter");
  launch("fill_rows", fill_rows, blocks_for(std::size_t(A.rows), block_threads), block_threads, 0, stream, A, size,
         counter, reinterpret_cast<CsrTile*>(memory), memory + size.tile_memory_size());
}

}  // namespace Tessera::Impl::Cuda
