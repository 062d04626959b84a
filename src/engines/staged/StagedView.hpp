// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// A tile of a strip: 8 staged rows of X, and where the strip has entries in their columns.
///
/// codes[c] names the staged row of tile column c. Its bits 0..14 are 4 s + s mod 4 for slot s of a chunk. Bit 15 is
/// set if the slot is in the previous chunk, not the tile's own. Bit 8 r + c of the mask is set if row r of the strip
/// has an entry in tile column c. The values of the tile begin at first_value and are stored in the order of the bits.
/// An unused tile column has the code of another column, and no bits.
struct alignas(16) StagedTile {
  std::uint64_t mask = 0;         ///< the entries of the tile
  std::uint32_t first_value = 0;  ///< index of the tile's first value among those of the chunk
  std::uint32_t padding = 0;      ///< makes all bytes defined
  std::uint16_t codes[8] = {};    ///< the staged row of each tile column
};

/// The start of the tiles and values of a chunk.
struct alignas(8) StagedChunk {
  unsigned tiles;   ///< distance from the first tile, in units of 16 bytes
  unsigned values;  ///< distance from the first value, in units of 16 bytes
};

/// The pattern of a matrix in two levels of condensed windows: raw pointers to device memory that the caller owns.
///
/// A window has window_rows rows. Its distinct columns, in ascending order, are cut into chunks of at most chunk_slots
/// columns. A kernel copies the rows of X of a chunk to shared memory once, each to its slot. A window has strips of 8
/// rows. Each strip has its own tiles of 8 columns, picked from the chunk and the previous chunk. A row of X is
/// therefore gathered once for each window, and still multiplied by few zeros. Pieces of a window begin at chunks 0,
/// piece_chunks, 2 piece_chunks, ... No tile uses a chunk before the first chunk of its piece.
///
/// ```{.unparsed}
///   window_offsets  windows + 1           first chunk of each window; for schedules, not read by kernels
///   chunk_columns   chunk_slots * chunks  matrix column of each slot, -1 for none; aligned to 16 bytes
///   chunks          chunks + 1
///   tiles           for each chunk: strips + 1 numbers (16-bit), the first tile of each strip, padded to 16 bytes;
///                   then the tiles (StagedTile). Aligned to 16 bytes.
/// ```
///
/// Values of each chunk begin at a multiple of 16 bytes. The slots of the four tile columns that a warp reads at once
/// (even or odd ones) differ mod 4 wherever possible, so that they share no banks of shared memory.
struct StagedPattern {
  static constexpr int tile_width = 8;  ///< columns of a tile
  static constexpr int strip_rows = 8;  ///< rows of a strip

  Ordinal rows = 0;                        ///< rows of the matrix
  Ordinal columns = 0;                     ///< columns of the matrix
  int window_rows = 0;                     ///< rows of a window
  int chunk_slots = 0;                     ///< upper bound on the columns of a chunk
  int piece_chunks = 0;                    ///< chunks of a piece
  int most_tile_bytes = 0;                 ///< bytes of the tiles of the largest chunk, a multiple of 16
  int most_value_bytes = 0;                ///< bytes of the values of the largest chunk, a multiple of 16
  const int* window_offsets = nullptr;     ///< windows + 1 offsets, counted in chunks
  const Ordinal* chunk_columns = nullptr;  ///< chunk_slots columns for each chunk
  const StagedChunk* chunks = nullptr;     ///< where each chunk begins, and the end
  const std::byte* tiles = nullptr;        ///< headers and tiles of the chunks

  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, window_rows); }  ///< number of windows
  TESSERA_FUNCTION int strips() const { return window_rows / strip_rows; }              ///< strips of a window
};

/// How a matrix is cut into staged windows.
struct StagedShape {
  int window_rows = 64;    ///< rows of a window, a multiple of 64
  int chunk_slots = 64;    ///< distinct columns of a chunk, from 1 to 64
  int piece_chunks = 16;   ///< chunks of a window that one thread block multiplies
  int most_values = 1024;  ///< upper bound on the values of a chunk that has several columns

  TESSERA_FUNCTION int strips() const { return window_rows / StagedPattern::strip_rows; }  ///< strips of a window
  /// Returns the number of 64-bit words with one bit for each row of a window.
  TESSERA_FUNCTION int row_words() const { return window_rows / 64; }
  /// Whether all numbers are equal.
  friend bool operator==(const StagedShape&, const StagedShape&) = default;
};

