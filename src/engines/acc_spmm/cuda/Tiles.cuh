// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "acc_spmm/cuda/Schedule.hpp"
#include "condensed/cuda/Arguments.hpp"
#include "fragments/Layout.hpp"
#include "ptx/AsyncCopy.cuh"
#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// Arguments of the kernel for BitTCF: A as condensed windows of one strip, and the items of each thread block.
template <class Scalar>
struct BitTcfArguments : CondensedArguments<Scalar, Scalar> {
  int block_count = 0;
  const int* block_items = nullptr;
};

/// Tiles of a BitTCF matrix in the shared memory of a thread block: whole blocks of 8x8 elements, row by row, and tile
/// columns. Copies that are started here complete at a later arrive().
///
/// Two warps decode, one element per thread. Where the mask has an entry, the thread copies its value from memory;
/// elsewhere it writes 0. There are buffers for the blocks and tile columns of up to three tiles ahead. Loads of X wait
/// for tile columns: between the first two barriers, warps read the columns of two tiles.
template <class Scalar>
class BitTcfTiles {
 public:
  using Pattern = CondensedPattern;

  static constexpr unsigned buffers = 4;  // a power of 2, so that indices of tiles wrap around

  struct Memory {
    alignas(16) Scalar blocks[buffers][Pattern::block_size];
    alignas(16) Ordinal columns[buffers][Pattern::tile_width];
  };

  /// Data with which a thread decodes a tile.
  struct Index {
    std::uint64_t mask;
    Offset first_value;
  };

  __device__ __forceinline__ BitTcfTiles(const Pattern& A, const Scalar* values, Memory& memory, int thread)
      : A_(A), values_(values), memory_(memory), thread_(thread) {}

  __device__ __forceinline__ Index load_index(Offset tile) const {
    if (!decodes()) return {};
    return {A_.tile_masks[tile], A_.tile_offsets[tile]};
  }

  __device__ __forceinline__ void begin_columns(Offset tile) const {
    if (thread_ >= Pattern::tile_width) return;
    copy_async_cached<sizeof(Ordinal)>(&memory_.columns[number(tile) % buffers][thread_],
                                       A_.tile_columns + std::size_t(tile) * Pattern::tile_width + thread_);
  }

  __device__ __forceinline__ void begin_block(Offset tile, const Index& index) const {
    if (!decodes()) return;
    constexpr int half = Pattern::block_size / 2;
    const auto low = static_cast<unsigned>(index.mask), high = static_cast<unsigned>(index.mask >> half);
    const unsigned own = thread_ < half ? low : high, bit = 1u << (thread_ % half);
    Scalar* to = &memory_.blocks[number(tile) % buffers][thread_];
    if ((own & bit) != 0) {
      const unsigned before = popcount32(own & (bit - 1)) + (thread_ < half ? 0 : popcount32(low));
      const auto first = static_cast<std::make_unsigned_t<Offset>>(index.first_value);
      copy_async_cached<sizeof(Scalar)>(to, values_ + (first + before));
    } else {
      *to = Scalar(0);
    }
  }

  /// Closes the group of copies started since the last call, and waits until at most the last `pending` groups are in
  /// flight. All threads of the block must call it.
  template <int pending>
  __device__ __forceinline__ void arrive() const {
    commit_copies();
    wait_copies<pending>();
    __syncthreads();
  }

  /// Waits for the last copies.
  __device__ __forceinline__ void end() const { wait_copies<0>(); }

  /// Returns the columns of the two rows of X that a lane holds.
  __device__ __forceinline__ int2 columns(Offset tile, int lane) const {
    return reinterpret_cast<const int2*>(memory_.columns[number(tile) % buffers])[lane % 4];
  }

  /// Reads a lane's two elements of the block: its part of the right operand.
  __device__ __forceinline__ void read_block(Offset tile, int lane, Scalar (&a)[2]) const {
    using Pair = vector_of_t<Scalar, 2>;
    *reinterpret_cast<Pair*>(a) = reinterpret_cast<const Pair*>(memory_.blocks[number(tile) % buffers])[lane];
  }

 private:
  static __device__ __forceinline__ unsigned number(Offset tile) { return static_cast<unsigned>(tile); }
  __device__ __forceinline__ bool decodes() const { return thread_ < Pattern::block_size; }

  const Pattern& A_;
  const Scalar* values_;
  Memory& memory_;
  int thread_;
};

}  // namespace Tessera::Impl::Cuda
