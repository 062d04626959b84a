// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/StagedView.hpp>

#include "../ptx/AsyncCopy.cuh"
#include "Memory.hpp"

namespace Tessera::Cuda {

/// Shared memory of a block: a ring of buffers, a chunk each.
///
/// Rows of X lie in panels of 128 bytes, slot by slot, so that a slot has the same banks in every panel. Of a panel,
/// the 32 bytes that are pair p of 16 lie at place p xor (slot mod 4): lanes that read the same columns of four slots
/// that differ mod 4 read different banks.
template <class Scalar, class Policy>
struct StagedBuffers {
  using Memory = StagedMemory<Scalar, Policy>;
  static constexpr int row_bytes = Memory::row_bytes;
  static constexpr int panel_bytes = Memory::panel_bytes;
  static constexpr int panels = Memory::panels;
  static constexpr int panel_stride = Memory::panel_stride;
  static constexpr int x_bytes = Memory::x_bytes;
  static constexpr int barrier_bytes = Memory::barrier_bytes;

  std::byte* memory;
  int tile_bytes, value_bytes;  // of a buffer

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
