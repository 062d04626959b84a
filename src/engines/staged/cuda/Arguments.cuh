// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Product.hpp>

#include "Policy.hpp"
#include "condensed/cuda/Schedule.hpp"
#include "launch/WindowArguments.hpp"
#include "ptx/AsyncCopy.cuh"
#include "staged/StagedView.hpp"

namespace Tessera::Impl::Cuda {

/// Arguments of the kernels for staged windows. In their schedule, tiles are chunks.
template <class Scalar>
using StagedArguments = WindowArguments<StagedPattern, CondensedSchedule, Scalar, Scalar>;

/// The tasks of a block, one after another. A task is an item with a slab of columns. Blocks that run at the same time
/// have the same item or adjacent ones.
struct StagedTasks {
  unsigned next, count, slabs;

  __device__ StagedTasks(unsigned items, unsigned slab_count)
      : next(blockIdx.x), count(items * slab_count), slabs(slab_count) {}
  __device__ bool left() const { return next < count; }
  __device__ unsigned item() const { return next / slabs; }
  __device__ unsigned slab() const { return next % slabs; }
  __device__ void advance() { next += gridDim.x; }
};

/// The chunks of a block's tasks, one after another.
class StagedSteps {
 public:
  __device__ __forceinline__ StagedSteps(const CondensedItem* items, unsigned item_count, unsigned slabs)
      : items_(items), tasks_(item_count, slabs) {
    if (!tasks_.left()) return;
    next_item_ = items_[tasks_.item()];
    take_task();
  }

  __device__ __forceinline__ bool left() const { return chunk_ < last_; }
  __device__ __forceinline__ int chunk() const { return chunk_; }
  __device__ __forceinline__ unsigned slab() const { return slab_; }
  __device__ __forceinline__ void advance() {
    if (++chunk_ == last_) take_task();
  }

 private:
  // Starts the next task that has chunks.
  __device__ __forceinline__ void take_task() {
    while (chunk_ == last_ && tasks_.left()) {
      chunk_ = next_item_.first_tile;
      last_ = chunk_ + next_item_.tiles;
      slab_ = tasks_.slab();
      tasks_.advance();
      if (tasks_.left()) next_item_ = items_[tasks_.item()];
    }
  }

  const CondensedItem* items_;
  StagedTasks tasks_;
  CondensedItem next_item_ = {};
  int chunk_ = 0, last_ = 0;
  unsigned slab_ = 0;
};

/// The shared memory of a block: a ring of buffers, one for each chunk.
///
/// Rows of X are stored in panels of 128 bytes, slot by slot, so a slot has the same banks in every panel. A panel has
/// four pairs of 16 bytes; pair p is at place p xor (slot mod 4). Lanes that read the same columns of four slots with
/// different remainders mod 4 then read different banks.
template <class Scalar, class Policy>
struct StagedBuffers : StagedMemory<Scalar, Policy>, RingBarriers<Policy::buffers> {
  using StagedBuffers::StagedMemory::barrier_bytes;
  using StagedBuffers::StagedMemory::panel_stride;
  using StagedBuffers::StagedMemory::x_bytes;

  int tile_bytes, value_bytes;  // bytes of tiles and of values in a buffer

  __device__ std::byte* x(int buffer) const { return this->memory + barrier_bytes + buffer * x_bytes; }
  __device__ std::byte* tiles(int buffer) const { return x(Policy::buffers) + buffer * tile_bytes; }
  __device__ std::byte* values(int buffer) const {
    return x(Policy::buffers) + Policy::buffers * tile_bytes + buffer * value_bytes;
  }

  /// Returns where 16 bytes of a slot's row are in a buffer. `code` is 4 slot + slot mod 4.
  static __device__ __forceinline__ int place(int code, int sixteenth) {
    return ((code * 32) ^ (sixteenth % 8 * 16)) + sixteenth / 8 * panel_stride;
  }
};

}  // namespace Tessera::Impl::Cuda
