// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BitTcfView.hpp>

namespace Tessera::Cuda {

/// The pattern of a matrix in condensed windows: raw pointers to device memory that somebody else owns.
///
/// A window has `strips` strips of 8 rows. The distinct columns of a window, ascending, are packed into tiles of 8
/// columns; a tile has an 8x8 block in each strip. With one strip this is BitTCF, array by array (BitTcfView.hpp shows
/// a picture); more strips read a gathered row of X for more rows, and store more blocks that are empty.
///
///   window_offsets  windows + 1     first tile of each window
///   tile_offsets    tiles + 1       first nonzero of each tile
///   tile_columns    8 tiles         matrix column of each tile column, -1 for none; aligned to 8 bytes
///   tile_masks      strips * tiles  bit 8 r + c of word strips * tile + s is set if row r of strip s has an entry in c
///
/// Compact values follow tile by tile, strip by strip, in the order of the bits. Dense values are whole blocks, 64 to
/// each word of tile_masks, row by row, with zeros where there is no entry; they are aligned to 16 bytes.
template <class Offset>
struct CondensedPattern {
  static constexpr int strip_rows = 8;
  static constexpr int tile_width = 8;  // columns of a tile
  static constexpr int block_size = strip_rows * tile_width;

  using offset_type = Offset;

  Ordinal rows = 0;
  Ordinal columns = 0;
  int strips = 1;
  const Offset* window_offsets = nullptr;
  const Offset* tile_offsets = nullptr;
  const Ordinal* tile_columns = nullptr;
  const std::uint64_t* tile_masks = nullptr;

  TESSERA_FUNCTION Ordinal window_rows() const { return strip_rows * strips; }
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, window_rows()); }
};

/// How the values of a condensed matrix are stored.
enum class TileValues {
  Compact,  ///< entries alone, found by counting bits of the mask
  Dense     ///< whole blocks of 64
};

/// BitTCF as condensed windows of one strip, without a copy.
template <class Offset>
CondensedPattern<Offset> condensed(const BitTcfPattern<Offset>& A) {
  return {A.rows, A.columns, 1, A.window_offsets, A.tile_offsets, A.tile_columns, A.tile_masks};
}

}  // namespace Tessera::Cuda
