// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/common/H200.hpp>
#include <tessera/cuda/Stream.hpp>
#include <vector>

#include "csr/TileSpan.hpp"

namespace Tessera::Impl::Cuda {

/// The start of a tile of adjacent entries, and its rows. A thread block of csr_spmm() multiplies one tile if X has a
/// single column, or the rows that begin in several (csr_has_column_blocks()); and one tile if X has few columns and A
/// is small (csr_gathers_tiles()).
///
/// Entry k of row i has position k + i / 2. Each row takes half a position, so a tile has few rows even if these are
/// empty. Tile t has the rows that begin at positions t * csr_tile_span to (t + 1) * csr_tile_span - 1. If a row has
/// more than csr_tile_row entries, those of more than csr_cut_row entries are cut: the tile has only their entries at
/// these positions, and a second kernel adds the sums of all tiles of such a row.
struct CsrTile {
  std::uint64_t entry = 0;    ///< the first entry
  Ordinal row = 0;            ///< the first row that begins in the tile or after it
  Ordinal is_within_row = 0;  ///< 1 if row - 1 began before the first entry and ends after it; otherwise 0
};

/// The sizes of a CsrSchedule, and other properties of A on which the work of a product depends.
struct CsrScheduleSize {
  std::size_t nonzeros = 0;       ///< entries of the matrix
  Ordinal piece_length = 0;       ///< entries of a piece
  Ordinal mean_span = 0;          ///< mean over rows with entries of the last column minus the first, plus 1
  Ordinal long_rows = 0;          ///< number of rows with more than piece_length entries
  Ordinal pieces = 0;             ///< number of pieces of all long rows
  Ordinal tiles = 0;              ///< number of tiles
  std::uint64_t longest_row = 0;  ///< entries of the longest row
  /// Whether a single column is summed in the order of a column among others, which takes longer. It is set before
  /// memory is sized.
  bool keeps_order = false;
  /// Entries that one more slab of columns reads in the time of packing X: see csr_packs() and csr_is_narrow().
  double packing_entries = H200::packing_entries;

  /// Whether tiles cut rows.
  TESSERA_FUNCTION bool cuts_rows() const { return longest_row > static_cast<std::uint64_t>(csr_tile_row); }
  /// Returns the number of lines that add the pieces of a row (CsrPieceSums): more if rows have many pieces, and so few
  /// rows are long that these lines do not wait for each other.
  TESSERA_FUNCTION unsigned lines_of_pieces() const {
    constexpr std::uint64_t many = 32;
    constexpr Ordinal few_rows = 512;
    const bool are_many = longest_row > many * static_cast<std::uint64_t>(piece_length);
    return are_many && long_rows <= few_rows ? many_lines : few_lines;
  }
  static constexpr unsigned few_lines = 4, many_lines = 32;
  /// Returns the number of integers in the memory of the schedule.
  std::size_t memory_size() const {
    return tile_memory_size() + 2 * std::size_t(long_rows) + 1 + 2 * std::size_t(pieces);
  }
  /// Returns the number of integers for the tiles, which are stored first.
  std::size_t tile_memory_size() const { return (std::size_t(tiles) + 1) * (sizeof(CsrTile) / sizeof(Ordinal)); }
};

/// The long rows of a matrix, and how csr_spmm() cuts them: raw pointers into memory that the caller owns.
///
/// A row of more than piece_length entries is cut into pieces of piece_length entries; the last may have fewer. A piece
/// is summed from its first entry to its last, and n lines add the pieces of a row
/// (CsrScheduleSize::lines_of_pieces()): line s has pieces s, s + n, s + 2 n and so on. The order of summation, hence
/// every bit of a column of Y, depends only on the matrix and piece_length. A single column may have an order of its
/// own (choose_csr_column_kernel()), unless size.keeps_order.
///
/// ```{.unparsed}
///   tiles          size.tiles + 1      where tiles begin; the last one is where the matrix ends
///   long_rows      size.long_rows      matrix row of each long row, in any order
///   piece_offsets  size.long_rows + 1  first piece of each long row
///   piece_rows     size.pieces         the matrix row of each piece
///   piece_numbers  size.pieces         index of the piece in its row, from 0
/// ```
struct CsrSchedule {
  CsrScheduleSize size;                    ///< the sizes of the arrays
  const CsrTile* tiles = nullptr;          ///< size.tiles + 1 tiles
  const Ordinal* long_rows = nullptr;      ///< size.long_rows rows
  const Ordinal* piece_offsets = nullptr;  ///< size.long_rows + 1 offsets, counted in pieces
  const Ordinal* piece_rows = nullptr;     ///< the row of each piece
  const Ordinal* piece_numbers = nullptr;  ///< index of each piece in its row, from 0

