// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// The pattern of a matrix in BitTCF (Acc-SpMM, section 3.3): raw pointers into memory that somebody else owns.
///
/// Rows are cut into windows of 8. The distinct columns of a window, ascending, are packed into tiles of 8 columns, so
/// that a tile is 8x8 and only a window's last tile may have fewer columns. Stored:
///
///   window_offsets  windows + 1    first tile of each window                       (the paper's RowWindowOffset)
///   tile_offsets    tiles + 1      first nonzero of each tile                      (TCOffset)
///   tile_columns    8 tiles        matrix column of each tile column, -1 for none  (SparseAToB)
///   tile_masks      tiles          bit 8 r + c is set if (r, c) holds an entry     (TCLocalBit)
///
/// Values follow tile by tile in the order of the bits. The matrix pictured in CsrPattern has two windows and three
/// tiles; a byte of a mask is a row:
///
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
///
/// Deviation from the paper: offsets are a template parameter, so that more than 2^31 entries fit; with int offsets the
/// bytes are the paper's, (ceil(rows / 8) + 11 tiles + 2) * 4, values left out.
template <class Offset>
struct BitTcfPattern {
  static constexpr int tile_rows = 8;
  static constexpr int tile_width = 8;  // columns of a tile
  static constexpr Ordinal no_column = -1;

  using offset_type = Offset;

  Ordinal rows = 0;
  Ordinal columns = 0;
  const Offset* window_offsets = nullptr;
  const Offset* tile_offsets = nullptr;
  const Ordinal* tile_columns = nullptr;
  const std::uint64_t* tile_masks = nullptr;

  TESSERA_FUNCTION Ordinal window_rows() const { return tile_rows; }
  TESSERA_FUNCTION Ordinal windows() const { return window_count(rows, tile_rows); }
};

/// Row r of a tile's mask: bit c is set if the tile has an entry in column c.
TESSERA_FUNCTION constexpr unsigned bittcf_row_mask(std::uint64_t mask, int r) {
  return static_cast<unsigned>(mask >> (8 * r)) & 0xffu;
}

/// Calls visit(column, place of the value) for every entry of a row, columns ascending.
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

/// The entries of all windows before this one; of all, for window = windows().
template <class Offset>
TESSERA_FUNCTION Offset entries_before(const BitTcfPattern<Offset>& A, Ordinal window) {
  return A.tile_offsets[A.window_offsets[window]];
}

}  // namespace Tessera
