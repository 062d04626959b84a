// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "csr/chunked/Column.hpp"
#include "epilogue/Arithmetic.cuh"
#include "launch/Launch.cuh"
#include "launch/WarpSum.cuh"
#include "ptx/Load.cuh"
#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// Arguments of the kernels.
template <class Scalar>
struct ColumnChunksArguments {
  ColumnChunks chunks;
  const Ordinal* column_indices;
  Product<Scalar, Scalar> product;
  Scalar* sums;  // of each row, chunk after chunk
};

/// A thread block's work: it copies a chunk of X to shared memory, then groups of lanes multiply the entries of rows in
/// the chunk. The blocks of a chunk deal out its rows, which are sorted by length: in turns, and in the opposite order
/// every second time. While a group multiplies a batch of entries, it loads the next one, which may be of the next row.
template <class Scalar>
class ColumnChunkAgent {
  using Arguments = ColumnChunksArguments<Scalar>;
  static constexpr int lanes = 16;  // of a group
  static constexpr int unroll = 4;  // entries of a lane in a batch

 public:
  static constexpr int threads = 1024;

  __device__ ColumnChunkAgent(const Arguments& arguments, Scalar* x, Ordinal chunk, Ordinal first_block, Ordinal blocks)
      : arguments_(arguments),
        schedule_(arguments.chunks.entries),
        x_(x),
        items_(schedule_.items + std::size_t(chunk) * std::size_t(schedule_.rows)),
        sums_(arguments.sums + std::size_t(chunk) * std::size_t(schedule_.rows)),
        first_row_(chunk * schedule_.chunks.rows),
        group_((static_cast<Ordinal>(blockIdx.x) - first_block) * groups_of_block +
               static_cast<Ordinal>(threadIdx.x) / lanes),
        groups_(blocks * groups_of_block),
        lane_(static_cast<int>(threadIdx.x) % lanes) {}

  __device__ void run() const {
    Ordinal turn = 0;
    ChunkedItem item = item_of(turn), next = item_of(turn + 1);
    wait_for_previous_kernels();
    Batch batch;
    load(item, 0, batch);
    copy_x();
    __syncthreads();
    const Ordinal turns = window_count(schedule_.rows, groups_);
    for (; turn < turns; ++turn) {
      const ChunkedItem after_next = item_of(turn + 2);
      const Scalar sum = warp_sum(sum_of_lane(item, next, batch), lanes);
      if (lane_ == 0 && item.row >= 0) sums_[item.row] = sum;
      item = next;
      next = after_next;
    }
  }

 private:
  static constexpr int groups_of_block = threads / lanes, batch_size = lanes * unroll;
  /// Entries of a lane. Those after the end of a row have the value 0 and the column -1.
  struct Batch {
    Ordinal columns[unroll];
    Scalar values[unroll];
  };

  __device__ void copy_x() const {
    const auto& product = arguments_.product;
    const Ordinal rows = min(schedule_.chunks.rows, schedule_.columns - first_row_);
#pragma unroll 4
    for (Ordinal r = static_cast<Ordinal>(threadIdx.x); r < rows; r += threads) {
      const Ordinal row = product.x_rows == nullptr ? first_row_ + r : product.x_rows[first_row_ + r];
      x_[r] = load_reused(product.x.data + row * product.x.row_stride);
    }
  }

  /// Returns the item of the group in a turn.
  __device__ ChunkedItem item_of(Ordinal turn) const {
    const std::int64_t place = std::int64_t(turn) * groups_ + (turn % 2 == 0 ? group_ : groups_ - 1 - group_);
    ChunkedItem item;
    if (place >= schedule_.rows) return item;
    const uint4 words = load_now_16(items_ + place);
    std::memcpy(&item, &words, sizeof(words));
    return item;
  }

  /// Loads the lane's entries of an item, from entry `first` of it on.
  __device__ void load(const ChunkedItem& item, std::uint32_t first, Batch& batch) const {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const std::uint32_t entry = first + static_cast<std::uint32_t>(lane_ + u * lanes);
      const bool is_there = entry < item.length;
      batch.columns[u] = is_there ? load_once(arguments_.column_indices + item.first + entry) - first_row_ : -1;
      batch.values[u] = is_there ? load_once(arguments_.product.values + item.first + entry) : Scalar(0);
    }
  }

  /// Returns the sum of the lane's entries of an item. All lanes of a warp take as many steps as its longest item.
  ///
  /// \param batch [in,out] the first batch of the item; then that of the next item
  __device__ Scalar sum_of_lane(const ChunkedItem& item, const ChunkedItem& next, Batch& batch) const {
    const std::uint32_t longest = __reduce_max_sync(0xffffffffu, item.length);
    Scalar sum(0);
    std::uint32_t first = 0;
    do {
      const Batch own = batch;
      first += batch_size;
      const bool is_last = first >= longest;
      load(is_last ? next : item, is_last ? 0 : first, batch);
      Scalar x[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) x[u] = own.columns[u] >= 0 ? x_[own.columns[u]] : Scalar(0);
#pragma unroll
      for (int u = 0; u < unroll; ++u) sum = fused(own.values[u], x[u], sum);
    } while (first < longest);
    return sum;
  }

  const Arguments& arguments_;
  const ChunkedSchedule& schedule_;
  Scalar* const x_;
  const ChunkedItem* const items_;
  Scalar* const sums_;
  const Ordinal first_row_;       // of X in the chunk
  const Ordinal group_, groups_;  // the group, and their number in all blocks of the chunk
  const int lane_;
};

}  // namespace Tessera::Impl::Cuda
