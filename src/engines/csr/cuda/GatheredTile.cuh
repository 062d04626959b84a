// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "Task.cuh"
#include "launch/Launch.cuh"
#include "ptx/AsyncCopy.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies a tile of rows (CsrTile) by a few columns of X. The threads of a block copy the values of the tile, and
/// the rows of X for its entries, to shared memory, all at the same time. Then each lane adds the products of a row of
/// A and a vector of X, entry by entry: the order of summation is that of rows without tiles. A small matrix takes
/// little longer than these two steps, however long its rows are. No row is long, so none is cut.
///
/// Rows of X and Y begin at multiples of 16 bytes and have adjacent columns.
///
/// \tparam vectors  16-byte vectors of a row of X
template <class Task, int vectors>
class CsrGatheredTile {
  using Scalar = typename Task::Scalar;
  using InMemory = typename Task::InMemory;
  using MatrixScalar = typename Task::MatrixScalar;
  using Lane = Vector<InMemory, true>;
  using Sum = Vector<Scalar, true, InMemory>;
  static constexpr int unroll = 4;

 public:
  static constexpr int threads = 256;
  static constexpr int registers = 40;
  /// Returns the bytes of shared memory for a matrix whose longest row has this many entries.
  static std::size_t shared_bytes(std::size_t longest_row) {
    return padded(csr_tile_span + longest_row) * (vectors * sizeof(Lane) + sizeof(MatrixScalar));
  }

  __device__ explicit CsrGatheredTile(const Task& task)
      : task_(task),
        begin_(task.schedule.tiles[blockIdx.x]),
        end_(task.schedule.tiles[blockIdx.x + 1]),
        entries_(static_cast<int>(end_.entry - begin_.entry)),
        rows_(end_.row - begin_.row),
        x_(reinterpret_cast<Lane*>(dynamic_memory())),
        values_(reinterpret_cast<MatrixScalar*>(x_ + padded(entries_) * vectors)) {}

  __device__ void run() {
    const int thread = static_cast<int>(threadIdx.x);
    Row row = load_row(thread / vectors);
    gather();
    copy_values();
    commit_copies();
    wait_copies<0>();
    __syncthreads();
    let_next_kernel_begin();
    for (int number = thread / vectors; number < rows_;) {
      store(number, sum_of(row));
      number += threads / vectors;
      row = load_row(number);
    }
  }

 private:
  static_assert(threads % vectors == 0);

  /// The entries of a row, counted from the first of the tile.
  struct Row {
    int begin = 0, end = 0;
  };

  /// Rounds up to whole groups of entries whose places are permuted.
  static __host__ __device__ std::size_t padded(std::size_t entries) { return (entries + 7) / 8 * 8; }
  /// Returns the place of an entry in shared memory: lanes that read entries 8 or 64 apart use different banks.
  static __device__ int place(int entry) { return entry ^ (((entry >> 3) ^ (entry >> 6)) & 7); }

  __device__ int vector() const { return static_cast<int>(threadIdx.x) % vectors; }

  static constexpr int step = threads / vectors;  // entries whose rows of X a block copies at the same time

  /// Loads the numbers of the rows of X for the thread's next entries.
  __device__ void load_rows_of_x(int entry, Ordinal (&rows)[unroll]) const {
    if (entry >= entries_) return;
    const typename Task::Columns columns_of_entries(task_.A, static_cast<Offset>(begin_.entry));
#pragma unroll
    for (int u = 0; u < unroll; ++u) rows[u] = columns_of_entries[min(entry + u * step, entries_ - 1)];
    if (task_.product.x_rows != nullptr) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) rows[u] = task_.product.x_rows[rows[u]];
    }
  }

  /// Copies rows of X. Adjacent lanes copy the vectors of a row.
  __device__ void gather() const {
    int entry = static_cast<int>(threadIdx.x) / vectors;
    Ordinal rows[unroll];
    load_rows_of_x(entry, rows);
    wait_for_previous_kernels();
    while (entry < entries_) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (entry + u * step < entries_)
          copy_async_cached<sizeof(Lane)>(x_ + place(entry + u * step) * vectors + vector(),
                                          task_.row_of_x(rows[u], task_.product.x.data + vector() * Lane::size));
      }
      entry += unroll * step;
      load_rows_of_x(entry, rows);
    }
  }
  __device__ void copy_values() const {
    const MatrixScalar* const values = task_.product.values + begin_.entry;
    for (int entry = static_cast<int>(threadIdx.x); entry < entries_; entry += threads)
      copy_async_cached<sizeof(MatrixScalar)>(values_ + place(entry), values + entry);
  }

  __device__ Row load_row(int number) const {
    if (number >= rows_) return {};
    const Offset* const offsets = task_.A.row_offsets + begin_.row + number;
    const auto base = static_cast<Offset>(begin_.entry);
    return {offsets[0] - base, offsets[1] - base};
  }
  __device__ Sum sum_of(const Row& row) const {
    Sum sum{};
#pragma unroll 4
    for (int entry = row.begin; entry < row.end; ++entry) {
      const int at = place(entry);
      const Lane x = x_[at * vectors + vector()];
      const Scalar value = task_.value_of_entry(values_[at]);
#pragma unroll
      for (int e = 0; e < Lane::size; ++e) sum.at[e] = fused(value, Scalar(x.at[e]), sum.at[e]);
    }
    return sum;
  }
  __device__ void store(int number, const Sum& sum) const {
    store_row<true>(task_, begin_.row + number, vector() * Lane::size, sum);
  }

  const Task& task_;
  const CsrTile begin_, end_;
  const int entries_, rows_;
  Lane* const x_;               // vectors of the rows of X, entry by entry
  MatrixScalar* const values_;  // values of the entries
};

}  // namespace Tessera::Impl::Cuda
