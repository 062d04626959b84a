// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/cuda/Policy.hpp"

namespace Tessera::Impl::Cuda {

/// How a thread block multiplies BitTCF tiles. While it multiplies one tile, the rows of X of the next tile and the
/// blocks of A of the next two are being loaded. This is Acc-SpMM's pipeline, except that blocks are read one tile
/// earlier, so no warp waits for copies that have just started.
///
/// warps    number of warps of a block: at least 2, because two of them decode the tiles
/// columns  number of columns of X that a warp multiplies: a multiple of 16
/// blocks   number of blocks that must fit in a multiprocessor, which limits the registers
/// reads    same as in CondensedPolicy
template <int warps_, int columns_, int blocks_, int reads_>
struct BitTcfPolicy {
  static_assert(warps_ >= 2 && columns_ % 16 == 0 && warps_ * blocks_ <= 64);

  static constexpr int warps = warps_;
  static constexpr int columns = columns_;
  static constexpr int block_columns = warps * columns;
  static constexpr int blocks = blocks_;
  static constexpr int reads = reads_;
  static constexpr XCaching x_caching = XCaching::AllLevels;
  static constexpr YCaching y_caching = YCaching::WriteThrough;
};

/// The policies of products, the fastest on an H200 for narrow X (up to 32 columns) and for wide X.
template <class Scalar, bool wide>
struct TunedBitTcfPolicy;
template <>
struct TunedBitTcfPolicy<double, false> : BitTcfPolicy<2, 16, 14, 2> {};
template <>
struct TunedBitTcfPolicy<double, true> : BitTcfPolicy<2, 64, 6, 4> {};
template <>
struct TunedBitTcfPolicy<float, false> : BitTcfPolicy<2, 16, 16, 1> {};
template <>
struct TunedBitTcfPolicy<float, true> : BitTcfPolicy<2, 64, 8, 2> {};

}  // namespace Tessera::Impl::Cuda
