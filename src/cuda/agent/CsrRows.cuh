// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CsrTask.cuh"

namespace Tessera::Cuda {

/// A group of lanes sums a span. The lanes load as many entries as they are, one each, and pass them around; each lane
/// holds vectors of the row of Y and fetches the same vectors of the rows of X, `unroll` rows at a time.
///
/// X has adjacent columns; with `aligned`, rows of X and Y begin at multiples of 16 bytes and Y has adjacent columns.
/// task.lanes is a multiple of unroll.
template <class Task, bool aligned, int vectors, int unroll>
class CsrRows {
  using Scalar = typename Task::Scalar;
  using Lane = Vector<Scalar, aligned>;

 public:
  /// Columns of a slab for each lane.
  static constexpr int lane_columns = Lane::size * vectors;
  /// Of a thread: what `unroll` vectors of X take, and what was seen to be needed besides.
  static constexpr int registers = static_cast<int>(unroll * vectors * sizeof(Lane) / 4) + 24 + 8 * vectors +
                                   (is_complex_v<Scalar> && sizeof(Scalar) > 8 ? 8 : 0);

  __device__ explicit CsrRows(const Task& task)
      : task_(task),
        lanes_(task.lanes),
        lane_(task.lane()),
        first_column_((static_cast<Ordinal>(task.slab()) * lanes_ * vectors + lane_) * Lane::size) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      // A vector that is beyond X fetches what another lane needs anyway.
      x_[v] = task.product.x.data + (is_active(v) ? column(v) : 0);
      for (Scalar& element : sums_[v].at) element = Scalar(0);
    }
  }

  __device__ void run() {
    const auto span = item_span(task_, task_.item());
    accumulate(span);
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (is_active(v)) store_sum<aligned>(task_, span, column(v), sums_[v]);
    }
  }

 private:
  __device__ Ordinal column(int v) const { return first_column_ + v * lanes_ * Lane::size; }
  __device__ bool is_active(int v) const { return column(v) < task_.product.y.columns; }

  template <class Span>
  __device__ void accumulate(const Span& span) {
    // NOTE: groups of a warp stay together, as long as the longest of their spans: shuffles are the warp's.
    const int longest = __reduce_max_sync(0xffffffffu, span.length);
    const Ordinal* columns = task_.A.column_indices + span.begin + lane_;
    const auto* values = task_.product.values + span.begin + lane_;
    Ordinal next_row = 0;
    Scalar next_value(0);
    if (lane_ < span.length) {
      next_row = task_.row_of_entry(__ldcs(columns));
      next_value = task_.value_of_entry(load_once(values));
    }
#pragma unroll 1
    for (int first = 0; first < longest; first += lanes_) {
      const Ordinal row_of_x = next_row;
      const Scalar value = next_value;
      if (first + lanes_ + lane_ < span.length) {
        next_row = task_.row_of_entry(__ldcs(columns + first + lanes_));
        next_value = task_.value_of_entry(load_once(values + first + lanes_));
      }
      const int entries = span.length - first, steps = min(lanes_, longest - first);
#pragma unroll 1
      for (int step = 0; step < steps; step += unroll) add_entries(row_of_x, value, step, entries);
    }
  }

  /// Adds entries step, step + 1, ... that lanes of this number hold; those from `entries` on are not there.
  __device__ void add_entries(Ordinal row_of_x, Scalar value, int step, int entries) {
    Lane x[unroll][vectors];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Ordinal row = broadcast(row_of_x, step + u, lanes_);
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        x[u][v] = Lane{};  // NOTE: or else the compiler keeps registers for what the last round left there
        if (step + u < entries) x[u][v] = load_vector<aligned>(task_.row_of_x(row, x_[v]));
      }
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Scalar a = broadcast(value, step + u, lanes_);
      if (step + u >= entries) continue;
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) sums_[v].at[e] = fused(a, x[u][v].at[e], sums_[v].at[e]);
      }
    }
  }

  const Task& task_;
  const int lanes_;
  const int lane_;
  const Ordinal first_column_;
  const Scalar* x_[vectors];
  Lane sums_[vectors];
};

}  // namespace Tessera::Cuda
