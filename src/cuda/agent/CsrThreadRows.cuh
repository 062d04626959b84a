// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CsrTask.cuh"

namespace Tessera::Cuda {

/// A thread sums a span for a few columns of any strides. For columns that lie one after the other (LayoutLeft):
/// threads of a warp write neighbouring rows of a column of Y, and read neighbouring rows of X as far as their entries
/// do.
template <class Task>
class CsrThreadRows {
  using Scalar = typename Task::Scalar;

 public:
  static constexpr int lane_columns = sizeof(Scalar) > 8 ? 4 : 8;
  static int slab_columns(int lanes) { return lanes * lane_columns; }
  static constexpr int registers = 80;

  __device__ explicit CsrThreadRows(const Task& task)
      : task_(task),
        first_column_(task.slab() * lane_columns),
        columns_(min(lane_columns, task.product.y.columns - first_column_)) {}

  __device__ void run() {
    const auto span = item_span(task_, task_.item());
    Scalar sums[lane_columns];
    for (Scalar& sum : sums) sum = Scalar(0);
    const Ordinal* const columns = task_.A.column_indices + span.begin;
    const auto* const values = task_.product.values + span.begin;
#pragma unroll 1
    for (int k = 0; k < span.length; ++k) {
      add_entry(task_.row_of_entry(__ldg(columns + k)), task_.value_of_entry(load_reused(values + k)), sums);
    }
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      if (c < columns_) store_sum(task_, span, first_column_ + c, Vector<Scalar, false>{{sums[c]}});
    }
  }

 private:
  __device__ void add_entry(Ordinal row_of_x, Scalar a, Scalar (&sums)[lane_columns]) {
    const auto& x = task_.product.x;
    const Scalar* const row = x.data + row_of_x * x.row_stride + first_column_ * x.column_stride;
    Scalar elements[lane_columns] = {};
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      if (c < columns_) elements[c] = load_reused(row + c * x.column_stride);
    }
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      if (c < columns_) sums[c] = fused(a, elements[c], sums[c]);
    }
  }

  const Task& task_;
  const Ordinal first_column_;
  const int columns_;
};

}  // namespace Tessera::Cuda
