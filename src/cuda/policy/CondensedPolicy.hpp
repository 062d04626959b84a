// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>
#include <tessera/cuda/CondensedView.hpp>

namespace Tessera::Cuda {

/// How warps multiply condensed windows: numbers in a type, for nvcc 13 does not pass a struct of them to a kernel.
///
/// columns      of X that a warp takes: a multiple of 16
/// stages       1: a tile is loaded, then multiplied; 2: the next tile is loaded while this one is multiplied, and then
/// the
///              index of the one after it; 3: that index is loaded a tile earlier
/// split        warps that share the tiles of an item and add up their sums in shared memory
/// block_warps  a multiple of split
/// min_blocks   that a multiprocessor must hold at a time: limits the registers
template <int columns_, int stages_, int split_, int block_warps_, int min_blocks_>
struct CondensedPolicy {
  static_assert(columns_ % 16 == 0 && stages_ >= 1 && stages_ <= 3 && block_warps_ % split_ == 0);

  static constexpr int columns = columns_;
  static constexpr int stages = stages_;
  static constexpr int split = split_;
  static constexpr int block_warps = block_warps_;
  static constexpr int min_blocks = min_blocks_;
};

/// What is multiplied, as far as the compiler must know.
///
/// Precision is Native for double, Tf32x3 or Tf32 for float.
template <Precision precision_, TileValues values_, int strips_>
struct CondensedKind {
  static constexpr Precision precision = precision_;
  static constexpr TileValues values = values_;
  static constexpr int strips = strips_;
};

/// In which order warps take slabs of columns and items.
enum class SlabOrder {
  Innermost,  ///< all slabs of a window one after the other: its tiles are read once, its rows of X whole
  Outermost   ///< a slab of all windows first: for X whose slab fits in L2 although X does not
};

}  // namespace Tessera::Cuda