  /// An empty schedule. csr_spmm() accepts it only for a matrix without rows.
  CsrSchedule() = default;
  /// Makes a schedule whose arrays are in `memory`, size.memory_size() integers, in the order above. The memory is
  /// aligned to 8 bytes.
  CsrSchedule(const CsrScheduleSize& size_, const Ordinal* memory)
      : size(size_),
        tiles(reinterpret_cast<const CsrTile*>(memory)),
        long_rows(memory + size.tile_memory_size()),
        piece_offsets(long_rows + size.long_rows),
        piece_rows(piece_offsets + size.long_rows + 1),
        piece_numbers(piece_rows + size.pieces) {}
};

/// Returns the lower bound on the entries of a piece: 128, or 64 or 32 if there are too few nonzeros for longer pieces
/// to fill a GPU several times. With shorter pieces, adding their sums would cost as much as computing them, above all
/// for wide rows of X. With longer ones, a product and the other groups of a warp would wait for a single piece.
///
/// \param nonzeros  [in] entries of the matrix
/// \param row_bytes [in] bytes of a row of a typical X
Ordinal csr_piece_length(std::size_t nonzeros, std::size_t row_bytes);
/// Whether long rows have so many pieces that longer pieces are better, because few lines of threads add the sums of
/// all pieces of a row.
bool csr_has_many_pieces(const CsrScheduleSize& size);
/// Whether a small matrix may have pieces of H200::uncut_row entries, which cut none of its rows.
///
/// \param uncut [in] the sizes with such pieces
bool csr_is_uncut(Ordinal rows, const CsrScheduleSize& uncut);

/// Chooses the sizes of a schedule. Rows of up to 64 entries, or longer ones in small matrices, are not cut. Other rows
/// are cut into pieces of csr_piece_length() entries, or longer pieces if rows are very long.
///
/// \param rows  [in] rows of the matrix
/// \param count [in] count(piece_length) returns the sizes for pieces of that length, one of CsrPieceLengths
template <class Count>
CsrScheduleSize choose_csr_schedule(Ordinal rows, std::size_t nonzeros, std::size_t row_bytes, const Count& count) {
  constexpr Ordinal usual = 64;
  const Ordinal length = csr_piece_length(nonzeros, row_bytes);
  CsrScheduleSize size = count(length < usual ? usual : length);
  if (size.long_rows == 0) return size;
  const CsrScheduleSize uncut = count(Ordinal(H200::uncut_row));
  if (csr_is_uncut(rows, uncut)) return uncut;
  if (length < usual) size = count(length);
  while (csr_has_many_pieces(size)) size = count(2 * size.piece_length);
  return size;
}

/// Computes the sizes of the schedule of a matrix in host memory.
///
/// \param A            [in] a canonical pattern; if column_indices is null, mean_span becomes A.columns
/// \param piece_length [in] entries of a piece
/// \throws std::invalid_argument if it is not positive
///
/// Cost: one pass over the rows.
CsrScheduleSize count_csr_schedule(const CsrPattern<Offset>& A, Ordinal piece_length);
/// Fills the arrays of a schedule of these sizes, in host memory. Cost: one pass over the rows.
std::vector<Ordinal> fill_csr_schedule(const CsrPattern<Offset>& A, const CsrScheduleSize& size);

/// Fills the schedule of a matrix in device memory. Does not wait. The order of long rows differs from run to run;
/// results of csr_spmm() do not depend on it.
///
/// \param stream  [in]      the stream of the kernel
/// \param A       [in]      a canonical pattern
/// \param size    [in]      the sizes of the schedule: see CsrRowCounts
/// \param counter [scratch] a counter in device memory; may be null if no row is long
/// \param memory  [out]     size.memory_size() integers in device memory
/// \throws std::runtime_error for errors of CUDA
void fill_csr_schedule(Stream stream, const CsrPattern<Offset>& A, const CsrScheduleSize& size,
                       unsigned long long* counter, Ordinal* memory);

}  // namespace Tessera::Impl::Cuda
