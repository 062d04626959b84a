// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>
#include <utility>

#include "CsrTask.cuh"

namespace Tessera::Cuda {

/// A lane sums a span for so few columns that one lane holds them. The 32 spans of a warp advance together, `width`
/// entries at a time: adjacent lanes fetch adjacent entries of a span, each with its row of X, and hand them through
/// shared memory to the lane that sums them.
///
/// With `aligned`, rows of X and Y begin at multiples of 16 bytes and have adjacent columns, and a slab is 16 bytes
/// wide; else it is one column, with any strides.
template <class Task, bool aligned>
class CsrNarrowRows {
  using Scalar = typename Task::Scalar;
  using Offset = typename decltype(Task::A)::offset_type;
  using Lane = Vector<Scalar, aligned>;
  static constexpr int warp = 32;
  static constexpr int width = sizeof(Lane) + sizeof(Scalar) > 16 ? 4 : 8;
  static constexpr int stride = width + 1;  // odd: lanes that each read their span meet in no bank
  static constexpr unsigned all = 0xffffffffu;

 public:
  static constexpr int threads = 128;
  static constexpr int registers = sizeof(Lane) + sizeof(Scalar) > 16 ? 72 : 64;
  static int slab_columns(int /*lanes*/) { return Lane::size; }

  __device__ explicit CsrNarrowRows(const Task& task)
      : task_(task), lane_(static_cast<int>(threadIdx.x) % warp), column_(task.slab() * Lane::size) {
    x_ = task.product.x.data + column_ * (aligned ? 1 : task.product.x.column_stride);
  }

  __device__ void run() {
    __shared__ Scalar all_values[threads / warp][warp * stride];
    __shared__ Lane all_rows[threads / warp][warp * stride];
    Scalar* const values = all_values[threadIdx.x / warp];
    Lane* const rows = all_rows[threadIdx.x / warp];
    const auto span = item_span(task_, task_.item());
    const int longest = __reduce_max_sync(all, span.length);
    load_entries(span, 0);
#pragma unroll 1
    for (int first = 0; first < longest; first += width) {
      fetch_rows(values, rows);
      __syncwarp();
      load_entries(span, first + width);
#pragma unroll
      for (int k = 0; k < width; ++k) {
        if (first + k >= span.length) continue;
        const int place = lane_ * stride + k;
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) sum_.at[e] = fused(values[place], rows[place].at[e], sum_.at[e]);
      }
      __syncwarp();
    }
    store_sum<aligned>(task_, span, column_, sum_);
  }

 private:
  static constexpr Ordinal none = -1;

  /// Of the spans: the number of the one whose entries the lane fetches at a step.
  __device__ int span_at(int step) const { return step * (warp / width) + lane_ / width; }

  /// The entries first, first + 1, ... of each span, a step for the spans that the warp fetches at once.
  template <class Span>
  __device__ void load_entries(const Span& span, int first) {
    const int k = first + lane_ % width;
#pragma unroll
    for (int step = 0; step < width; ++step) {
      const Offset begin = broadcast(span.begin, span_at(step), warp);
      const bool is_there = k < __shfl_sync(all, span.length, span_at(step));
      row_[step] = is_there ? __ldcs(task_.A.column_indices + begin + k) : none;
      if (is_there) value_[step] = load_once(task_.product.values + begin + k);
    }
  }

  __device__ void fetch_rows(Scalar* values, Lane* rows) const {
    Lane x[width];
#pragma unroll
    for (int step = 0; step < width; ++step) {
      if (row_[step] == none) continue;
      x[step] = load_vector<aligned>(x_ + task_.row_of_entry(row_[step]) * task_.product.x.row_stride);
    }
#pragma unroll
    for (int step = 0; step < width; ++step) {
      if (row_[step] == none) continue;
      const int place = span_at(step) * stride + lane_ % width;
      values[place] = task_.value_of_entry(value_[step]);
      rows[place] = x[step];
    }
  }

  using MatrixScalar = std::remove_const_t<std::remove_reference_t<decltype(*std::declval<Task>().product.values)>>;

  const Task& task_;
  const int lane_;
  const Ordinal column_;
  const Scalar* x_;
  Lane sum_{};
  Ordinal row_[width];
  MatrixScalar value_[width];
};

}  // namespace Tessera::Cuda
