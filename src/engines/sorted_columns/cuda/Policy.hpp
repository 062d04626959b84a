// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Cuda {

/// How a block of threads multiplies a group of steps.
///
/// lanes    the lanes that take a segment or a piece, each with 16 bytes of a row of X; their columns are the block's
/// threads  the threads of a block
/// blocks   the blocks that a multiprocessor must be able to hold, which limits the registers
/// unroll   the elements of a segment whose rows of X are under way at once
template <int lanes_, int threads_ = 256, int blocks_ = 4, int unroll_ = 4>
struct SortedColumnsPolicy {
  static_assert(lanes_ >= 1 && lanes_ <= 32 && (lanes_ & (lanes_ - 1)) == 0 && threads_ % 32 == 0);

  static constexpr int lanes = lanes_;
  static constexpr int threads = threads_;
  static constexpr int blocks = blocks_;
  static constexpr int unroll = unroll_;
  /// Threads of a block that sums rows of slots.
  static constexpr int row_threads = 256;
};

/// The policies that products run with, the best on an H200 for narrow X (up to 32 columns) and wide X, with groups of
/// 64 steps.
template <class Scalar, bool wide>
using TunedSortedColumnsPolicy =
    SortedColumnsPolicy<(wide ? 64 : 32) * static_cast<int>(sizeof(Scalar)) / 16, 512, 3, 2>;

}  // namespace Tessera::Cuda
