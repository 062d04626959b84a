// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "RowTile.cuh"
#include "Task.cuh"
#include "launch/Launch.cuh"

namespace Tessera::Impl::Cuda {

/// Sums a span with a group of lanes. Each lane holds some vectors of the row of Y. It fetches the same vectors of rows
/// of X, for a few entries at a time.
///
/// Every lane reads every entry of A. Lanes that read the same address at the same time cost one access, and the next
/// entries are in the same line of the L1 cache. Therefore lanes exchange nothing, and groups of a warp do not wait for
/// each other after each entry.
///
/// A lane uses few registers and has few fetches in flight, so as many threads as possible fetch at the same time. That
/// hides more memory latency than more fetches in fewer threads. If there are too few threads to fill the GPU, an
/// `eager` lane has more fetches in flight.
///
/// X has adjacent columns. With `aligned`, rows of X begin at multiples of 16 bytes. Rows of Y do so, too, unless
/// `tiled`: then a thread block collects them (CsrRowTile).
///
/// \tparam vectors  vectors of a lane
/// \tparam lanes    task.lanes(), which fixes the distance of the vectors; any number if there is one vector
template <class Task, bool aligned, int vectors, int lanes, bool tiled, bool eager = false>
class CsrRows {
  using Scalar = typename Task::Scalar;
  using InMemory = typename Task::InMemory;
  using MatrixScalar = typename Task::MatrixScalar;
  using Span = CsrSpan;
  using Lane = Vector<InMemory, aligned>;
  using Sum = Vector<Scalar, aligned, InMemory>;
  static constexpr int distance = lanes * Lane::size;  // between a lane's vectors, in elements
  /// Entries whose rows of X are fetched at once.
  static constexpr int entries = eager ? 8 : vectors == 1 && std::is_same_v<Scalar, double> ? 4 : 2;

 public:
  static __host__ __device__ int slab_columns(int group_lanes) { return group_lanes * vectors * Lane::size; }
  /// The fastest number of registers: with more, fewer threads fit.
  static constexpr int registers = 32 + (eager ? 48 : 0) + (vectors > 1 ? 16 : 0) + (vectors > 2 ? 16 : 0) +
                                   (is_complex_v<Scalar> || !std::is_same_v<Scalar, MatrixScalar> ? 8 : 0) +
                                   (is_half_v<InMemory> ? 8 * vectors : 0);

  __device__ explicit CsrRows(const Task& task)
      : task_(task), first_column_((task.slab() * task.lanes() * vectors + task.lane()) * Lane::size) {}

  __device__ void run() {
    const Span span = item_span(task_, task_.item());
    wait_for_previous_kernels();
    if (is_there(0)) {
      const bool is_plain = task_.product.x_rows == nullptr && is_there(vectors - 1);
      is_plain ? sum_up<true>(span) : sum_up<false>(span);
      let_next_kernel_begin();
      store(span);
    }
    if constexpr (tiled) tile().write();
  }

 private:
  __device__ Ordinal column(int v) const { return first_column_ + v * distance; }
  __device__ bool is_there(int v) const { return column(v) < task_.product.x.columns; }
  __device__ CsrRowTile<Task> tile() const {
    const int columns = slab_columns(task_.lanes());
    return {task_, task_.slab() * columns, columns};
  }

  /// \tparam is_plain  whether x_rows is null, and the lane has all its vectors. Few lanes need the other case, which
  ///                   costs time and registers.
  template <bool is_plain>
  __device__ void sum_up(const Span& span) {
    for (Sum& sum : sums_) sum = Sum{};
    const typename Task::Columns columns(task_.A, span.begin);
    const MatrixScalar* const values = task_.product.values + span.begin;
    int k = 0;
    if constexpr (is_plain) {
#pragma unroll 1
      for (; k + entries <= span.length; k += entries) add_entries<true, entries>(columns, k, values);
      if constexpr (eager) {
        if (k + 4 <= span.length) {
          add_entries<true, 4>(columns, k, values);
          k += 4;
        }
        if (k + 2 <= span.length) {
          add_entries<true, 2>(columns, k, values);
          k += 2;
        }
      }
    }
#pragma unroll 1
    for (; k < span.length; ++k) add_entries<is_plain, 1>(columns, k, values);
  }

  template <bool is_plain, int count>
  __device__ void add_entries(const typename Task::Columns& columns, int k, const MatrixScalar* values) {
    Lane x[count][vectors];
#pragma unroll
    for (int u = 0; u < count; ++u) {
      const Ordinal column = columns[k + u];
      load_row<is_plain>(is_plain ? column : task_.row_of_entry(column), x[u]);
    }
#pragma unroll
    for (int u = 0; u < count; ++u) add_row<is_plain>(task_.value_of_entry(load_reused(values + k + u)), x[u]);
  }

  template <bool is_plain>
  __device__ void load_row(Ordinal row, Lane (&x)[vectors]) const {
    const InMemory* const first = task_.row_of_x(row, task_.product.x.data + first_column_);
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (is_plain || is_there(v)) x[v] = load_vector<aligned>(first + v * distance);
    }
  }

  template <bool is_plain>
  __device__ void add_row(Scalar a, const Lane (&x)[vectors]) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (!is_plain && !is_there(v)) continue;
#pragma unroll
      for (int e = 0; e < Lane::size; ++e) sums_[v].at[e] = fused(a, Scalar(x[v].at[e]), sums_[v].at[e]);
    }
  }

  __device__ void store(const Span& span) const {
    if constexpr (tiled) {
      if (task_.lane() == 0) tile().set_row(task_.group(), span.has_row() ? span.target : Span::nowhere);
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (!is_there(v)) continue;
      if (tiled && !span.has_piece()) {
        tile().set_sums(task_.group(), column(v), sums_[v]);
      } else {
        store_sum<aligned>(task_, span, column(v), sums_[v]);
      }
    }
  }

  const Task& task_;
  const Ordinal first_column_;
  Sum sums_[vectors];
};

}  // namespace Tessera::Impl::Cuda
