// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "Task.cuh"
#include "launch/Launch.cuh"
#include "launch/WarpSum.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies a tile of adjacent entries by a single column, whatever the lengths of rows are.
///
/// Threads store the products of up to Memory::capacity entries in shared memory. Then lanes add the products of each
/// row: as many lanes a row as the block has for the rows of the tile, and a whole warp for a long row. The order of
/// summation depends on the pattern only.
///
/// A row that is not cut (CsrTile) belongs to the tile of its first entry: all threads add the entries that the tile
/// has no room for. Another row is cut where tiles begin. A tile then has two partial sums: of the row that began
/// before, and of the row that continues in the next tile. CsrColumnSums adds them.
///
/// \tparam by_blocks  whether both arrays of A begin at multiples of 16 bytes, and a thread loads several adjacent
///                    entries at once
template <class Task, bool by_blocks>
class CsrColumnTile {
  using Scalar = typename Task::Scalar;
  using InMemory = typename Task::InMemory;
  using MatrixScalar = typename Task::MatrixScalar;
  static constexpr int warp = 32;
  static constexpr int unroll = 4;  // entries of a thread
  static constexpr int block_size = static_cast<int>(std::clamp<std::size_t>(16 / sizeof(MatrixScalar), 1, unroll));
  static constexpr int width = by_blocks ? block_size : 1;  // entries that a thread loads at once
  static constexpr int long_row = 64;                       // a row of more entries has a whole warp

 public:
  static constexpr int threads = 256;
  static constexpr int registers = is_complex_v<Scalar> ? 64 : 32;
  struct Memory {
    static constexpr int capacity = threads * unroll;
    alignas(16) Scalar products[capacity];
    Scalar rest[threads / warp];  // sums of warps of the entries beyond the capacity
  };

  __device__ explicit CsrColumnTile(const Task& task)
      : task_(task),
        memory_(*reinterpret_cast<Memory*>(dynamic_memory())),
        begin_(task.schedule.tiles[blockIdx.x]),
        end_(task.schedule.tiles[blockIdx.x + 1]),
        first_row_(begin_.row - begin_.is_within_row),
        rows_(end_.row - first_row_),
        lane_bits_(lane_bits_of(rows_)),
        base_(begin_.entry / unroll * unroll),
        skipped_(static_cast<int>(begin_.entry - base_)),
        length_(static_cast<int>(end_.entry - base_)),
        kept_(min(length_, Memory::capacity)) {}

  /// Loads come first, so that they overlap: of columns and offsets, before the wait, then of values and X.
  __device__ void run() {
    Entries entries;
    if (kept_ > 0) load_columns(entries);
    const Row row = load_row(thread() >> lane_bits_);
    wait_for_previous_kernels();
    if (kept_ > 0) store_products(entries);
    if (length_ > kept_) add_rest();
    __syncthreads();
    let_next_kernel_begin();
    sum_rows(row);
  }

 private:
  static_assert(csr_tile_span + unroll <= Memory::capacity && unroll % block_size == 0);

  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int lane() const { return thread() % warp; }

  /// Returns the logarithm of the lanes of a row: as many as the block has for all rows, at most a warp.
  static __device__ int lane_bits_of(Ordinal rows) {
    constexpr int thread_bits = 8;
    static_assert(threads == 1 << thread_bits);
    const int row_bits = warp - __clz(static_cast<int>(max(rows, 1) - 1));
    return max(0, min(5, thread_bits - row_bits));
  }

  /// Entries of A and, once they are gathered, the elements of X for them.
  struct Entries {
    Ordinal columns[unroll];
    MatrixScalar values[unroll];
    InMemory x[unroll];
  };

  static constexpr std::size_t block_alignment = std::min<std::size_t>(width * sizeof(Scalar), 16);
  struct alignas(block_alignment) Block {
    Scalar at[width];
  };

  /// Returns the number of an entry of the thread, counted from base_.
  __device__ int entry(int u) const { return (u / width * threads + thread()) * width + u % width; }

  /// Calls load(entry, u) for entries u, ..., u + width - 1 of the thread, or load_one(entry, u) where A ends. A thread
  /// without entries loads the last ones, whose products nobody adds.
  template <class Load, class LoadOne>
  __device__ void for_each_entry(const Load& load, const LoadOne& load_one) const {
    const int last = kept_ - 1;
#pragma unroll
    for (int u = 0; u < unroll; u += width) {
      const int first = min(entry(u), last / width * width);
      if (width > 1 && base_ + static_cast<std::uint64_t>(first + width) <= task_.schedule.size.nonzeros) {
        load(first, u);
      } else {
#pragma unroll
        for (int i = 0; i < width; ++i) load_one(min(first + i, last), u + i);
      }
    }
  }
  __device__ void load_columns(Entries& entries) const {
    const typename Task::Columns columns(task_.A, static_cast<Offset>(base_));
    for_each_entry([&](int first, int u) { columns.template load_once<width>(first, entries.columns + u); },
                   [&](int entry, int u) { entries.columns[u] = columns.once(entry); });
  }
  __device__ void load_values(Entries& entries) const {
    const MatrixScalar* const values = task_.product.values + base_;
    for_each_entry([&](int first, int u) { load_block_once<width>(values + first, entries.values + u); },
                   [&](int entry, int u) { entries.values[u] = load_once(values + entry); });
  }

