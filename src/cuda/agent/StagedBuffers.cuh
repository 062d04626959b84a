// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/cuda/StagedView.hpp>

#include "../ptx/AsyncCopy.cuh"

namespace Tessera::Cuda {

/// Shared memory of a block: a ring of buffers, a chunk each.
///
/// Rows of X lie in panels of 128 bytes, slot by slot, so that a slot has the same banks in every panel. Of a panel,
/// the 32 bytes that are pair p of 16 lie at place p xor (slot mod 4): lanes that read the same columns of four slots
/// that differ mod 4 read different banks.
template <class Scalar, class Policy>
struct StagedBuffers {
  static constexpr int panel_bytes = 128;
  static constexpr int row_bytes = Policy::columns * static_cast<int>(sizeof(Scalar));
  static constexpr int panels = row_bytes / panel_bytes;
  static_assert(row_bytes % panel_bytes == 0);
  static constexpr int panel_stride = Policy::slots * panel_bytes;
  static constexpr int x_bytes = panels * panel_stride;
  static constexpr int barrier_bytes = 128;
  static_assert(2 * Policy::buffers * 8 <= barrier_bytes);

  std::byte* memory;
  int tile_bytes, value_bytes;  // of a buffer

  static std::size_t bytes(const StagedPattern& A) {
    return barrier_bytes + std::size_t(Policy::buffers) * (x_bytes + A.most_tile_bytes + A.most_value_bytes);
  }

  /// Of a chunk, so that as many blocks as the policy wants fit in a multiprocessor whatever the matrix: tiles have all
  /// the columns that there can be.
  ///
  /// NOTE: 212 of 228 KB. Planned with all of them, blocks of 110 KB ran one at a time on an H200; why is not known.
  template <int blocks>
  static constexpr int most_values() {
    constexpr int multiprocessor_bytes = 212 * 1024, block_overhead = 1024;
    constexpr int buffer_bytes =
        (multiprocessor_bytes / Policy::min_blocks - block_overhead - barrier_bytes) / Policy::buffers;
    constexpr int tile_bytes = staged_header_bytes(Policy::strips) +
                               Policy::strips * (Policy::slots / 8 + 1) * static_cast<int>(sizeof(StagedTile<blocks>));
    constexpr int values = (buffer_bytes - x_bytes - tile_bytes) / 16 * 16 / static_cast<int>(sizeof(Scalar));
    static_assert(values >= 8 * blocks * Policy::strips, "a column of a window must fit");
    return values;
  }

  /// Complete when the chunk in a buffer is there.
  __device__ std::uint64_t* full(int buffer) const { return reinterpret_cast<std::uint64_t*>(memory) + buffer; }
  /// Complete when it is not needed any more.
  __device__ std::uint64_t* empty(int buffer) const { return full(Policy::buffers + buffer); }

  __device__ std::byte* x(int buffer) const { return memory + barrier_bytes + buffer * x_bytes; }
  __device__ std::byte* tiles(int buffer) const { return x(Policy::buffers) + buffer * tile_bytes; }
  __device__ std::byte* values(int buffer) const {
    return x(Policy::buffers) + Policy::buffers * tile_bytes + buffer * value_bytes;
  }

  /// Offset of 16 bytes of a slot's row from its buffer; `code` is 4 slot + slot mod 4.
  static __device__ __forceinline__ int place(int code, int sixteenth) {
    return ((code * 32) ^ (sixteenth % 8 * 16)) + sixteenth / 8 * panel_stride;
  }
};

/// A place in the ring.
template <int buffers>
struct RingPlace {
  int buffer = 0;
  int parity = 0;

  __device__ __forceinline__ void advance() {
    if (++buffer == buffers) {
      buffer = 0;
      parity ^= 1;
    }
  }
  __device__ __forceinline__ int before() const { return buffer == 0 ? buffers - 1 : buffer - 1; }
};

}  // namespace Tessera::Cuda
