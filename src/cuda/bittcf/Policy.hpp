// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../condensed/Policy.hpp"

namespace Tessera::Cuda {

/// What of later tiles is on its way while one is multiplied.
enum class TilePipeline {
  None,          ///< nothing: a tile is read, then multiplied
  MatrixAhead,   ///< block of A and tile columns of the next one, as in DTC-SpMM; rows of X are waited for
  AllAhead,      ///< rows of X of the next one, too: Acc-SpMM's pipeline, "least bubble"
  BlocksFurther  ///< the same with the block of the next but one, so that nobody waits for copies that have just begun
};

/// How many tiles ahead blocks of A are read.
constexpr int blocks_ahead(TilePipeline pipeline) {
  return pipeline == TilePipeline::None ? 0 : pipeline == TilePipeline::BlocksFurther ? 2 : 1;
}

/// How many tiles ahead rows of X are read.
constexpr int rows_ahead(TilePipeline pipeline) {
  return pipeline == TilePipeline::None || pipeline == TilePipeline::MatrixAhead ? 0 : 1;
}

/// How a block of threads multiplies BitTCF tiles.
///
/// warps    of a block, at least 2, which decode the tiles for all of them
/// columns  of X that a warp takes: a multiple of 16
/// blocks   that a multiprocessor must be able to hold: limits the registers
/// reads    as of CondensedPolicy
template <int warps_, int columns_, int blocks_, int reads_, TilePipeline pipeline_ = TilePipeline::BlocksFurther,
          XCaching x_caching_ = XCaching::AllLevels, YCaching y_caching_ = YCaching::WriteThrough>
struct BitTcfPolicy {
  static_assert(warps_ >= 2 && columns_ % 16 == 0 && warps_ * blocks_ <= 64);

  static constexpr int warps = warps_;
  static constexpr int columns = columns_;
  static constexpr int block_columns = warps * columns;
  static constexpr int blocks = blocks_;
  static constexpr int reads = reads_;
  static constexpr TilePipeline pipeline = pipeline_;
  static constexpr XCaching x_caching = x_caching_;
  static constexpr YCaching y_caching = y_caching_;
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

}  // namespace Tessera::Cuda