  /// Loads elements of X for entries.
  __device__ void gather(Entries& entries) const {
    if (task_.product.x_rows != nullptr) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) entries.columns[u] = task_.product.x_rows[entries.columns[u]];
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      entries.x[u] = load_reused(task_.row_of_x(entries.columns[u], task_.product.x.data));
  }

  __device__ void store_products(Entries& entries) {
    gather(entries);
    load_values(entries);
#pragma unroll
    for (int u = 0; u < unroll; u += width) {
      Block products;
#pragma unroll
      for (int i = 0; i < width; ++i)
        products.at[i] = multiplied(task_.value_of_entry(entries.values[u + i]), Scalar(entries.x[u + i]));
      *reinterpret_cast<Block*>(memory_.products + entry(u)) = products;
    }
  }

  /// Adds the entries of the last row that the tile has no room for.
  __device__ void add_rest() {
    Scalar sum(0);
    for (int first = kept_ + thread(); first < length_; first += threads * unroll) {
      Entries entries;
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const int entry = min(first + u * threads, length_ - 1);
        entries.columns[u] = typename Task::Columns(task_.A, static_cast<Offset>(base_)).once(entry);
        entries.values[u] = load_once(task_.product.values + base_ + entry);
      }
      gather(entries);
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (first + u * threads < length_)
          sum = fused(task_.value_of_entry(entries.values[u]), Scalar(entries.x[u]), sum);
      }
    }
    sum = warp_sum(sum);
    if (lane() == 0) memory_.rest[thread() / warp] = sum;
  }

  /// The entries of the tile that belong to a row, counted from base_.
  struct Row {
    Ordinal number;  // from first_row_ on
    int begin = 0, end = 0;
  };
  __device__ Row load_row(Ordinal number) const {
    if (number >= rows_) return {number};
    const Offset* const offsets = task_.A.row_offsets + first_row_ + number;
    const Offset base = static_cast<Offset>(base_);
    return {number, max(offsets[0] - base, skipped_), min(offsets[1] - base, length_)};
  }

  /// \param row  the first row of the calling lane
  __device__ void sum_rows(Row row) const {
    const int lanes = 1 << lane_bits_, lane_of_row = thread() & (lanes - 1);
    for (Ordinal first = 0;;) {
      const bool is_long = row.end - row.begin > long_row || row.end > kept_;
      Scalar sum(0);
      if (!is_long) {
        for (int entry = row.begin + lane_of_row; entry < row.end; entry += lanes) sum += memory_.products[entry];
      }
      sum = warp_sum(sum, lanes);
      if (row.number < rows_ && !is_long && lane_of_row == 0) store(row.number, sum);
      for (unsigned left = __ballot_sync(0xffffffffu, is_long && lane_of_row == 0); left != 0; left &= left - 1)
        sum_long_row(broadcast(row, warp - 1 - __clz(static_cast<int>(left & -left)), warp));
      first += threads >> lane_bits_;
      if (first >= rows_) return;
      row = load_row(first + (thread() >> lane_bits_));
    }
  }
  /// Adds the products of a row with all lanes of the warp.
  __device__ void sum_long_row(const Row& row) const {
    Scalar sum(0);
    for (int entry = row.begin + lane(); entry < min(row.end, kept_); entry += warp) sum += memory_.products[entry];
    sum = warp_sum(sum);
    if (lane() != 0) return;
    if (row.end > kept_) {
      for (const Scalar& rest : memory_.rest) sum += rest;
    }
    store(row.number, sum);
  }

  /// Stores the sum of a row, or of a part of it.
  __device__ void store(Ordinal number, Scalar sum) const {
    Scalar* const partial_sums = task_.partial_sums + 2 * std::int64_t(blockIdx.x);
    if (number == 0 && begin_.is_within_row != 0) {
      partial_sums[0] = sum;
    } else if (number == rows_ - 1 && end_.is_within_row != 0) {
      partial_sums[1] = sum;
    } else {
      store_row<false>(task_, first_row_ + number, 0, Vector<Scalar, false, InMemory>{{sum}});
    }
  }

  const Task& task_;
  Memory& memory_;
  const CsrTile begin_, end_;
  const Ordinal first_row_;   // the row that began before the tile, if it is cut, or else the tile's first row
  const Ordinal rows_;        // from first_row_ to the last that begins in the tile
  const int lane_bits_;       // a row has 2^lane_bits_ lanes
  const std::uint64_t base_;  // the first entry of the first thread
  const int skipped_;         // entries from base_ to the first of the tile
  const int length_;          // entries from base_ to the end of the tile
  const int kept_;            // those whose products are stored
};

/// Adds the partial sums of a row that is cut, and writes its row of Y. The warp of the tile in which the row begins
/// does this.
template <class Task>
class CsrColumnSums {
  using Scalar = typename Task::Scalar;
  static constexpr int warp = 32;

 public:
  static constexpr int warps = 4;  // of a block

  __device__ explicit CsrColumnSums(const Task& task) : task_(task) {}

  __device__ void run() const {
    wait_for_previous_kernels();
    const auto t = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp;
    if (t + 1 >= task_.schedule.size.tiles) return;
    const CsrTile* const tile = task_.schedule.tiles + t;
    if (!tile[1].is_within_row || tile[0].row == tile[1].row) return;  // no row begins here and continues
    const Ordinal row = tile[1].row - 1;
    const auto last =
        static_cast<std::int64_t>(csr_tile_of(task_.A.row_offsets[row + 1] - 1, static_cast<std::uint64_t>(row)));
    const auto lane = static_cast<int>(threadIdx.x) % warp;
    Scalar sum = lane == 0 ? task_.partial_sums[2 * t + 1] : Scalar(0);
    for (std::int64_t other = t + 1 + lane; other <= last; other += warp) sum += task_.partial_sums[2 * other];
    sum = warp_sum(sum);
    if (lane == 0) store_row<false>(task_, row, 0, Vector<Scalar, false, typename Task::InMemory>{{sum}});
  }

 private:
  const Task& task_;
};

}  // namespace Tessera::Impl::Cuda
