// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "Task.cuh"
#include "launch/Launch.cuh"
#include "launch/WarpSum.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies a tile of adjacent entries by a single column, whatever the lengths of rows are.
///
/// Each thread adds four adjacent products, the first of which belongs to an entry whose number is a multiple of four.
/// A segmented scan of the block then adds the sums of threads that share a row. The order of summation depends on the
/// pattern only.
///
/// A row of up to csr_tile_row entries belongs to the tile of its first entry: all threads add the entries that the
/// tile has no room for. A longer row is cut where tiles begin. A tile then has two partial sums: of the row that began
/// before, and of the row that continues in the next tile. CsrColumnSums adds them.
///
/// \tparam by_blocks  whether both arrays of A begin at multiples of 16 bytes, and a thread loads its four entries at
///                    once. Otherwise adjacent threads load adjacent entries, and products pass through shared memory.
template <class Task, bool by_blocks>
class CsrColumnTile {
  using Scalar = typename Task::Scalar;
  using InMemory = typename Task::InMemory;
  using MatrixScalar = typename Task::MatrixScalar;
  static constexpr int warp = 32;
  static constexpr int unroll = 4;  // entries of a thread

 public:
  static constexpr int threads = 256;
  static constexpr int registers = 32 + (sizeof(Scalar) > 4 ? 8 : 0) + (is_complex_v<Scalar> ? 24 : 0);
  struct Memory {
    static constexpr int capacity = threads * unroll;
    static constexpr int padding = 128 / static_cast<int>(sizeof(Scalar));
    Scalar products[by_blocks ? 1 : capacity + capacity / padding];
    /// For the last entry of a row: the number of the row in the tile, plus 1; otherwise 0.
    alignas(8) std::uint16_t ends[capacity];
    Scalar rest[threads / warp];  // sums of warps of the entries beyond the capacity
    Scalar carried[threads / warp];
    bool has_end[threads / warp];

    /// Threads that read four adjacent products each do not read the same banks.
    __device__ Scalar& product(int entry) { return products[entry + entry / padding]; }
  };

  __device__ explicit CsrColumnTile(const Task& task)
      : task_(task),
        memory_(*reinterpret_cast<Memory*>(dynamic_memory())),
        begin_(task.schedule.tiles[blockIdx.x]),
        end_(task.schedule.tiles[blockIdx.x + 1]),
        base_(begin_.entry / unroll * unroll),
        skipped_(static_cast<int>(begin_.entry - base_)),
        length_(static_cast<int>(end_.entry - base_)),
        kept_(min(length_, Memory::capacity)) {}

