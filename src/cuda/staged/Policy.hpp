// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Format.hpp>
#include <tessera/common/H200.hpp>
#include <tessera/common/StagedView.hpp>

namespace Tessera::Cuda {

/// How blocks multiply staged windows: numbers in a type, for nvcc 13 does not pass a struct of them to a kernel.
///
/// columns     of X that a block stages at a time: multiples of 128 bytes
/// slots       of a chunk: rows of X that are staged together; 16 or a multiple of 32 for each producer
/// buffers     chunks in shared memory: two that are multiplied, the others on their way; at least 3
/// strips      of a window, 8 rows each: warps that multiply, one each
/// producers   warps that copy
/// min_blocks  that a multiprocessor must hold at a time: limits the registers
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
};

/// That of staged_spmm, for windows of 64 rows.
template <class Scalar>
using DefaultStagedPolicy = StagedPolicy<256 / sizeof(Scalar), 64, 4, 8, 4, 2>;

/// How much shared memory a block of a policy takes: a ring of buffers, a chunk each.
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

  /// What each block takes besides.
  static constexpr int block_overhead = 1024;

  /// Of a block. tile_bytes, value_bytes: the most of a chunk.
  static constexpr std::size_t bytes(int tile_bytes, int value_bytes) {
    return barrier_bytes +
           std::size_t(Policy::buffers) * (x_bytes + std::size_t(tile_bytes) + std::size_t(value_bytes));
  }

  /// Values of the columns of a chunk, so that as many blocks as the policy wants fit in a multiprocessor with all the
  /// tiles that there can be. Values that the chunk before leaves come on top; about as many are left to the next one.
  static constexpr int most_values(int value_size) {
    constexpr int buffer_bytes =
        (H200::shared_bytes / Policy::min_blocks - block_overhead - barrier_bytes) / Policy::buffers;
    constexpr int tile_bytes = staged_header_bytes(Policy::strips) +
                               Policy::strips * (Policy::slots / 8 + 1) * static_cast<int>(sizeof(StagedTile));
    return (buffer_bytes - x_bytes - tile_bytes) / 16 * 16 / value_size;
  }
};

}  // namespace Tessera::Cuda
