// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/StagedView.hpp>

namespace Tessera::Cuda {

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

  /// What blocks of a multiprocessor share, and what each takes besides.
  ///
  /// NOTE: 212 of 228 KB. Planned with all of them, blocks of 110 KB ran one at a time on an H200; why is not known.
  static constexpr int multiprocessor_bytes = 212 * 1024;
  static constexpr int block_overhead = 1024;

  /// Of a block. tile_bytes, value_bytes: the most of a chunk.
  static constexpr std::size_t bytes(int tile_bytes, int value_bytes) {
    return barrier_bytes +
           std::size_t(Policy::buffers) * (x_bytes + std::size_t(tile_bytes) + std::size_t(value_bytes));
  }

  /// Values of the columns of a chunk, so that as many blocks as the policy wants fit in a multiprocessor with all the
  /// tiles that there can be. Values that the chunk before leaves come on top; about as many are left to the next one.
  static constexpr int most_values(int strip_blocks, int value_size) {
    constexpr int buffer_bytes =
        (multiprocessor_bytes / Policy::min_blocks - block_overhead - barrier_bytes) / Policy::buffers;
    const int tile_size = static_cast<int>(strip_blocks == 1 ? sizeof(StagedTile<1>) : sizeof(StagedTile<2>));
    const int tile_bytes = staged_header_bytes(Policy::strips) + Policy::strips * (Policy::slots / 8 + 1) * tile_size;
    return (buffer_bytes - x_bytes - tile_bytes) / 16 * 16 / value_size;
  }
};

}  // namespace Tessera::Cuda
