// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>

#include "voltrix/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// How rows of X are copied to shared memory.
enum class BmatCopy {
  Bulk,     ///< each lane copies a row by cp.async.bulk; needs compute capability 9.0
  Sixteens  ///< each lane copies 16 bytes at a time by cp.async
};

/// How blocks multiply BMat. The numbers are in a type because nvcc 13 does not accept a struct of numbers as a
/// template argument of a kernel.
///
/// warp_columns  columns of X that a consumer multiplies: a multiple of 8; a tile takes one m16n8k8 for each 8 columns
/// consumers     number of warps that multiply, each its own columns
/// stage_tiles   number of tiles of a buffer: 1, 2 or 4
/// buffers       number of buffers in shared memory
/// blocks        blocks of a multiprocessor: a divisor of bmat_parts_per_multiprocessor; limits the registers
template <int warp_columns_, int consumers_, int stage_tiles_, int buffers_, int blocks_,
          BmatCopy copy_ = BmatCopy::Bulk>
struct BmatPolicy {
  static_assert(warp_columns_ % 8 == 0 && bmat_parts_per_multiprocessor % blocks_ == 0);
  static_assert(stage_tiles_ == 1 || stage_tiles_ == 2 || stage_tiles_ == 4);

  static constexpr int warp_columns = warp_columns_;
  static constexpr int consumers = consumers_;
  static constexpr int columns = warp_columns * consumers;  // columns that a block multiplies at a time
  static constexpr int stage_tiles = stage_tiles_;
  static constexpr int buffers = buffers_;
  static constexpr int blocks = blocks_;
  static constexpr int threads = 32 * (consumers + 1);
  static constexpr BmatCopy copy = copy_;
  static constexpr int freeing_lanes = 1;  // lanes of a consumer that arrive (RingBarriers)
};

/// The policies of products, for narrow X (up to 32 columns) and for wide X.
template <class Scalar, bool wide>
struct TunedBmatPolicy;
template <>
struct TunedBmatPolicy<double, false> : BmatPolicy<32, 1, 2, 3, 8, BmatCopy::Sixteens> {};
template <>
struct TunedBmatPolicy<double, true> : BmatPolicy<32, 2, 2, 4, 4, BmatCopy::Sixteens> {};
template <>
struct TunedBmatPolicy<float, false> : BmatPolicy<32, 1, 4, 3, 8, BmatCopy::Sixteens> {};
template <>
struct TunedBmatPolicy<float, true> : BmatPolicy<64, 2, 2, 4, 4, BmatCopy::Sixteens> {};

}  // namespace Tessera::Impl::Cuda
