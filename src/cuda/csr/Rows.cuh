// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "RowTile.cuh"
#include "Task.cuh"

namespace Tessera::Cuda {

/// A group of lanes sums a span, and then the spans of further rounds. Each lane loads one entry, and the lanes pass
/// their entries around. Each lane holds vectors of the row of Y and fetches the same vectors of the rows of X,
/// `unroll` rows at a time. While the last entries of a round are added, the first ones of the next round are on their
/// way.
///
/// Few lanes with many vectors each are fast, because passing an entry around takes as long as reading it from L1.
///
/// X has adjacent columns. With `aligned`, rows of X begin at multiples of 16 bytes, and so do those of Y unless they
/// are `tiled`: then a block collects them (CsrRowTile). task.lanes is a multiple of unroll.
template <class Task, bool aligned, int vectors, int unroll, bool tiled>
class CsrRows {
  using Scalar = typename Task::Scalar;
  using Offset = typename decltype(Task::A)::offset_type;
  using Span = CsrSpan<Offset>;
  using Lane = Vector<Scalar, aligned>;

 public:
  static int slab_columns(int lanes) { return lanes * vectors * Lane::size; }
  /// Registers of a thread: those for `unroll` rows of X, and the number of others that is fastest. With more, fewer
  /// threads fit.
  static constexpr int registers = static_cast<int>(unroll * vectors * sizeof(Lane) / 4) + (unroll == 8 ? 32 : 40) +
                                   (is_complex_v<Scalar> && sizeof(Scalar) > 8 ? 8 : 0);

  __device__ explicit CsrRows(const Task& task)
      : task_(task),
        lanes_(task.lanes()),
        lane_(task.lane()),
        first_column_((task.slab() * lanes_ * vectors + lane_) * Lane::size) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      // A lane whose vector is beyond X fetches what another lane needs anyway.
      x_[v] = task.product.x.data + (is_active(v) ? column(v) : 0);
    }
  }

  __device__ void run() {
    // Lane r of the group knows the span of round r.
    const Span of_lane = lane_ < static_cast<int>(task_.rounds) ? item_span(task_, task_.item(lane_)) : Span{};
    Span span = broadcast(of_lane, 0, lanes_);
    load_next(span.begin, span.length);
#pragma unroll 1
    for (int round = 1; round <= static_cast<int>(task_.rounds); ++round) {
      const Span following = broadcast(of_lane, round, lanes_);
      accumulate(span, following);
      store(span, round - 1);
      span = following;
    }
    if constexpr (tiled) tile().write();
  }

 private:
  __device__ Ordinal column(int v) const { return first_column_ + v * lanes_ * Lane::size; }
  __device__ bool is_active(int v) const { return column(v) < task_.product.x.columns; }
  __device__ CsrRowTile<Task> tile() const {
    const int columns = lanes_ * vectors * Lane::size;
    return {task_, task_.slab() * columns, columns};
  }

  __device__ void store(const Span& span, int round) const {
    if constexpr (tiled) {
      if (lane_ == 0) tile().set_row(task_.group(round), span.has_row() ? span.target : Span::nowhere);
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (!is_active(v)) continue;
      if (tiled && !span.has_piece()) {
        tile().set_sums(task_.group(round), column(v), sums_[v]);
      } else {
        store_sum<aligned>(task_, span, column(v), sums_[v]);
      }
    }
  }

  /// Loads the lane's entry of `length` entries that begin at `begin` in A.
  __device__ void load_next(Offset begin, int length) {
    if (lane_ >= length) return;
    const Offset place = begin + static_cast<Offset>(lane_);
    next_row_ = task_.row_of_entry(__ldcs(task_.A.column_indices + place));
    next_value_ = task_.value_of_entry(load_once(task_.product.values + place));
  }

  __device__ void accumulate(const Span& span, const Span& following) {
    for (Lane& sum : sums_) sum = Lane{};
    // NOTE: all groups of a warp go on until the longest of their spans ends, because all its lanes shuffle.
    const int longest = __reduce_max_sync(0xffffffffu, span.length);
    const int shortest = __reduce_min_sync(0xffffffffu, span.length);
    int first = 0;
    do {
      const Ordinal row_of_x = next_row_;
      const Scalar value = next_value_;
      const int entries = span.length - first;
      const bool last = longest - first <= lanes_;
      load_next(last ? following.begin : span.begin + static_cast<Offset>(first + lanes_),
                last ? following.length : entries - lanes_);
      const int all = min(lanes_, longest - first), whole = min(lanes_, shortest - first) - unroll;
      int step = 0;
#pragma unroll 1
      for (; step <= whole; step += unroll) add_all_entries(row_of_x, value, step);
#pragma unroll 1
      for (; step < all; step += unroll) add_entries(row_of_x, value, step, entries - step);
      first += lanes_;
    } while (first < longest);
  }

  /// Adds the entries that lanes step, step + 1, ... hold.
  __device__ void add_all_entries(Ordinal row_of_x, Scalar value, int step) {
    Lane x[unroll][vectors];
#pragma unroll
    for (int u = 0; u < unroll; ++u) load_row(broadcast(row_of_x, step + u, lanes_), x[u]);
#pragma unroll
    for (int u = 0; u < unroll; ++u) add_row(broadcast(value, step + u, lanes_), x[u]);
  }

  /// The same if the group has only `left` entries left, or none, and other groups of the warp have more.
  __device__ void add_entries(Ordinal row_of_x, Scalar value, int step, int left) {
    Ordinal rows[unroll];
    Scalar a[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      rows[u] = broadcast(row_of_x, step + u, lanes_);
      a[u] = broadcast(value, step + u, lanes_);
    }
    if (left <= 0) return;
    // A lane without an entry holds an earlier entry's row or row 0: both exist, and are often in L1.
    Lane x[unroll][vectors];
#pragma unroll
    for (int u = 0; u < unroll; ++u) load_row(rows[u], x[u]);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (u < left) add_row(a[u], x[u]);
    }
  }

  __device__ void load_row(Ordinal row, Lane (&x)[vectors]) const {
#pragma unroll
    for (int v = 0; v < vectors; ++v) x[v] = load_vector<aligned>(task_.row_of_x(row, x_[v]));
  }

  __device__ void add_row(Scalar a, const Lane (&x)[vectors]) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
#pragma unroll
      for (int e = 0; e < Lane::size; ++e) sums_[v].at[e] = fused(a, x[v].at[e], sums_[v].at[e]);
    }
  }

  const Task& task_;
  const int lanes_;
  const int lane_;
  const Ordinal first_column_;
  const Scalar* x_[vectors];
  Ordinal next_row_ = 0;
  Scalar next_value_ = Scalar(0);
  Lane sums_[vectors];
};

}  // namespace Tessera::Cuda
