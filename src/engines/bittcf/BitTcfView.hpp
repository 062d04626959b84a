// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// The pattern of a matrix in BitTCF (Acc-SpMM, section 3.3): raw pointers into memory that somebody else owns.
///
/// Rows are cut into windows of 8. The distinct columns of a window, in ascending order, are packed into tiles of 8
/// columns: a tile is 8x8, and only the last tile of a window may have fewer columns. The arrays are:
///
/// ```{.unparsed}
///   window_offsets  windows + 1    first tile of each window                       (the paper's RowWindowOffset)
///   tile_offsets    tiles + 1      first nonzero of each tile                      (TCOffset)
///   tile_columns    8 tiles        matrix column of each tile column, -1 for none  (SparseAToB)
///   tile_masks      tiles          bit 8 r + c is set if (r, c) holds an entry     (TCLocalBit)
/// ```
///
/// Values are stored tile by tile in the order of the bits. The matrix pictured in CsrPattern has two windows and three
/// tiles; a byte of a mask is a row:
///
/// ```{.unparsed}
///        window 0, tile 0                tile 1            window 1, tile 2
///         0  1  2  5  6  9 12 13          15                1  8  9 12 13
///    0    a  b  .  .  .  .  .  .   03      .   00      8    .  p  q  .  .   06
///    1    c  d  .  .  .  e  .  .   23      .   00      9    .  r  s  .  .   06
///    2    .  .  .  .  .  .  .  .   00      .   00     10    t  .  .  .  .   01
///    3    f  .  g  .  .  .  .  .   05      .   00     11    .  u  v  .  .   06
///    4    .  .  .  h  .  .  .  .   08      i   01     12    .  .  .  w  .   08
///    5    .  .  .  j  k  .  .  .   18      .   00     13    .  .  .  .  x   10
///    6    .  .  .  l  .  m  .  n   a8      .   00     14    .  .  .  .  .   00
///    7    .  .  .  .  .  .  o  .   40      .   00     15    .  .  .  y  z   18
///
///   window_offsets  0 2 3
///   tile_offsets    0 14 15 26
///   tile_columns    0 1 2 5 6 9 12 13   15 -1 -1 -1 -1 -1 -1 -1   1 8 9 12 13 -1 -1 -1
///   tile_masks      0x40a8180805002303  0x0000000100000000        0x1800100806010606
///   values          abcdefghjklmno      i                         pqrstuvwxyz
/// ```
///
/// With int offsets, as plans have them, the pattern takes as many bytes as in the paper,
/// (ceil(rows / 8) + 11 tiles + 2) * 4.
template <class Offset>
struct BitTcfPattern {
  static constexpr int tile_rows = 8;       ///< rows of a tile
  static constexpr int tile_width = 8;      ///< columns of a tile
  static constexpr Ordinal no_column = -1;  ///< stands for a column that a tile does not have

  using offset_type = Offset;                                   ///< the type of an offset
  static constexpr const char* label = "Tessera::bittcf_spmm";  ///< what profilers see of a portable product

  Ordinal rows = 0;                           ///< rows of the matrix
  Ordinal columns = 0;                        ///< columns of the matrix
  const Offset* window_offsets = nullptr;     ///< windows + 1 offsets, counted in tiles
  const Offset* tile_offsets = nullptr;       ///< tiles + 1 offsets, counted in entries
  const Ordinal* tile_columns = nullptr;      ///< 8 columns for each tile
  const std::uint64_t* tile_masks = nullptr;  ///< one mask for each tile

  TESSERA_FUNCTION Ordinal window_rows() const { return tile_rows; }                  ///< rows of a window
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, tile_rows); }  ///< number of windows
};

/// Row r of a tile's mask: bit c is set if the tile has an entry in column c.
TESSERA_FUNCTION constexpr unsigned bittcf_row_mask(std::uint64_t mask, int r) {
  return static_cast<unsigned>(mask >> (8 * r)) & 0xffu;
}

/// Calls visit(column, place of the value) for every entry of a row, in ascending order of columns.
TESSERA_CALLS_ARGUMENT
template <class Offset, class Visit>
TESSERA_FUNCTION void for_each_entry(const BitTcfPattern<Offset>& A, Ordinal row, const Visit& visit) {
  const Ordinal window = row / A.tile_rows;
  const int r = row % A.tile_rows;
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    const std::uint64_t mask = A.tile_masks[tile];
    Offset place = A.tile_offsets[tile] + static_cast<Offset>(popcount(mask & low_bits(8 * r)));
    for (unsigned bits = bittcf_row_mask(mask, r); bits != 0; bits &= bits - 1) {
      visit(A.tile_columns[std::size_t(tile) * A.tile_width + lowest_bit(bits)], place++);
    }
  }
}

/// The number of entries in the windows before `window`, which may be windows().
template <class Offset>
TESSERA_FUNCTION Offset entries_before(const BitTcfPattern<Offset>& A, Ordinal window) {
  return A.tile_offsets[A.window_offsets[window]];
}

}  // namespace Tessera
