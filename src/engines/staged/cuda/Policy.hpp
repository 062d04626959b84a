// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/Format.hpp>
#include <tessera/common/H200.hpp>

#include "staged/StagedView.hpp"

namespace Tessera::Impl::Cuda {

/// How blocks multiply staged windows. The numbers are in a type, because nvcc 13 rejects a struct of numbers as a
/// template argument of a kernel.
///
/// columns     number of columns of X that a block stages at a time: a multiple of 128 bytes
/// slots       number of rows of X that a chunk stages: 16 or a multiple of 32 for each producer
/// buffers     number of chunks in shared memory, at least 3: two are multiplied while the others are copied
/// strips      number of strips of 8 rows of a window; one warp multiplies each
/// producers   number of warps that copy
/// min_blocks  number of blocks that must fit in a multiprocessor, which limits the registers
template <int columns_, int slots_, int buffers_, int strips_, int producers_, int min_blocks_>
struct StagedPolicy {
  static_assert(slots_ % (16 * producers_) == 0 && buffers_ >= 3);

  static constexpr int columns = columns_;
  static constexpr int slots = slots_;
  static constexpr int buffers = buffers_;
  static constexpr int strips = strips_;
  static constexpr int producers = producers_;
  static constexpr int threads = 32 * (strips + producers);
  static constexpr int min_blocks = min_blocks_;
  static constexpr int freeing_lanes = 1;  // lanes of a consumer that arrive (RingBarriers)
};

/// The policy of staged_spmm, for windows of 64 rows.
template <class Scalar>
using DefaultStagedPolicy = StagedPolicy<256 / sizeof(Scalar), 64, 4, 8, 4, 2>;

/// The shared memory of a block with a policy: a ring of buffers, one for each chunk.
template <class Scalar, class Policy>
struct StagedMemory {
  static constexpr int panel_bytes = 128;
  static constexpr int row_bytes = Policy::columns * static_cast<int>(sizeof(Scalar));
  static constexpr int panels = row_bytes / panel_bytes;
  static_assert(row_bytes % panel_bytes == 0);
  static constexpr int panel_stride = Policy::slots * panel_bytes;
  static constexpr int x_bytes = panels * panel_stride;
  static constexpr int barrier_bytes = 128;
  static_assert(2 * Policy::buffers * 8 <= barrier_bytes);

  /// Bytes that each block needs for other purposes.
  static constexpr int block_overhead = 1024;

  /// Returns the bytes of a block, given bounds on the bytes of tiles and values of a chunk.
  static constexpr std::size_t bytes(int tile_bytes, int value_bytes) {
    return barrier_bytes +
           std::size_t(Policy::buffers) * (x_bytes + std::size_t(tile_bytes) + std::size_t(value_bytes));
  }

  /// Returns the upper bound on values in the columns of a chunk with which min_blocks blocks fit in a multiprocessor,
  /// even if all possible tiles exist. Values carried over from the previous chunk are not counted, because a chunk
  /// passes on about as many.
  static constexpr int most_values(int value_size) {
    constexpr int buffer_bytes =
        (H200::shared_bytes / Policy::min_blocks - block_overhead - barrier_bytes) / Policy::buffers;
    constexpr int tile_bytes = staged_header_bytes(Policy::strips) +
                               Policy::strips * (Policy::slots / 8 + 1) * static_cast<int>(sizeof(StagedTile));
    return (buffer_bytes - x_bytes - tile_bytes) / 16 * 16 / value_size;
  }
};

}  // namespace Tessera::Impl::Cuda