/// Returns the number of bytes before the tiles of a chunk, for a number of strips.
TESSERA_FUNCTION constexpr int staged_header_bytes(int strips) { return (2 * (strips + 1) + 15) / 16 * 16; }

/// Staged windows for code that visits them row by row.
struct StagedWindowsPattern : StagedPattern {
  static constexpr const char* label = "Tessera::staged_spmm";  ///< name of a portable product in profilers

  int granule = 2;  ///< number of values in 16 bytes

  /// Returns the place of the first value of a chunk.
  TESSERA_FUNCTION Offset first_place(std::size_t chunk) const {
    return static_cast<Offset>(std::size_t(chunks[chunk].values) * std::size_t(granule));
  }
  /// Returns the first tile of each strip of a chunk, and the end.
  TESSERA_FUNCTION const std::uint16_t* strip_tiles(std::size_t chunk) const {
    return reinterpret_cast<const std::uint16_t*>(tiles + 16 * std::size_t(chunks[chunk].tiles));
  }
  /// Returns the tiles of a chunk.
  TESSERA_FUNCTION const StagedTile* chunk_tiles(std::size_t chunk) const {
    return reinterpret_cast<const StagedTile*>(tiles + 16 * std::size_t(chunks[chunk].tiles) +
                                               staged_header_bytes(strips()));
  }
  /// Returns the matrix column that a code in a chunk's tile names.
  TESSERA_FUNCTION Ordinal column_of(std::size_t chunk, unsigned code) const {
    return chunk_columns[(chunk - (code >> 15)) * std::size_t(chunk_slots) + (code & 0x7fffu) / 4];
  }
};

/// Calls visit(code of the column, place of the value) for every entry of a row of a window in a chunk.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry_of_row(const StagedWindowsPattern& A, std::size_t chunk, int row,
                                            const Visit& visit) {
  const int strip = row / 8, r = row % 8;
  const std::uint16_t* strip_tiles = A.strip_tiles(chunk);
  for (int t = strip_tiles[strip]; t < strip_tiles[strip + 1]; ++t) {
    const StagedTile& tile = A.chunk_tiles(chunk)[t];
    const std::uint64_t mask = tile.mask;
    Offset place =
        A.first_place(chunk) + static_cast<Offset>(tile.first_value + unsigned(popcount(mask & low_bits(8 * r))));
    for (unsigned bits = unsigned(mask >> (8 * r)) & 0xffu; bits != 0; bits &= bits - 1)
      visit(tile.codes[lowest_bit(bits)], place++);
  }
}

/// Calls visit(column, place of the value) for every entry of a row. Columns are in no particular order.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry(const StagedWindowsPattern& A, Ordinal row, const Visit& visit) {
  const Ordinal window = row / A.window_rows;
  const int first = A.window_offsets[window], end = A.window_offsets[window + 1];
  for (auto chunk = std::size_t(first); chunk < std::size_t(end); ++chunk) {
    for_each_entry_of_row(A, chunk, row % A.window_rows,
                          [&](unsigned code, Offset place) { visit(A.column_of(chunk, code), place); });
  }
}

/// Calls visit(row within the window, column, place of the value) for every entry of a window, tile by tile.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry_of_window(const StagedWindowsPattern& A, Ordinal window, const Visit& visit) {
  for (auto chunk = std::size_t(A.window_offsets[window]); chunk < std::size_t(A.window_offsets[window + 1]); ++chunk) {
    const std::uint16_t* strip_tiles = A.strip_tiles(chunk);
    for (int strip = 0; strip < A.strips(); ++strip) {
      for (int t = strip_tiles[strip]; t < strip_tiles[strip + 1]; ++t) {
        const StagedTile& tile = A.chunk_tiles(chunk)[t];
        Offset place = A.first_place(chunk) + static_cast<Offset>(tile.first_value);
        for (std::uint64_t bits = tile.mask; bits != 0; bits &= bits - 1) {
          const int bit = lowest_bit(bits);
          visit(8 * strip + bit / 8, A.column_of(chunk, tile.codes[bit % 8]), place++);
        }
      }
    }
  }
}

/// Returns the number of places before `window`. For windows() this is the number of all places.
TESSERA_FUNCTION Offset entries_before(const StagedWindowsPattern& A, Ordinal window) {
  return A.first_place(std::size_t(A.window_offsets[window]));
}

}  // namespace Tessera::Impl
