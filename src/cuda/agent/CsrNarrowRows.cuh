// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "CsrTask.cuh"

namespace Tessera::Cuda {

/// A group of lanes sums a span for so few columns that a lane can hold them all. Each lane fetches a few adjacent
/// entries with their rows of X, all lanes at the same time; then the sum goes from lane to lane, and each adds what it
/// has, so that entries are added in their order.
///
/// With `aligned`, rows of X and Y begin at multiples of 16 bytes, have adjacent columns, and are 16 bytes wide; else a
/// slab has `most_columns` of any strides, or fewer.
template <class Task, bool aligned, int most_columns>
class CsrNarrowRows {
  using Scalar = typename Task::Scalar;
  using MatrixScalar = typename Task::MatrixScalar;
  using Lane = Vector<Scalar, aligned>;
  static constexpr int vectors = most_columns / Lane::size;
  static constexpr int entries = 4;  // of a lane

 public:
  /// What the lane's entries take, and as few besides as will do: the more threads, the faster.
  static constexpr int registers =
      std::max(40, 24 + (most_columns + 1) * entries * static_cast<int>(sizeof(Scalar)) / 4 +
                       (is_complex_v<Scalar> || most_columns > 2 ? 16 : 0));
  static int slab_columns(int /*lanes*/) { return most_columns; }

  __device__ explicit CsrNarrowRows(const Task& task)
      : task_(task), first_column_(task.slab() * most_columns), columns_(task.product.y.columns - first_column_) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      // A column that is not there repeats the last one.
      columns_of_x_[v] =
          task.product.x.data + (first_column_ + min(v * Lane::size, columns_ - 1)) * task.product.x.column_stride;
    }
  }

  __device__ void run() {
    const auto span = item_span(task_, task_.item());
    // NOTE: groups of a warp stay together, as long as the longest of their spans: the exchange is the warp's.
    const int longest = __reduce_max_sync(0xffffffffu, span.length), lanes = task_.lanes();
#pragma unroll 1
    for (int first = 0; first < longest; first += lanes * entries) {
      load_entries(span, first + task_.lane() * entries);
      const int steps = min(lanes, (longest - first + entries - 1) / entries);
#pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        add_entries(span.length - first - task_.lane() * entries);
#pragma unroll
        for (int v = 0; v < vectors; ++v) sums_[v] = broadcast(sums_[v], step, lanes);
      }
    }
    store(span);
  }

 private:
  /// The entries that begin with the k-th of the span. Where there are none the lane holds 0 and row 0 of X, which is
  /// there: nothing waits for a condition.
  template <class Span>
  __device__ void load_entries(const Span& span, int k) {
    Ordinal row[entries];
    MatrixScalar value[entries];
#pragma unroll
    for (int u = 0; u < entries; ++u) {
      const bool is_there = k + u < span.length;
      row[u] = is_there ? __ldg(task_.A.column_indices + span.begin + k + u) : 0;
      value[u] = is_there ? load_reused(task_.product.values + span.begin + k + u) : MatrixScalar(0);
    }
#pragma unroll
    for (int u = 0; u < entries; ++u) {
      const std::ptrdiff_t place = task_.row_of_entry(row[u]) * task_.product.x.row_stride;
#pragma unroll
      for (int v = 0; v < vectors; ++v) x_[u][v] = load_vector<aligned>(columns_of_x_[v] + place);
      values_[u] = task_.value_of_entry(value[u]);
    }
  }

  /// To the sum so far, the first `left` of what the lane holds.
  __device__ void add_entries(int left) {
#pragma unroll
    for (int u = 0; u < entries; ++u) {
      if (u >= left) continue;
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) sums_[v].at[e] = fused(values_[u], x_[u][v].at[e], sums_[v].at[e]);
      }
    }
  }

  template <class Span>
  __device__ void store(const Span& span) const {
    if (task_.lane() != 0) return;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (v * Lane::size < columns_) store_sum<aligned>(task_, span, first_column_ + v * Lane::size, sums_[v]);
    }
  }

  const Task& task_;
  const Ordinal first_column_;
  const int columns_;
  const Scalar* columns_of_x_[vectors];
  Lane x_[entries][vectors];
  Scalar values_[entries];
  Lane sums_[vectors] = {};
};

}  // namespace Tessera::Cuda
