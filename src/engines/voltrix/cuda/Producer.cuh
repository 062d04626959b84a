// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Arguments.cuh"

namespace Tessera::Impl::Cuda {

/// A warp that copies tiles, and their rows of X, to shared memory.
///
/// It counts the entries of tiles on the way, because the counts are the places of values. Hence words pass through its
/// registers. Values may begin at any address, so cp.async copies them element by element.
template <class Policy, class Scalar>
class BmatProducer {
 public:
  using Arguments = BmatArguments<Scalar>;
  using Buffers = BmatBuffers<Scalar, Policy>;

  __device__ __forceinline__ BmatProducer(const Arguments& arguments, const Buffers& buffers, int lane)
      : arguments_(arguments),
        buffers_(buffers),
        lane_(lane),
        tasks_(arguments.schedule, arguments.product.x.columns) {}

  __device__ __forceinline__ void run() {
    if (tasks_.left()) next_item_ = arguments_.schedule.items[tasks_.item()];
    Stage ahead[stages_ahead];
#pragma unroll
    for (Stage& stage : ahead) stage = next_stage();
    // Stages are not moved from register to register, because a move would wait for their loads.
    while (ahead[0].tiles > 0) {
#pragma unroll
      for (Stage& stage : ahead) {
        if (stage.tiles > 0) copy(stage);
        stage = next_stage();
      }
    }
  }

 private:
  using Pattern = BmatWords;

  // Number of stages by which the producer loads columns and words ahead of its copies, to hide memory latency.
  static constexpr int stages_ahead = 4;

  // The data for copying some tiles of an item. A lane holds one of the columns and one of the words.
  struct Stage {
    int tiles = 0;  // 0: there are no more stages
    bool is_first;  // whether it is the first stage of a task
    Offset first_value;
    int first_column, columns;  // columns of X
    Ordinal column;
    std::uint32_t word;
  };

  __device__ __forceinline__ Stage next_stage() {
    Stage stage;
    stage.is_first = false;
    while (tiles_left_ == 0 && tasks_.left()) {
      take_task();
      stage.is_first = true;
    }
    stage.tiles = min(tiles_left_, Policy::stage_tiles);
    stage.first_value = first_value_;
    stage.first_column = first_column_;
    stage.columns = columns_;
    const std::size_t tile = std::size_t(next_tile_);
    stage.column =
        lane_ < stage.tiles * Pattern::tile_width ? __ldcs(arguments_.A.tile_columns + tile * 8 + lane_) : -1;
    stage.word =
        lane_ < stage.tiles * Pattern::tile_words_count ? __ldcs(arguments_.A.tile_words + tile * 4 + lane_) : 0;
    next_tile_ += static_cast<Offset>(stage.tiles);
    tiles_left_ -= stage.tiles;
    return stage;
  }

  __device__ __forceinline__ void take_task() {
    next_tile_ = next_item_.first_tile;
    tiles_left_ = next_item_.tiles;
    first_value_ = next_item_.first_value;
    first_column_ = tasks_.first_column();
    columns_ = min(Policy::columns, arguments_.copied_columns - first_column_);
    tasks_.advance();
    if (tasks_.left()) next_item_ = arguments_.schedule.items[tasks_.item()];
  }

  __device__ __forceinline__ void copy(const Stage& stage) {
    if (stage.is_first) value_ = stage.first_value;
    mbarrier_wait(buffers_.empty(place_.buffer), place_.parity ^ 1);
    value_ += static_cast<Offset>(copy_tiles(stage, place_.buffer, value_));
    copy_rows(stage, place_.buffer);
    mbarrier_arrive_after_copies(buffers_.full(place_.buffer));
    place_.advance();
  }

