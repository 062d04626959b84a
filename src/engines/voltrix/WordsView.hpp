// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "bmat/BmatView.hpp"

namespace Tessera::Impl {

/// BMat with the masks of Voltrix-SpMM (section 3.1.1), in the order that the paper's kernel reads: raw pointers into
/// memory that the caller owns. Windows and tiles are those of BmatPattern. The arrays are:
///
/// ```{.unparsed}
///   window_offsets  windows + 1   first tile of each window                  (the paper's RowWindowOffset)
///   tile_offsets    tiles + 1     first value of each tile
///   tile_columns    8 tiles       matrix column of each tile column, -1 for none
///   tile_words      4 tiles       the mask of a tile
/// ```
///
/// The mask of a tile is four words, one for each block of 8x4 elements: top left, bottom left, top right, bottom
/// right. Bit 4 r + c of a word is set if its block has an entry at (r, c). The 32 threads of a warp hold the left
/// operand of mma.m16n8k8 in four registers in the same way: the four elements of thread i are bit i of each word.
/// Values are stored tile by tile, word by word, in the order of the bits. The matrix pictured in BmatPattern has
///
/// ```{.unparsed}
///   tile_words      0x08885033 0x00000200 0x84100040 0x80086066  0x01020000 0x10100000 0 0
///   values          abcdfghjl  t          ekmo       pqrsuvwy    in         xz
/// ```
///
/// Deviations from the paper: its position mask includes a thread's own bit, so a thread counts its own entry; here the
/// place of a value counts only the bits before it. Its kernels visit all tiles of a window and count values on the
/// way; here tile_offsets has the first value of each item's tiles.
struct BmatWords {
  static constexpr int tile_rows = 16;        ///< rows of a tile
  static constexpr int tile_width = 8;        ///< columns of a tile
  static constexpr int tile_words_count = 4;  ///< 32-bit words of a tile

  Ordinal rows = 0;                           ///< rows of the matrix
  Ordinal columns = 0;                        ///< columns of the matrix
  const Offset* window_offsets = nullptr;     ///< windows + 1 offsets, counted in tiles
  const Offset* tile_offsets = nullptr;       ///< tiles + 1 offsets, counted in entries
  const Ordinal* tile_columns = nullptr;      ///< 8 columns for each tile
  const std::uint32_t* tile_words = nullptr;  ///< 4 words for each tile

  TESSERA_FUNCTION Ordinal window_rows() const { return tile_rows; }                  ///< rows of a window
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, tile_rows); }  ///< number of windows
};

/// Returns the bit of element (r, c) in its word.
TESSERA_FUNCTION constexpr int bmat_bit(int r, int c) { return (r % 8) * 4 + c % 4; }

/// Returns word w of a tile, given the tile's two masks in BmatPattern.
TESSERA_FUNCTION constexpr std::uint32_t bmat_word(const std::uint64_t* masks, int w) {
  std::uint32_t word = 0;
  for (int r = 0; r < 8; ++r) word |= (row_of_mask(masks[w % 2], r) >> w / 2 * 4 & 0xfu) << 4 * r;
  return word;
}

/// Returns the place, among the tile's values in the order of BmatPattern, of the entry at bit `bit` of word w.
TESSERA_FUNCTION int place_of_bmat_bit(const std::uint64_t* masks, int w, int bit) {
  const int strip = w % 2, strip_bit = bit / 4 * 8 + w / 2 * 4 + bit % 4;
  return (strip == 0 ? 0 : popcount(masks[0])) + popcount(masks[strip] & low_bits(strip_bit));
}

}  // namespace Tessera::Impl
