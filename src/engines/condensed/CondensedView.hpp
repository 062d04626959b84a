// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// The pattern of a matrix in condensed windows: raw pointers into memory that the caller owns.
///
/// A window has `strips` strips of 8 rows. The distinct columns of a window, in ascending order, are packed into tiles
/// of 8 columns; only the last tile of a window may have fewer. A tile has an 8x8 block in each strip. With one strip
/// this is BitTCF (BitTcfView.hpp), with two it is BMat (BmatView.hpp). With more strips, more rows share a row of X,
/// and more stored blocks are empty.
///
/// ```{.unparsed}
///   window_offsets  windows + 1     first tile of each window
///   tile_offsets    tiles + 1       first nonzero of each tile
///   tile_columns    8 tiles         matrix column of each tile column, -1 for none; aligned to 8 bytes
///   tile_masks      strips * tiles  bit 8 r + c of mask strips * tile + s is set if row r of strip s has an entry in c
/// ```
///
/// Values are stored tile by tile, strip by strip, in the order of the bits.
template <int strips_>
struct CondensedTiles {
  static constexpr int strips = strips_;        ///< strips of a window
  static constexpr int tile_rows = 8 * strips;  ///< rows of a tile
  static constexpr int tile_width = 8;          ///< columns of a tile
  static constexpr Ordinal no_column = -1;      ///< marks a missing column of a tile

  /// name of a portable product in profilers
  static constexpr const char* label = strips == 1 ? "Tessera::bittcf_spmm" : "Tessera::bmat_spmm";

  Ordinal rows = 0;                           ///< rows of the matrix
  Ordinal columns = 0;                        ///< columns of the matrix
  const Offset* window_offsets = nullptr;     ///< windows + 1 offsets, counted in tiles
  const Offset* tile_offsets = nullptr;       ///< tiles + 1 offsets, counted in entries
  const Ordinal* tile_columns = nullptr;      ///< 8 columns for each tile
  const std::uint64_t* tile_masks = nullptr;  ///< `strips` masks for each tile

  TESSERA_FUNCTION Ordinal window_rows() const { return tile_rows; }                  ///< rows of a window
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, tile_rows); }  ///< number of windows
};

/// Returns row r of a mask: bit c is set if the block has an entry in column c.
TESSERA_FUNCTION constexpr unsigned row_of_mask(std::uint64_t mask, int r) {
  return static_cast<unsigned>(mask >> (8 * r)) & 0xffu;
}

/// Calls visit(column, place of the value) for every entry of a row, in ascending order of columns.
TESSERA_CALLS_ARGUMENT
template <int strips, class Visit>
TESSERA_FUNCTION void for_each_entry(const CondensedTiles<strips>& A, Ordinal row, const Visit& visit) {
  const Ordinal window = row / A.tile_rows;
  const int strip = row % A.tile_rows / 8, r = row % 8;
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    const std::uint64_t* const masks = A.tile_masks + std::size_t(tile) * strips;
    Offset place = A.tile_offsets[tile];
    for (int above = 0; above < strip; ++above) place += static_cast<Offset>(popcount(masks[above]));
    place += static_cast<Offset>(popcount(masks[strip] & low_bits(8 * r)));
    for (unsigned bits = row_of_mask(masks[strip], r); bits != 0; bits &= bits - 1) {
      visit(A.tile_columns[std::size_t(tile) * A.tile_width + lowest_bit(bits)], place++);
    }
  }
}

/// Calls visit(row within the window, column, place of the value) for every entry of a window, block by block.
TESSERA_CALLS_ARGUMENT
template <int strips, class Visit>
TESSERA_FUNCTION void for_each_entry_of_window(const CondensedTiles<strips>& A, Ordinal window, const Visit& visit) {
  Offset place = A.tile_offsets[A.window_offsets[window]];
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    const Ordinal* const columns = A.tile_columns + std::size_t(tile) * A.tile_width;
    for (int strip = 0; strip < strips; ++strip) {
      for (std::uint64_t bits = A.tile_masks[std::size_t(tile) * strips + strip]; bits != 0; bits &= bits - 1) {
        const int bit = lowest_bit(bits);
        visit(8 * strip + bit / 8, columns[bit % 8], place++);
      }
    }
  }
}

/// Returns the number of entries in windows before `window`, which may be windows().
template <int strips>
TESSERA_FUNCTION Offset entries_before(const CondensedTiles<strips>& A, Ordinal window) {
  return A.tile_offsets[A.window_offsets[window]];
}

}  // namespace Tessera::Impl