  // Copies words, the places of their first values, and the values. Returns the number of values.
  __device__ __forceinline__ int copy_tiles(const Stage& stage, int buffer, Offset first_value) const {
    const int own = static_cast<int>(popcount32(stage.word));
    int before = own;  // entries of this lane's word and of the words before it
#pragma unroll
    for (int distance = 1; distance < Buffers::words; distance *= 2) {
      const int other = __shfl_sync(0xffffffffu, before, lane_ - distance);
      if (lane_ >= distance) before += other;
    }
    const int values = __shfl_sync(0xffffffffu, before, Buffers::words - 1);
    if (lane_ < Buffers::words) {
      buffers_.tile_words(buffer)[lane_] = stage.word;
      buffers_.word_places(buffer)[lane_] = static_cast<std::uint32_t>(before - own);
    }
    const Scalar* from = arguments_.product.values + std::size_t(first_value);
    Scalar* to = buffers_.values(buffer);
#pragma unroll 1
    for (int i = lane_; i < values; i += 32) copy_async_cached<sizeof(Scalar)>(to + i, from + i);
    return values;
  }

  __device__ __forceinline__ void copy_rows(const Stage& stage, int buffer) const {
    const int bytes = stage.columns * static_cast<int>(sizeof(Scalar));
    const int rows = stage.tiles * Pattern::tile_width;
    // A tile column without a matrix column is multiplied by zeros. Its row of X is one that the tile reads anyway.
    const Ordinal first = __shfl_sync(0xffffffffu, stage.column, lane_ / Pattern::tile_width * Pattern::tile_width);
    const Ordinal column = stage.column < 0 ? first : stage.column;
    const auto* x = reinterpret_cast<const std::byte*>(arguments_.product.x.data + stage.first_column);
    // After this, the arrival of one lane covers the words that all lanes wrote.
    __syncwarp();
    if constexpr (Policy::copy == BmatCopy::Bulk) {
      std::uint64_t* barrier = buffers_.full(buffer);
      if (lane_ == 0) mbarrier_arrive_expect(barrier, rows * bytes);
      if (lane_ < rows) bulk_copy(buffers_.x(buffer) + lane_ * Buffers::row_stride, row_of(x, column), bytes, barrier);
    } else {
      if (lane_ == 0) mbarrier_arrive(buffers_.full(buffer));
      copy_sixteens(column, x, bytes, rows, buffer);
    }
  }

  // Copies rows of X, 512 bytes at once: a part of a row, or several rows.
  __device__ __forceinline__ void copy_sixteens(Ordinal column, const std::byte* x, int bytes, int rows,
                                                int buffer) const {
    constexpr int lanes = Buffers::row_bytes / 16 < 32 ? Buffers::row_bytes / 16 : 32;  // lanes that copy a row
    constexpr int step = 32 / lanes;
    static_assert(32 % lanes == 0 && Buffers::rows % step == 0 && Buffers::row_bytes % (16 * lanes) == 0);
    const int byte = lane_ % lanes * 16, own_row = lane_ / lanes;
    std::byte* to = buffers_.x(buffer) + own_row * Buffers::row_stride + byte;
    x += byte;
    if (rows == Buffers::rows && bytes == Buffers::row_bytes) {
#pragma unroll
      for (int row = 0; row < Buffers::rows; row += step) {
        const std::byte* from = row_of(x, __shfl_sync(0xffffffffu, column, row + own_row));
#pragma unroll
        for (int i = 0; i < Buffers::row_bytes; i += 16 * lanes) {
          copy_async_16(to + row * Buffers::row_stride + i, from + i);
        }
      }
    } else {
#pragma unroll 1
      for (int row = 0; row < rows; row += step) {
        const std::byte* from = row_of(x, __shfl_sync(0xffffffffu, column, row + own_row));
        if (row + own_row >= rows) continue;
#pragma unroll 1
        for (int i = 0; i < bytes - byte; i += 16 * lanes) copy_async_16(to + row * Buffers::row_stride + i, from + i);
      }
    }
  }

  __device__ __forceinline__ const std::byte* row_of(const std::byte* x, Ordinal column) const {
    return x + std::size_t(static_cast<unsigned>(column)) * arguments_.x_row_bytes;
  }

  const Arguments& arguments_;
  Buffers buffers_;
  int lane_;
  // The buffer and the first value of the stage that is copied next.
  RingPlace<Policy::buffers> place_;
  Offset value_ = 0;
  // The tasks, the item of the next task, and the rest of the current task.
  BmatTasks<Policy> tasks_;
  BmatItem next_item_ = {};
  Offset next_tile_ = 0, first_value_ = 0;
  int tiles_left_ = 0, first_column_ = 0, columns_ = 0;
};

}  // namespace Tessera::Impl::Cuda
