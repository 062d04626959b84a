// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// The pattern of a matrix in BMat (Voltrix-SpMM, section 3.1.1): raw pointers into memory that somebody else owns.
///
/// Rows are cut into windows of 16. The distinct columns of a window, ascending, are packed into tiles of 8 columns, so
/// that a tile is 16x8, the left operand of mma.m16n8k8. Stored:
///
///   window_offsets  windows + 1   first tile of each window                  (the paper's RowWindowOffset)
///   value_offsets   windows + 1   first value of each window
///   tile_columns    8 tiles       matrix column of each tile column, -1 for none
///   tile_words      4 tiles       the mask of a tile
///
/// A tile's mask is four words, each of a block of 8x4 elements: top left, bottom left, top right, bottom right. Bit
/// 4 r + c of a word is set if its block holds an entry at (r, c). This is how the 32 threads of a warp hold the
/// operand in four registers, so that thread i's four elements are bit i of each word. Values follow window by window,
/// tile by tile, word by word, in the order of the bits: a value's place is its window's first plus the number of bits
/// before its own. The matrix pictured in CsrPattern is one window of two tiles:
///
///        tile 0                         tile 1
///         0  1  2  5    6  8  9 12       13 15
///    0    a  b  .  .    .  .  .  .        .  .
///    1    c  d  .  .    .  .  e  .        .  .
///    2    .  .  .  .    .  .  .  .        .  .
///    3    f  .  g  .    .  .  .  .        .  .
///    4    .  .  .  h    .  .  .  .        .  i
///    5    .  .  .  j    k  .  .  .        .  .
///    6    .  .  .  l    .  .  m  .        n  .
///    7    .  .  .  .    .  .  .  o        .  .
///
///    8    .  .  .  .    .  p  q  .        .  .
///    9    .  .  .  .    .  r  s  .        .  .
///   10    .  t  .  .    .  .  .  .        .  .
///   11    .  .  .  .    .  u  v  .        .  .
///   12    .  .  .  .    .  .  .  w        .  .
///   13    .  .  .  .    .  .  .  .        x  .
///   14    .  .  .  .    .  .  .  .        .  .
///   15    .  .  .  .    .  .  .  y        z  .
///
///   window_offsets  0 2
///   value_offsets   0 26
///   tile_columns    0 1 2 5 6 8 9 12                             13 15 -1 -1 -1 -1 -1 -1
///   tile_words      0x08885033 0x00000200 0x84100040 0x80086066  0x01020000 0x10100000 0 0
///   values          abcdfghjl  t          ekmo       pqrsuvwy    in         xz
///
/// Deviations from the paper: its position mask has the bits up to and including a thread's own, which counts the
/// thread itself; the bits before it are what the place takes. Its kernels run through all tiles of a window, and count
/// as they go; value_offsets is what lets a window begin. Offsets are a template parameter.
template <class Offset>
struct BmatPattern {
  static constexpr int tile_rows = 16;
  static constexpr int tile_width = 8;  // columns of a tile
  static constexpr int tile_words_count = 4;
  static constexpr Ordinal no_column = -1;

  using offset_type = Offset;

  Ordinal rows = 0;
  Ordinal columns = 0;
  const Offset* window_offsets = nullptr;
  const Offset* value_offsets = nullptr;
  const Ordinal* tile_columns = nullptr;
  const std::uint32_t* tile_words = nullptr;

  TESSERA_FUNCTION Ordinal window_rows() const { return tile_rows; }
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, tile_rows); }
};

/// The word and the bit of element (r, c) of a tile.
TESSERA_FUNCTION constexpr int bmat_word(int r, int c) { return (c / 4) * 2 + r / 8; }
TESSERA_FUNCTION constexpr int bmat_bit(int r, int c) { return (r % 8) * 4 + c % 4; }

/// Calls visit(column, place of the value) for every entry of a row, columns ascending.
TESSERA_CALLS_ARGUMENT
template <class Offset, class Visit>
TESSERA_FUNCTION void for_each_entry(const BmatPattern<Offset>& A, Ordinal row, const Visit& visit) {
  const Ordinal window = row / A.tile_rows;
  const int r = row % A.tile_rows;
  Offset place = A.value_offsets[window];  // of the word's first value
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    for (int w = 0; w < A.tile_words_count; ++w) {
      const std::uint32_t word = A.tile_words[std::size_t(tile) * A.tile_words_count + w];
      if (w % 2 == r / 8) {
        const int first_bit = bmat_bit(r, 0);
        Offset own = place + static_cast<Offset>(popcount(word & low_bits(first_bit)));
        const Ordinal* columns = A.tile_columns + std::size_t(tile) * A.tile_width + (w / 2) * 4;
        for (unsigned bits = word >> first_bit & 0xfu; bits != 0; bits &= bits - 1) {
          visit(columns[lowest_bit(bits)], own++);
        }
      }
      place += static_cast<Offset>(popcount(word));
    }
  }
}

/// The entries of all windows before this one; of all, for window = windows().
template <class Offset>
TESSERA_FUNCTION Offset entries_before(const BmatPattern<Offset>& A, Ordinal window) {
  return A.value_offsets[window];
}

}  // namespace Tessera
