// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// A tile of a strip: 8 columns of X rows that are staged, and where the strip has entries in them.
///
/// codes[c] names the staged row of tile column c: bits 0..14 are 4 s + s mod 4 for slot s of a chunk, and bit 15 is
/// set if that is the chunk before the tile's own. Bit 8 r + c of masks[b] is set if row 8 b + r of the strip has an
/// entry in tile column c. Its values follow from first_value on, counted from those of the chunk, mask by mask, in the
/// order of the bits. A tile column that stands for none has the code of another one, and no bits.
template <int blocks>
struct alignas(16) StagedTile {
  std::uint64_t masks[blocks] = {};
  std::uint32_t first_value = 0;
  std::uint32_t padding[2 * blocks - 1] = {};  // no byte is left undefined
  std::uint16_t codes[8] = {};
};

/// Where the parts of a chunk lie.
struct alignas(8) StagedChunk {
  unsigned tiles;   ///< from the first of `tiles`, in 16 bytes
  unsigned values;  ///< from the first value, in 16 bytes
};

/// The pattern of a matrix in two levels of condensed windows: raw pointers to device memory that somebody else owns.
///
/// A window has window_rows rows. Its distinct columns, ascending, are cut into chunks of at most chunk_slots; who
/// multiplies copies the rows of X that belong to a chunk to shared memory once, each to its slot. A window consists of
/// strips of 8 or 16 rows, which have tiles of 8 columns of their own, picked from the chunk and the chunk before it.
/// So a row of X is gathered once a window, and multiplied with few zeros nevertheless. No tile looks back beyond the
/// first chunk of a piece: the chunks 0, piece_chunks, 2 piece_chunks, ... of a window.
///
///   window_offsets  windows + 1           first chunk of each window; read by no kernel: schedules are made from it
///   chunk_columns   chunk_slots * chunks  matrix column of each slot, -1 for none; aligned to 16 bytes
///   chunks          chunks + 1
///   tiles           of each chunk: strips + 1 numbers of 16 bits, the first tile of each strip, filled up to 16 bytes;
///                   then the tiles (StagedTile). Aligned to 16 bytes.
///
/// Values begin at 16 bytes with every chunk. Of four tile columns that a warp reads at once (even ones, odd ones) the
/// slots differ mod 4 wherever possible: then no two of them share banks of shared memory.
struct StagedPattern {
  static constexpr int tile_width = 8;

  Ordinal rows = 0;
  Ordinal columns = 0;
  int window_rows = 0;
  int strip_blocks = 1;  // of 8 rows
  int chunk_slots = 0;
  int piece_chunks = 0;
  int most_tile_bytes = 0;  // of a chunk, multiples of 16
  int most_value_bytes = 0;
  const int* window_offsets = nullptr;
  const Ordinal* chunk_columns = nullptr;
  const StagedChunk* chunks = nullptr;
  const std::byte* tiles = nullptr;

  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, window_rows); }
  TESSERA_FUNCTION int strips() const { return window_rows / (8 * strip_blocks); }
};

/// How a matrix is cut into staged windows.
struct StagedShape {
  int window_rows = 64;    ///< a multiple of 64
  int strip_blocks = 1;    ///< of 8 rows, that a strip has: 1 or 2
  int chunk_slots = 64;    ///< distinct columns of a chunk, from 1 to 64
  int piece_chunks = 16;   ///< of a window, that are multiplied by one block of threads
  int most_values = 1024;  ///< of the columns of a chunk, if they are more than one

  TESSERA_FUNCTION int strip_rows() const { return 8 * strip_blocks; }
  TESSERA_FUNCTION int strips() const { return window_rows / strip_rows(); }
  TESSERA_FUNCTION int row_words() const { return window_rows / 64; }  ///< that have a bit for each row of a window
  friend bool operator==(const StagedShape&, const StagedShape&) = default;
};

/// Bytes before the tiles of a chunk.
TESSERA_FUNCTION constexpr int staged_header_bytes(int strips) { return (2 * (strips + 1) + 15) / 16 * 16; }

/// Staged windows with the type of the values' places, and how many values 16 bytes hold: for who walks along rows.
/// Strips have 8 rows.
template <class Offset>
struct StagedWindowsPattern : StagedPattern {
  using offset_type = Offset;

  int granule = 2;  ///< values in 16 bytes

  /// The place of the first value of a chunk.
  TESSERA_FUNCTION Offset first_place(std::size_t chunk) const {
    return static_cast<Offset>(std::size_t(chunks[chunk].values) * std::size_t(granule));
  }
  /// The first tile of each strip of a chunk, and the end; the tiles follow.
  TESSERA_FUNCTION const std::uint16_t* strip_tiles(std::size_t chunk) const {
    return reinterpret_cast<const std::uint16_t*>(tiles + 16 * std::size_t(chunks[chunk].tiles));
  }
  TESSERA_FUNCTION const StagedTile<1>* chunk_tiles(std::size_t chunk) const {
    return reinterpret_cast<const StagedTile<1>*>(tiles + 16 * std::size_t(chunks[chunk].tiles) +
                                                  staged_header_bytes(strips()));
  }
  /// The matrix column that a code of a chunk's tile names.
  TESSERA_FUNCTION Ordinal column_of(std::size_t chunk, unsigned code) const {
    return chunk_columns[(chunk - (code >> 15)) * std::size_t(chunk_slots) + (code & 0x7fffu) / 4];
  }
};

/// Calls visit(column, place of the value) for every entry of a row; columns come in no order.
TESSERA_CALLS_ARGUMENT
template <class Offset, class Visit>
TESSERA_FUNCTION void for_each_entry(const StagedWindowsPattern<Offset>& A, Ordinal row, const Visit& visit) {
  const Ordinal window = row / A.window_rows;
  const int strip = row % A.window_rows / 8, r = row % 8;
  for (int chunk = A.window_offsets[window]; chunk < A.window_offsets[window + 1]; ++chunk) {
    const std::uint16_t* strip_tiles = A.strip_tiles(std::size_t(chunk));
    for (int t = strip_tiles[strip]; t < strip_tiles[strip + 1]; ++t) {
      const StagedTile<1>& tile = A.chunk_tiles(std::size_t(chunk))[t];
      const std::uint64_t mask = tile.masks[0];
      Offset place = A.first_place(std::size_t(chunk)) +
                     static_cast<Offset>(tile.first_value + unsigned(popcount(mask & low_bits(8 * r))));
      for (unsigned bits = unsigned(mask >> (8 * r)) & 0xffu; bits != 0; bits &= bits - 1)
        visit(A.column_of(std::size_t(chunk), tile.codes[lowest_bit(bits)]), place++);
    }
  }
}

/// The places of all windows before this one; of all, for window = windows().
template <class Offset>
TESSERA_FUNCTION Offset entries_before(const StagedWindowsPattern<Offset>& A, Ordinal window) {
  return A.first_place(std::size_t(A.window_offsets[window]));
}

}  // namespace Tessera