  /// Loads come first, so that they overlap: of entries and offsets, then of X.
  __device__ void run() {
    let_next_kernel_begin();
    Entries entries;
    load_entries(entries);
    RowOfThread row = load_row(thread());
    clear_ends();
    __syncthreads();
    load_x(entries);
    for (; row.number < rows(); row = load_row(row.number + threads)) mark_end(row);
    if (thread() == 0 && begin_.is_within_row) memory_.ends[last_of(task_.A.row_offsets[begin_.row])] = before;
    Scalar products[unroll];
    multiply(entries, products);
    if (length_ > kept_) add_rest();
    __syncthreads();
    if constexpr (!by_blocks) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) products[u] = memory_.product(thread() * unroll + u);
    }
    sum_rows(products);
  }

 private:
  static constexpr int before = 0xffff;  // in ends: the row that began before the tile
  static_assert(2 * csr_tile_span < before && csr_tile_span + unroll <= Memory::capacity);

  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int lane() const { return thread() % warp; }
  __device__ int warp_number() const { return thread() / warp; }
  __device__ Ordinal rows() const { return end_.row - begin_.row; }
  /// Returns the number of an entry of the thread, counted from base_.
  __device__ int entry(int u) const { return by_blocks ? thread() * unroll + u : u * threads + thread(); }
  __device__ bool is_there(int u) const { return entry(u) >= skipped_ && entry(u) < kept_; }

  __device__ void clear_ends() {
    auto* const words = reinterpret_cast<std::uint32_t*>(memory_.ends);
    for (int i = thread(); i < Memory::capacity / 2; i += threads) words[i] = 0;
  }

  struct Entries {
    Ordinal rows_of_x[unroll];
    MatrixScalar values[unroll];
    InMemory x[unroll];
  };

  __device__ void load_entries(Entries& entries) const {
    const Ordinal* const columns = task_.A.column_indices + base_;
    const MatrixScalar* const values = task_.product.values + base_;
    if (by_blocks && base_ + static_cast<std::uint64_t>(entry(unroll)) <= task_.schedule.size.nonzeros) {
      if (entry(0) < kept_) {
        load_block_once(columns + entry(0), entries.rows_of_x);
        load_block_once(values + entry(0), entries.values);
      }
    } else {
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (!is_there(u)) continue;
        entries.rows_of_x[u] = __ldcs(columns + entry(u));
        entries.values[u] = load_once(values + entry(u));
      }
    }
  }
  __device__ void load_x(Entries& entries) const {
    if (kept_ == 0) return;  // X may have no rows
#pragma unroll
    for (int u = 0; u < unroll; ++u) entries.rows_of_x[u] = is_there(u) ? entries.rows_of_x[u] : 0;
    if (task_.product.x_rows != nullptr) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) entries.rows_of_x[u] = task_.product.x_rows[entries.rows_of_x[u]];
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      entries.x[u] = load_reused(task_.row_of_x(entries.rows_of_x[u], task_.product.x.data));
  }
  __device__ void multiply(const Entries& entries, Scalar (&products)[unroll]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      products[u] = is_there(u) ? multiplied(task_.value_of_entry(entries.values[u]), Scalar(entries.x[u])) : Scalar(0);
      if constexpr (!by_blocks) memory_.product(entry(u)) = products[u];
    }
  }

  /// A row of the tile.
  struct RowOfThread {
    Ordinal number;  // in the tile
    Offset begin = 0, end = 0;
  };
  __device__ RowOfThread load_row(Ordinal number) const {
    if (number >= rows()) return {number};
    const Offset* const offsets = task_.A.row_offsets + begin_.row + number;
    return {number, offsets[0], offsets[1]};
  }
  /// Marks the last entry of a row, or writes a row without entries.
  __device__ void mark_end(const RowOfThread& row) {
    if (row.begin == row.end) return store(begin_.row + row.number, Scalar(0));
    memory_.ends[last_of(row.end)] = static_cast<std::uint16_t>(row.number + 1);
  }
  /// Returns the last entry of the tile that belongs to a row with this end.
  __device__ int last_of(Offset end) const {
    const auto last = static_cast<std::uint64_t>(end) - base_;
    return (last < static_cast<std::uint64_t>(kept_) ? static_cast<int>(last) : kept_) - 1;
  }

  /// Adds the entries of the last row that the tile has no room for.
  __device__ void add_rest() {
    const Ordinal* const columns = task_.A.column_indices + base_;
    const MatrixScalar* const values = task_.product.values + base_;
    Scalar sum(0);
#pragma unroll 4
    for (int entry = kept_ + thread(); entry < length_; entry += threads) {
      const Ordinal row = task_.row_of_entry(__ldcs(columns + entry));
      sum = fused(task_.value_of_entry(load_once(values + entry)),
                  Scalar(load_reused(task_.row_of_x(row, task_.product.x.data))), sum);
    }
    sum = warp_sum(sum);
    if (lane() == 0) memory_.rest[warp_number()] = sum;
  }

  __device__ void sum_rows(const Scalar (&products)[unroll]) {
    const int first = thread() * unroll;
    Scalar sum(0), sum_of_first(0);
    int first_end = 0;  // the first row that ends in the thread's entries
    const uint2 ends = *reinterpret_cast<const uint2*>(memory_.ends + first);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      sum += products[u];
      const auto end = static_cast<int>((u < 2 ? ends.x : ends.y) >> (u % 2 * 16) & 0xffff);
      if (end == 0) continue;
      if (first_end == 0) {
        first_end = end;
        sum_of_first = sum;
      } else {
        finish(end, sum);
      }
      sum = Scalar(0);
    }
    const Scalar carried = carry(sum, first_end != 0);
    if (first_end != 0) finish(first_end, carried + sum_of_first);
  }

  /// Returns the sum of the entries of preceding threads that belong to the row of the thread's first entry. All
  /// threads of the block must call it.
  ///
  /// \param sum     the sum of the entries after the last row that ends in the thread's entries
  /// \param has_end whether a row ends in them
  __device__ Scalar carry(Scalar sum, bool has_end) {
    const unsigned ends = __ballot_sync(0xffffffffu, has_end);
    const unsigned up_to_here = ends << (warp - 1 - lane());  // bit 31 is this lane
    // The scan adds lanes after the last one in which a row ends: this lane, and `reach` lower ones.
    const int reach = up_to_here != 0 ? __clz(static_cast<int>(up_to_here)) : lane();
    for (int distance = 1; distance < warp && __any_sync(0xffffffffu, reach >= distance); distance *= 2) {
      const Scalar other = from_lower_lane(sum, distance);
      if (reach >= distance) sum = other + sum;
    }
    if (lane() == warp - 1) {
      memory_.carried[warp_number()] = sum;
      memory_.has_end[warp_number()] = ends != 0;
    }
    __syncthreads();
    Scalar carried = from_lower_lane(sum, 1);
    if (lane() == 0) carried = Scalar(0);
    bool is_whole = (ends & ((1u << lane()) - 1)) != 0;
    for (int w = warp_number() - 1; w >= 0 && !is_whole; --w) {
      carried = memory_.carried[w] + carried;
      is_whole = memory_.has_end[w];
    }
    return carried;
  }

  /// Stores the sum of a row.
  ///
  /// \param end  the mark of its last entry
  __device__ void finish(int end, Scalar sum) const {
    Scalar* const partial_sums = task_.partial_sums + 2 * std::int64_t(blockIdx.x);
    if (end == before) {
      partial_sums[0] = sum;
    } else if (end == rows() && end_.is_within_row) {
      partial_sums[1] = sum;
    } else {
      if (end == rows() && length_ > kept_) {
        for (const Scalar& rest : memory_.rest) sum += rest;
      }
      store(begin_.row + end - 1, sum);
    }
  }

  __device__ void store(Ordinal row, Scalar sum) const {
    store_row<false>(task_, row, 0, Vector<Scalar, false, InMemory>{{sum}});
  }

  const Task& task_;
  Memory& memory_;
  const CsrTile begin_, end_;
  const std::uint64_t base_;  // the first entry of the first thread
  const int skipped_;         // entries from base_ to the first of the tile
  const int length_;          // entries from base_ to the end of the tile
  const int kept_;            // those that have a thread
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
