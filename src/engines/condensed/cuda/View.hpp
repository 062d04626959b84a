// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bittcf/BitTcfView.hpp"

namespace Tessera::Cuda {

/// The pattern of a matrix in condensed windows: raw pointers to device memory that somebody else owns.
///
/// A window has `strips` strips of 8 rows. The distinct columns of a window, in ascending order, are packed into tiles
/// of 8 columns. A tile has an 8x8 block in each strip. With one strip this is BitTCF, array by array (BitTcfView.hpp
/// shows a picture). With more strips, a gathered row of X serves more rows, and more stored blocks are empty.
///
/// ```{.unparsed}
///   window_offsets  windows + 1     first tile of each window
///   tile_offsets    tiles + 1       first nonzero of each tile
///   tile_columns    8 tiles         matrix column of each tile column, -1 for none; aligned to 8 bytes
///   tile_masks      strips * tiles  bit 8 r + c of word strips * tile + s is set if row r of strip s has an entry in c
/// ```
///
/// Compact values are stored tile by tile, strip by strip, in the order of the bits. Dense values are whole blocks, 64
/// values for each word of tile_masks, row by row, with zeros where there is no entry. They are aligned to 16 bytes.
template <class Offset>
struct CondensedPattern {
  static constexpr int strip_rows = 8;                        ///< rows of a strip
  static constexpr int tile_width = 8;                        ///< columns of a tile
  static constexpr int block_size = strip_rows * tile_width;  ///< elements of a block

  using offset_type = Offset;  ///< the type of an offset

  Ordinal rows = 0;                           ///< rows of the matrix
  Ordinal columns = 0;                        ///< columns of the matrix
  int strips = 1;                             ///< strips of a window
  const Offset* window_offsets = nullptr;     ///< windows + 1 offsets, counted in tiles
  const Offset* tile_offsets = nullptr;       ///< tiles + 1 offsets, counted in entries
  const Ordinal* tile_columns = nullptr;      ///< 8 columns for each tile
  const std::uint64_t* tile_masks = nullptr;  ///< `strips` masks for each tile

  TESSERA_FUNCTION Ordinal window_rows() const { return strip_rows * strips; }            ///< rows of a window
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, window_rows()); }  ///< number of windows
};

/// How the values of a condensed matrix are stored.
enum class TileValues {
  Compact,  ///< only entries, found by counting bits of the mask
  Dense,    ///< whole blocks of 64
  Rounded   ///< compact, and whole blocks that are rounded to 16 bits
};

/// BitTCF as condensed windows of one strip, without a copy.
template <class Offset>
CondensedPattern<Offset> condensed(const BitTcfPattern<Offset>& A) {
  return {A.rows, A.columns, 1, A.window_offsets, A.tile_offsets, A.tile_columns, A.tile_masks};
}

}  // namespace Tessera::Cuda
