// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/CondensedView.hpp"

namespace Tessera::Impl {

/// The pattern of a matrix in BitTCF (Acc-SpMM, section 3.3): raw pointers into memory that the caller owns.
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
/// With int offsets, as in plans, the pattern has the number of bytes that the paper gives: (ceil(rows / 8) + 11 tiles
/// + 2) * 4.
using BitTcfPattern = CondensedTiles<1>;

}  // namespace Tessera::Impl
