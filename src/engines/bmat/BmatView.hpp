// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/CondensedView.hpp"

namespace Tessera::Impl {

/// The pattern of a matrix in BMat: condensed windows of two strips. Their 16x8 tiles are those of Voltrix-SpMM
/// (section 3.1.1). In each strip, the bits of a tile, and hence its values, have the order of BitTCF. The paper's
/// kernel has an order of its own (voltrix/WordsView.hpp).
///
/// The matrix pictured in CsrPattern is one window of two tiles. A tile has a mask for its upper 8 rows and one for its
/// lower 8 rows:
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
///   tile_offsets    0 22 26
///   tile_columns    0 1 2 5 6 8 9 12                             13 15 -1 -1 -1 -1 -1 -1
///   tile_masks      0x8048180805004303 0x8000008060026060        0x0001000200000000 0x0100010000000000
///   values          abcdefghjklmo     pqrstuvwy        in                 xz
/// ```
using BmatPattern = CondensedTiles<2>;

}  // namespace Tessera::Impl
