// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// The pattern of a matrix in BMat (Voltrix-SpMM, section 3.1.1): raw pointers into memory that somebody else owns.
///
/// Rows are cut into windows of 16. The distinct columns of a window, in ascending order, are packed into tiles of 8
/// columns. A tile is 16x8, the left operand of mma.m16n8k8. The arrays are:
///
/// ```{.unparsed}
///   window_offsets  windows + 1   first tile of each window                  (the paper's RowWindowOffset)
///   value_offsets   windows + 1   first value of each window
///   tile_columns    8 tiles       matrix column of each tile column, -1 for none
///   tile_words      4 tiles       the mask of a tile
/// ```
///
/// The mask of a tile is four words, one for each block of 8x4 elements: top left, bottom left, top right, bottom
/// right. Bit 4 r + c of a word is set if its block holds an entry at (r, c). The 32 threads of a warp hold the operand
/// in four registers in the same way: the four elements of thread i are bit i of each word. Values are stored window by
/// window, tile by tile, word by word, in the order of the bits. The place of a value is that of its window's first
/// value plus the number of bits before its own. The matrix pictured in CsrPattern is one window of two tiles:
///
/// ```{.unparsed}
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
/// ```
///
/// Deviations from the paper: its position mask includes a thread's own bit and so counts the thread itself; here the
/// place of a value counts only the bits before it. Its kernels run through all tiles of a window and count values as
/// they go; value_offsets tells where a window begins. Offsets are a template parameter.
template <class Offset>
struct BmatPattern {
  static constexpr int tile_rows = 16;        ///< rows of a tile
  static constexpr int tile_width = 8;        ///< columns of a tile
  static constexpr int tile_words_count = 4;  ///< 32-bit words of a tile
  static constexpr Ordinal no_column = -1;    ///< stands for a column that a tile does not have

  using offset_type = Offset;                                 ///< the type of an offset
  static constexpr const char* label = "Tessera::bmat_spmm";  ///< what profilers see of a portable product

  Ordinal rows = 0;                           ///< rows of the matrix
  Ordinal columns = 0;                        ///< columns of the matrix
  const Offset* window_offsets = nullptr;     ///< windows + 1 offsets, counted in tiles
  const Offset* value_offsets = nullptr;      ///< windows + 1 offsets, counted in entries
  const Ordinal* tile_columns = nullptr;      ///< 8 columns for each tile
  const std::uint32_t* tile_words = nullptr;  ///< 4 words for each tile

  TESSERA_FUNCTION Ordinal window_rows() const { return tile_rows; }                  ///< rows of a window
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, tile_rows); }  ///< number of windows
};

/// The word of element (r, c) in a tile.
TESSERA_FUNCTION constexpr int bmat_word(int r, int c) { return (c / 4) * 2 + r / 8; }
/// The bit of element (r, c) in its word.
TESSERA_FUNCTION constexpr int bmat_bit(int r, int c) { return (r % 8) * 4 + c % 4; }

/// Calls visit(column, place of the value) for every entry of a row, in ascending order of columns.
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

/// Calls visit(row within the window, column, place of the value) for every entry of a window, word by word.
TESSERA_CALLS_ARGUMENT
template <class Offset, class Visit>
TESSERA_FUNCTION void for_each_entry_of_window(const BmatPattern<Offset>& A, Ordinal window, const Visit& visit) {
  Offset place = A.value_offsets[window];
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    for (int w = 0; w < A.tile_words_count; ++w) {
      const Ordinal* columns = A.tile_columns + std::size_t(tile) * A.tile_width + (w / 2) * 4;
      for (unsigned bits = A.tile_words[std::size_t(tile) * A.tile_words_count + w]; bits != 0; bits &= bits - 1) {
        const int bit = lowest_bit(bits);
        visit(w % 2 * 8 + bit / 4, columns[bit % 4], place++);
      }
    }
  }
}

/// The number of entries in the windows before `window`, which may be windows().
template <class Offset>
TESSERA_FUNCTION Offset entries_before(const BmatPattern<Offset>& A, Ordinal window) {
  return A.value_offsets[window];
}

}  // namespace Tessera
