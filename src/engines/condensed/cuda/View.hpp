// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/CondensedView.hpp"

namespace Tessera::Impl::Cuda {

/// The pattern of a matrix in condensed windows (CondensedTiles) with a number of strips that is known at run time: raw
/// pointers to device memory that the caller owns.
///
/// Compact values are stored as in CondensedTiles. Dense values are whole row-major blocks, 64 values for each mask,
/// with zeros at places without an entry. They are aligned to 16 bytes.
struct CondensedPattern {
  static constexpr int strip_rows = 8;                        ///< rows of a strip
  static constexpr int tile_width = 8;                        ///< columns of a tile
  static constexpr int block_size = strip_rows * tile_width;  ///< elements of a block

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

/// Returns the same pattern as a CondensedPattern. Nothing is copied.
template <int strips>
CondensedPattern condensed(const CondensedTiles<strips>& A) {
  return {A.rows, A.columns, strips, A.window_offsets, A.tile_offsets, A.tile_columns, A.tile_masks};
}

}  // namespace Tessera::Impl::Cuda
