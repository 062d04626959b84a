// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "Task.cuh"
#include "launch/Launch.cuh"
#include "launch/WarpSum.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies rows by a single column that fits in shared memory: a block on each multiprocessor copies all of X, and
/// gathers from the copy. A gather from a cache takes longer, because the lanes of a warp read different lines.
///
/// Block b of n has the rows that begin in tiles b t / n to (b + 1) t / n - 1 of t, so no row is cut between blocks.
/// All warps get the same number of entries of a block, or of a part of it with `part_rows` rows. A row that is cut
/// between warps is added from the sums of its warps in their order. The order of summation depends on the pattern and
/// on the number of multiprocessors.
template <class Task>
class CsrColumnBlock {
  using Scalar = typename Task::Scalar;
  using InMemory = typename Task::InMemory;
  using MatrixScalar = typename Task::MatrixScalar;
  static constexpr int warp = 32, warps = 32;
  static constexpr int unroll = 4;  // entries that a lane loads at once

 public:
  static constexpr int threads = warp * warps;
  static constexpr int registers = 64;
  static constexpr int part_rows = 4096;  // rows whose offsets are in shared memory

  /// Returns the bytes of shared memory for an X of this number of rows.
  static constexpr std::size_t shared_bytes(std::size_t x_rows) { return sizeof(Memory) + x_rows * sizeof(InMemory); }

  __device__ explicit CsrColumnBlock(const Task& task)
      : task_(task),
        memory_(*reinterpret_cast<Memory*>(dynamic_memory())),
        x_(reinterpret_cast<InMemory*>(dynamic_memory() + sizeof(Memory))) {}

  __device__ void run() {
    Part part = block_part();
    wait_for_previous_kernels();
    copy_x();
    Ordinal left = part.rows;
    do {
      part.rows = min(left, part_rows);
      if (left > part_rows) part.end = task_.A.row_offsets[part.first_row + part.rows];
      const Share share = share_of(part);
      Batch batch;
      load(share.begin, share.end, batch);
      load_offsets(part);
      __syncthreads();
      multiply(part, share, batch);
      __syncthreads();
      add_cut_rows(part);
      left -= part.rows;
      part.first_row += part.rows;
      part.begin = part.end;
      part.end = end_;
      if (left > 0) __syncthreads();
    } while (left > 0);
    let_next_kernel_begin();
  }

 private:
  struct Memory {
    alignas(16) Scalar heads[warps];  // sums of the entries of a row that began in an earlier warp
    Scalar tails[warps];              // sums of the entries of a row that continues in the next warp
    Ordinal cut_rows[warps];          // the row of each tail; -1: none
    Offset ends[warps];               // the end of each warp's share
    alignas(16) Offset offsets[part_rows + 4];
  };
  /// Rows of the block, and their entries.
  struct Part {
    Ordinal first_row, rows;
    Offset begin, end;
  };
  /// Entries of a warp.
  struct Share {
    Offset begin, end;
  };
  /// Adjacent entries that a warp multiplies at once.
  struct Batch {
    Ordinal columns[unroll];
    MatrixScalar values[unroll];
  };
  static constexpr Offset batch_size = warp * unroll;

  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int lane() const { return thread() % warp; }
  __device__ int own() const { return thread() / warp; }

  /// Returns the rows that begin in the tiles of the block.
  __device__ Part block_part() {
    const auto tiles = static_cast<std::uint64_t>(task_.schedule.size.tiles);
    const CsrTile from = task_.schedule.tiles[blockIdx.x * tiles / gridDim.x];
    const CsrTile to = task_.schedule.tiles[(blockIdx.x + 1) * tiles / gridDim.x];
    end_ = first_entry(to);
    return {from.row, to.row - from.row, first_entry(from), end_};
  }
  /// Returns the first entry of the first row that begins in a tile.
  __device__ Offset first_entry(const CsrTile& tile) const {
    return tile.is_within_row != 0 ? task_.A.row_offsets[tile.row] : static_cast<Offset>(tile.entry);
  }
  __device__ Share share_of(const Part& part) const {
    const Offset all = part.end - part.begin, size = (all + warps - 1) / warps;
    return {part.begin + min(size * static_cast<Offset>(own()), all),
            part.begin + min(size * static_cast<Offset>(own() + 1), all)};
  }

