// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/cuda/Policy.hpp"

namespace Tessera::Impl::Cuda {

/// How a block of threads multiplies BitTCF tiles. While it multiplies one tile, the rows of X of the next tile and the
/// blocks of A of the next two are on their way. This is Acc-SpMM's pipeline, with blocks read one tile further ahead,
/// so no warp waits for copies that have just begun.
///
/// warps    the warps of a block: at least 2, because two of them decode the tiles
/// columns  the columns of X that a warp multiplies: a multiple of 16
/// blocks   the blocks that a multiprocessor must be able to hold, which limits the registers
/// reads    that of CondensedPolicy
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

/// The policies that products run with, the best on an H200 for narrow X (up to 32 columns) and wide X.
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
