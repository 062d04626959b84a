// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl::Cuda {

/// How a thread block multiplies a group of steps.
///
/// lanes    lanes that share a segment or a piece, each with 16 bytes of a row of X; a block has all their columns
/// threads  number of threads of a block
/// blocks   number of blocks that must fit in a multiprocessor, which limits the registers
/// unroll   number of elements of a segment whose rows of X are loaded at once
template <int lanes_, int threads_ = 256, int blocks_ = 4, int unroll_ = 4>
struct SortedColumnsPolicy {
  static_assert(lanes_ >= 1 && lanes_ <= 32 && (lanes_ & (lanes_ - 1)) == 0 && threads_ % 32 == 0);

  static constexpr int lanes = lanes_;
  static constexpr int threads = threads_;
  static constexpr int blocks = blocks_;
  static constexpr int unroll = unroll_;
  /// Number of threads of a block that sums rows of slots.
  static constexpr int row_threads = 256;
};

/// The policies of products, the best on an H200 for narrow X (up to 32 columns) and wide X, with groups of 64 steps.
template <class Scalar, bool wide>
using TunedSortedColumnsPolicy =
    SortedColumnsPolicy<(wide ? 64 : 32) * static_cast<int>(sizeof(Scalar)) / 16, 512, 3, 2>;

}  // namespace Tessera::Impl::Cuda