  /// Copies X. On an H200, asynchronous copies of the same memory by all multiprocessors take several times as long.
  __device__ void copy_x() const {
    const InMemory* const x = task_.product.x.data;
    const Ordinal columns = task_.A.columns;
    constexpr int unit = 16 / sizeof(InMemory);
    const bool is_plain = task_.product.x_rows == nullptr && task_.x_row_bytes == sizeof(InMemory) &&
                          reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
    const Ordinal units = is_plain ? columns / unit : 0;
#pragma unroll 4
    for (Ordinal i = thread(); i < units; i += threads)
      reinterpret_cast<uint4*>(x_)[i] = __ldg(reinterpret_cast<const uint4*>(x) + i);
    for (Ordinal column = units * unit + thread(); column < columns; column += threads)
      x_[column] = *task_.row_of_x(task_.row_of_entry(column), x);
  }

  __device__ void load_offsets(const Part& part) const {
    for (int i = thread(); i <= part.rows; i += threads) memory_.offsets[i] = task_.A.row_offsets[part.first_row + i];
  }

  /// Loads the lane's entries of a batch. After the end they are those of the last entry.
  __device__ void load(Offset begin, Offset end, Batch& batch) const {
    if (begin >= end) return;
    const typename Task::Columns columns(task_.A);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Offset entry = min(begin + static_cast<Offset>(lane() + u * warp), end - 1);
      batch.columns[u] = columns.once(entry);
      batch.values[u] = load_once(task_.product.values + entry);
    }
  }

  /// Multiplies the entries of the warp, while it loads the next batch, and adds those of each row.
  __device__ void multiply(const Part& part, const Share& share, Batch& next) const {
    const Offset* const offsets = memory_.offsets;
    Offset begin = share.begin;
    int row = begin < share.end ? row_of(begin, part.rows) : 0;
    bool is_head = begin != offsets[row];
    Scalar sum(0);
    while (begin < share.end) {
      const Offset first = begin, end = min(first + batch_size, share.end);
      Scalar products[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u)
        products[u] = multiplied(task_.value_of_entry(next.values[u]), Scalar(x_[next.columns[u]]));
      load(end, share.end, next);
      while (begin < end) {
        const Offset row_end = offsets[row + 1], last = min(row_end, end);
        add(products, static_cast<int>(begin - first), static_cast<int>(last - begin), sum);
        begin = last;
        if (row_end > last) break;
        finish_row(part.first_row + row, is_head, sum);
        is_head = false;
        sum = Scalar(0);
        do {
          ++row;
        } while (row < part.rows && offsets[row + 1] == row_end);
      }
    }
    const bool is_cut = share.begin < share.end && row < part.rows && offsets[row] < share.end;
    sum = warp_sum(sum);
    if (lane() == 0) {
      if (is_cut) (is_head ? memory_.heads : memory_.tails)[own()] = sum;
      memory_.cut_rows[own()] = is_cut && !is_head ? row : -1;
      memory_.ends[own()] = share.end;
    }
    for (row = thread(); row < part.rows; row += threads) {
      if (offsets[row] == offsets[row + 1]) store(part.first_row + row, Scalar(0));
    }
  }
  /// Adds the lane's products of `count` entries of a batch.
  __device__ void add(const Scalar (&products)[unroll], int first, int count, Scalar& sum) const {
    if (count == static_cast<int>(batch_size)) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) sum += products[u];
    } else {
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (static_cast<unsigned>(lane() + u * warp - first) < static_cast<unsigned>(count)) sum += products[u];
      }
    }
  }
  __device__ void finish_row(Ordinal row, bool is_head, Scalar sum) const {
    sum = warp_sum(sum);
    if (lane() != 0) return;
    if (is_head) {
      memory_.heads[own()] = sum;
    } else {
      store(row, sum);
    }
  }

  /// Returns the last row that begins at an entry or before it.
  __device__ int row_of(Offset entry, int rows) const {
    int low = 0, high = rows;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (memory_.offsets[middle] <= entry ? low : high) = middle;
    }
    return low;
  }

  /// Adds the sums of the rows that are cut between warps.
  __device__ void add_cut_rows(const Part& part) const {
    if (thread() >= warps || memory_.cut_rows[thread()] < 0) return;
    const int row = memory_.cut_rows[thread()];
    Scalar sum = memory_.tails[thread()];
    int next = thread();
    do {
      sum += memory_.heads[++next];
    } while (memory_.ends[next] < memory_.offsets[row + 1]);
    store(part.first_row + row, sum);
  }

  __device__ void store(Ordinal row, Scalar sum) const {
    store_row<false>(task_, row, 0, Vector<Scalar, false, InMemory>{{sum}});
  }

  const Task& task_;
  Memory& memory_;
  InMemory* x_;
  Offset end_ = 0;  // of the block's entries
};

}  // namespace Tessera::Impl::Cuda
