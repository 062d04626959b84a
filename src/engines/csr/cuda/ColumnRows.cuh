// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "Task.cuh"
#include "launch/Launch.cuh"
#include "launch/WarpSum.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies rows of about the same length by a single column. Each lane of a group adds blocks of four entries, whose
/// numbers begin at multiples of four; then the sums of the lanes are added in a tree. So the order of summation
/// depends on the entries and on the number of lanes, not on addresses.
///
/// \tparam by_blocks  whether both arrays of A begin at multiples of 16 bytes; then a lane loads a block at once
template <class Task, bool by_blocks>
class CsrColumnRows {
  using Scalar = typename Task::Scalar;
  using MatrixScalar = typename Task::MatrixScalar;
  static constexpr int entries = 4;  // of a block

 public:
  static constexpr int registers = 32 + (sizeof(MatrixScalar) > 4 ? 16 : 0) + (is_complex_v<Scalar> ? 32 : 0);
  static int slab_columns(int /*lanes*/) { return 1; }

  __device__ explicit CsrColumnRows(const Task& task) : task_(task) {}

  __device__ void run() {
    const std::int64_t row = task_.item();
    const bool is_there = row < task_.rows;
    const Offset begin = is_there ? task_.A.row_offsets[row] : 0, end = is_there ? task_.A.row_offsets[row + 1] : 0;
    const Scalar own = sum_of_lane(begin, end);
    let_next_kernel_begin();
    const Scalar sum = warp_sum(own, task_.lanes());
    if (is_there && task_.lane() == 0)
      store_row<false>(task_, static_cast<Ordinal>(row), 0, Vector<Scalar, false, typename Task::InMemory>{{sum}});
  }

 private:
  __device__ Scalar sum_of_lane(Offset begin, Offset end) const {
    const auto all = static_cast<Offset>(task_.schedule.size.nonzeros);
    const bool is_whole = by_blocks && end <= all / entries * entries;  // the last block of A may be incomplete
    return is_whole ? sum_of_blocks<true>(begin, end) : sum_of_blocks<false>(begin, end);
  }

  template <bool is_whole>
  __device__ Scalar sum_of_blocks(Offset begin, Offset end) const {
    const auto step = static_cast<Offset>(task_.lanes() * entries);
    Offset block = begin / entries * entries + static_cast<Offset>(task_.lane() * entries);
    Ordinal columns[entries];
    if (block < end) load_columns<is_whole>(block, end, columns);
    wait_for_previous_kernels();
    Scalar sum(0);
    while (block < end) {
      const int first = static_cast<int>(begin) - static_cast<int>(block);
      const int last = static_cast<int>(end) - static_cast<int>(block);
      MatrixScalar values[entries];
      typename Task::InMemory x[entries];
      load_values<is_whole>(block, end, values);
      gather(columns, first, last, x);
      block += step;
      if (block < end) load_columns<is_whole>(block, end, columns);
#pragma unroll
      for (int e = 0; e < entries; ++e) {
        if (e >= first && e < last) sum = fused(task_.value_of_entry(values[e]), Scalar(x[e]), sum);
      }
    }
    return sum;
  }
  template <bool is_whole>
  __device__ void load_columns(Offset block, Offset end, Ordinal (&columns)[entries]) const {
    const typename Task::Columns all_columns(task_.A);
    if constexpr (is_whole) {
      all_columns.template load_once<entries>(block, columns);
    } else {
#pragma unroll
      for (int e = 0; e < entries; ++e) columns[e] = block + static_cast<Offset>(e) < end ? all_columns[block + e] : 0;
    }
  }
  template <bool is_whole>
  __device__ void load_values(Offset block, Offset end, MatrixScalar (&values)[entries]) const {
    const MatrixScalar* const from = task_.product.values + block;
    if constexpr (is_whole) {
      load_block_once<entries>(from, values);
    } else {
#pragma unroll
      for (int e = 0; e < entries; ++e)
        values[e] = block + static_cast<Offset>(e) < end ? load_reused(from + e) : MatrixScalar(0);
    }
  }

  /// Loads elements of X for entries `first` to `last` - 1 of a block, and row 0, which exists, for the others.
  __device__ void gather(Ordinal (&rows_of_x)[entries], int first, int last,
                         typename Task::InMemory (&x)[entries]) const {
#pragma unroll
    for (int e = 0; e < entries; ++e) rows_of_x[e] = e >= first && e < last ? rows_of_x[e] : 0;
    if (task_.product.x_rows != nullptr) {
#pragma unroll
      for (int e = 0; e < entries; ++e) rows_of_x[e] = task_.product.x_rows[rows_of_x[e]];
    }
#pragma unroll
    for (int e = 0; e < entries; ++e) x[e] = load_reused(task_.row_of_x(rows_of_x[e], task_.product.x.data));
  }

  const Task& task_;
};

}  // namespace Tessera::Impl::Cuda
