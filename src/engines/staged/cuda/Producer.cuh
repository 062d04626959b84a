// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Arguments.cuh"

namespace Tessera::Impl::Cuda {

/// A warp that copies its share of chunks to shared memory: rows of X, tiles and values.
template <class Policy, class Scalar>
class StagedProducer {
 public:
  using Buffers = StagedBuffers<Scalar, Policy>;

  __device__ __forceinline__ StagedProducer(const StagedArguments<Scalar>& arguments, const Buffers& buffers,
                                            int producer, int lane)
      : arguments_(arguments), buffers_(buffers), producer_(producer), lane_(lane) {}

  __device__ __forceinline__ void run() const {
    RingPlace<Policy::buffers> place;
    StagedSteps steps(arguments_.schedule.items, arguments_.schedule.item_count, arguments_.slabs);
    if (!steps.left()) return;
    Chunk next = load_chunk(steps.chunk());
    while (steps.left()) {
      // Loads the description of the next chunk while this chunk is copied.
      const Chunk chunk = next;
      const unsigned slab = steps.slab();
      steps.advance();
      if (steps.left()) next = load_chunk(steps.chunk());
      mbarrier_wait(buffers_.empty(place.buffer), place.parity ^ 1);
      copy_rows(chunk, place.buffer, slab);
      copy_matrix(chunk, place.buffer);
      mbarrier_arrive_after_copies(buffers_.full(place.buffer));
      place.advance();
    }
  }

 private:
  static constexpr int own_slots = Policy::slots / Policy::producers;
  static constexpr int row_sixteenths = Buffers::row_bytes / 16;
  static constexpr int lane_columns = 16 / static_cast<int>(sizeof(Scalar));
  static constexpr int step_rows = 32 / row_sixteenths;
  static_assert(row_sixteenths <= 32 && 4 % step_rows == 0);

  // A producer's data for copying a chunk.
  struct Chunk {
    int2 begin, end;  // tiles (x) and values (y): their begin and their end
    Ordinal columns[(own_slots + 31) / 32];
  };

  __device__ __forceinline__ Chunk load_chunk(int index) const {
    Chunk chunk;
    const Ordinal* columns =
        arguments_.A.chunk_columns + std::size_t(index) * Policy::slots + producer_ * own_slots + lane_ % own_slots;
#pragma unroll
    for (int i = 0; i < (own_slots + 31) / 32; ++i) chunk.columns[i] = __ldcs(columns + 32 * i);
    chunk.begin = __ldg(reinterpret_cast<const int2*>(arguments_.A.chunks) + index);
    chunk.end = __ldg(reinterpret_cast<const int2*>(arguments_.A.chunks) + index + 1);
    return chunk;
  }

  __device__ __forceinline__ void copy_matrix(const Chunk& chunk, int buffer) const {
    copy_linear(buffers_.tiles(buffer), arguments_.A.tiles, chunk.begin.x, chunk.end.x);
    copy_linear(buffers_.values(buffer), reinterpret_cast<const std::byte*>(arguments_.product.values), chunk.begin.y,
                chunk.end.y);
  }

  __device__ __forceinline__ void copy_linear(std::byte* to, const std::byte* from, unsigned first,
                                              unsigned last) const {
    for (unsigned i = first + producer_ * 32 + lane_; i < last; i += 32 * Policy::producers) {
      copy_async_16(to + 16 * (i - first), from + std::size_t(i) * 16);
    }
  }

  // Copies rows of X, 512 bytes per warp at once: one row or several. Columns beyond the last of X become zeros.
  __device__ __forceinline__ void copy_rows(const Chunk& chunk, int buffer, unsigned slab) const {
    const int sixteenth = lane_ % row_sixteenths, own_row = lane_ / row_sixteenths;
    const int first_column = static_cast<int>(slab) * Policy::columns + sixteenth * lane_columns;
    const int columns_left = arguments_.product.x.columns - first_column;
    if (static_cast<int>(slab + 1) * Policy::columns <= arguments_.product.x.columns) {
      copy_lane(chunk, buffer, sixteenth, own_row, first_column,
                [](std::byte* to, const std::byte* from) { copy_async_16(to, from); });
    } else {
      const int bytes = min(max(columns_left, 0), lane_columns) * static_cast<int>(sizeof(Scalar));
      copy_lane(chunk, buffer, sixteenth, own_row, columns_left > 0 ? first_column : 0,
                [bytes](std::byte* to, const std::byte* from) { copy_async_16_filled(to, from, bytes); });
    }
  }

  template <class Copy>
  __device__ __forceinline__ void copy_lane(const Chunk& chunk, int buffer, int sixteenth, int own_row,
                                            int first_column, const Copy& copy) const {
    // Places within a buffer repeat after 4 slots.
    const int first_slot = producer_ * own_slots + own_row;
    std::byte* to[4 / step_rows];
#pragma unroll
    for (int i = 0; i < 4 / step_rows; ++i) {
      const int slot = first_slot + i * step_rows;
      to[i] = buffers_.x(buffer) + Buffers::place(4 * slot + slot % 4, sixteenth);
    }
    const auto* x = reinterpret_cast<const std::byte*>(arguments_.product.x.data + first_column);
#pragma unroll
    for (int i = 0; i < own_slots / step_rows; ++i) {
      const Ordinal column =
          __shfl_sync(0xffffffffu, chunk.columns[i * step_rows / 32], (i * step_rows % 32) + own_row);
      const std::byte* from = x + std::size_t(static_cast<unsigned>(column)) * arguments_.x_row_bytes;
      if (column >= 0) copy(to[i % (4 / step_rows)] + i / (4 / step_rows) * (4 * Buffers::panel_bytes), from);
    }
  }

  const StagedArguments<Scalar>& arguments_;
  Buffers buffers_;
  int producer_, lane_;
};

}  // namespace Tessera::Impl::Cuda
