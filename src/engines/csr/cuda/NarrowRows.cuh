// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "Task.cuh"
#include "launch/Launch.cuh"

namespace Tessera::Impl::Cuda {

/// The spans of a block's rows in shared memory, sorted by decreasing length. When a warp has finished its spans, it
/// takes the next ones, one for each of its groups. The spans of a warp then have about the same length, and few lanes
/// wait. Pieces have blocks of their own: they are equally long, and a group with several of them would finish last.
///
/// A block has at most one row per thread.
template <class Task>
class CsrItemOrder {
  using Span = CsrSpan;
  static constexpr int warp = 32;
  /// Classes of lengths, one for each lane of the first warp. Lengths in a class differ by less than class_length. The
  /// last class has all longer spans. The order within a class may vary from run to run, but no result depends on it.
  static constexpr int classes = warp, class_length = 4;

 public:
  /// Bytes of shared memory of a block.
  static std::size_t bytes(int threads) {
    return static_cast<std::size_t>(threads) * sizeof(Span) + (classes + 1) * sizeof(int);
  }

  /// Sorts the spans of the block. All threads of the block must call it.
  __device__ explicit CsrItemOrder(const Task& task)
      : task_(task),
        items_(static_cast<int>((blockDim.x >> task.lane_bits) * task.rounds)),
        spans_(reinterpret_cast<Span*>(dynamic_memory())),
        counts_(reinterpret_cast<int*>(spans_ + blockDim.x)) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int c = thread; c <= classes; c += static_cast<int>(blockDim.x)) counts_[c] = 0;
    __syncthreads();
    Span span;
    int length_class = 0, place = 0;
    if (thread < items_) {
      span = row_span(task, std::int64_t(blockIdx.x - task.piece_blocks) * items_ + thread);
      length_class = min((span.length + class_length - 1) / class_length, classes - 1);
      place = atomicAdd(&counts_[length_class], 1);
    }
    __syncthreads();
    if (thread < classes) count_longer(thread);
    __syncthreads();
    if (thread < items_) spans_[counts_[length_class] + place] = span;
    __syncthreads();
  }

  /// \param span  [out] the next span of the calling thread's group
  /// \return whether there is one
  __device__ bool next(Span& span) {
    const int lane = static_cast<int>(threadIdx.x) % warp;
    int first = 0;
    if (lane == 0) first = atomicAdd(&counts_[classes], warp >> task_.lane_bits);
    first = broadcast(first, 0, warp);
    if (first >= items_) return false;
    span = spans_[first + (lane >> task_.lane_bits)];
    return true;
  }

 private:
  /// Replaces the number of spans of a class by the number of spans of all longer classes.
  __device__ void count_longer(int length_class) {
    const int own = counts_[length_class];
    int sum = own;
#pragma unroll
    for (int distance = 1; distance < classes; distance *= 2) {
      const int other = __shfl_down_sync(0xffffffffu, sum, distance);
      if (length_class + distance < classes) sum += other;
    }
    counts_[length_class] = sum - own;
  }

  const Task& task_;
  const int items_;
  Span* const spans_;
  int* const counts_;  // first the number of spans of each class, then the number of spans taken by warps
};

/// How CsrNarrowRows fetches entries of A, and in which order a block computes its items.
///
///   Single        one by one, for very short rows, and if the arrays of A are not aligned
///   Blocks        16 bytes at a time, at multiples of 16 bytes; entries of other rows in them are ignored
///   LongestFirst  like Blocks; blocks of pieces come first, other blocks start with their longest rows (CsrItemOrder)
enum class CsrNarrowOrder { Single, Blocks, LongestFirst };

/// Sums a span for so few columns that one lane can hold them all. Each lane of a group loads a few adjacent entries
/// with their rows of X, all lanes at the same time. Then the sum moves from lane to lane, and each lane adds its
/// entries to it. Entries are thus added in their order.
///
/// With `aligned`, rows of X and Y begin at multiples of 16 bytes, have adjacent columns, and are one or two vectors
/// wide. Otherwise a slab has at most `most_columns` columns, with any strides. In both cases the two arrays of A begin
/// at multiples of 16 bytes, unless entries are loaded one by one.
template <class Task, bool aligned, int most_columns, CsrNarrowOrder order>
class CsrNarrowRows {
  using Scalar = typename Task::Scalar;
  using InMemory = typename Task::InMemory;
  using MatrixScalar = typename Task::MatrixScalar;
  using Span = CsrSpan;
  using Lane = Vector<InMemory, aligned>;
  using Sum = Vector<Scalar, aligned, InMemory>;
  static constexpr int vectors = most_columns / Lane::size;
  static constexpr int entries = 4;  // entries of a lane: their columns and values fill whole vectors of 16 bytes
  /// Bytes of registers for an element of X.
  static constexpr int element_bytes = std::max(static_cast<int>(sizeof(InMemory)), aligned ? 2 : 4);

 public:
  /// Registers for the lane's entries, and as few others as possible: more resident threads are faster.
  static constexpr int registers = std::max(40, 24 + (most_columns + 1) * entries * element_bytes / 4 +
                                                    (is_complex_v<Scalar> || most_columns > 2 ? 16 : 0)) +
                                   (order == CsrNarrowOrder::Single ? 0 : 8) +
                                   (is_half_v<InMemory> && aligned ? 2 * most_columns : 0);
  static int slab_columns(int /*lanes*/) { return most_columns; }
  static std::size_t shared_bytes(int threads) {
    return order == CsrNarrowOrder::LongestFirst ? CsrItemOrder<Task>::bytes(threads) : 0;
  }

  __device__ explicit CsrNarrowRows(const Task& task)
      : task_(task), first_column_(task.slab() * most_columns), columns_(task.product.y.columns - first_column_) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      // A column beyond the last repeats the last one.
      columns_of_x_[v] =
          task.product.x.data + (first_column_ + min(v * Lane::size, columns_ - 1)) * task.product.x.column_stride;
    }
  }

  __device__ void run() {
    if constexpr (order == CsrNarrowOrder::LongestFirst) {
      if (blockIdx.x < task_.piece_blocks) return compute_after_wait(piece_span());
      CsrItemOrder<Task> rows(task_);
      wait_for_previous_kernels();
      for (Span span; rows.next(span);) compute(span);
      let_next_kernel_begin();
    } else {
      compute_after_wait(item_span(task_, task_.item()));
      let_next_kernel_begin();
    }
  }

 private:
  /// Returns the piece of the group, if blocks have pieces of their own.
  __device__ Span piece_span() const {
    const std::int64_t piece = std::int64_t(blockIdx.x) * (blockDim.x >> task_.lane_bits) + task_.group();
    return piece < task_.pieces ? item_span(task_, piece) : Span{};
  }

  __device__ void compute_after_wait(const Span& span) {
    wait_for_previous_kernels();
    compute(span);
  }
  __device__ void compute(const Span& span) {
    for (Sum& sum : sums_) sum = Sum{};
    if constexpr (order == CsrNarrowOrder::Single) {
      sum_up<false>(span);
    } else if (are_blocks_whole(span)) {
      sum_up<true>(span);
    } else {
      sum_up<false>(span);
    }
    store(span);
  }

  /// Whether all spans of the warp end before the last block of entries of A. That block may be incomplete.
  __device__ bool are_blocks_whole(const Span& span) const {
    const std::size_t end = static_cast<std::size_t>(span.begin) + static_cast<std::size_t>(span.length);
    const int is_whole = end <= task_.schedule.size.nonzeros / entries * entries;
    return __reduce_min_sync(0xffffffffu, is_whole) != 0;
  }

  template <bool by_blocks>
  __device__ void sum_up(const Span& span) {
    const int lanes = task_.lanes();
    const int before = by_blocks ? static_cast<int>(span.begin & Offset(entries - 1)) : 0;  // entries of other rows
    const Offset begin = span.begin - static_cast<Offset>(before);
    const int length = span.length == 0 ? 0 : span.length + before;
    // NOTE: all groups of a warp continue until their longest span ends, because all lanes of the warp exchange values.
    const int longest = __reduce_max_sync(0xffffffffu, length);
#pragma unroll 1
    for (int first = 0; first < longest; first += lanes * entries) {
      const int k = first + task_.lane() * entries;
#pragma unroll
      for (int u = 0; u < entries; ++u) is_there_[u] = (!by_blocks || k + u >= before) && k + u < length;
      if constexpr (by_blocks) {
        if (k < length) load_block(begin + static_cast<Offset>(k));
      } else {
        load_entries(begin + static_cast<Offset>(k));
      }
      load_rows_of_x();
      const int steps = min(lanes, static_cast<int>(static_cast<unsigned>(longest - first + entries - 1) / entries));
#pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        add_entries();
#pragma unroll
        for (int v = 0; v < vectors; ++v) sums_[v] = broadcast(sums_[v], step, lanes);
      }
    }
  }

  /// Loads the block of entries at `place` in A, a multiple of the entries of a block.
  __device__ void load_block(Offset place) {
    typename Task::Columns(task_.A).load_now_once(place, rows_of_x_);
    load_block_now_once(task_.product.values + place, read_values_);
  }

  /// Loads the entries at `place` in A, except those outside the span.
  __device__ void load_entries(Offset place) {
    const typename Task::Columns columns(task_.A, place);
#pragma unroll
    for (int u = 0; u < entries; ++u) {
      rows_of_x_[u] = is_there_[u] ? columns[u] : 0;
      read_values_[u] = is_there_[u] ? load_reused(task_.product.values + place + u) : MatrixScalar(0);
    }
  }

  /// Loads a row of X for each entry. A missing entry loads row 0, which always exists, so no load is conditional.
  __device__ void load_rows_of_x() {
#pragma unroll
    for (int u = 0; u < entries; ++u) rows_of_x_[u] = is_there_[u] ? rows_of_x_[u] : 0;
    if (task_.product.x_rows != nullptr) {  // NOTE: row_of_entry() would read them one by one, before the values
#pragma unroll
      for (int u = 0; u < entries; ++u) rows_of_x_[u] = task_.product.x_rows[rows_of_x_[u]];
    }
    const auto row_bytes = static_cast<std::uint64_t>(task_.product.x.row_stride) * sizeof(InMemory);
#pragma unroll
    for (int u = 0; u < entries; ++u) {
      const std::uint64_t place = static_cast<std::uint32_t>(rows_of_x_[u]) * row_bytes;
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        const auto* const row = reinterpret_cast<const std::byte*>(columns_of_x_[v]) + place;
        x_[u][v] = load_vector<aligned>(reinterpret_cast<const InMemory*>(row));
      }
    }
  }

  /// Adds the lane's entries to the running sum.
  __device__ void add_entries() {
#pragma unroll
    for (int u = 0; u < entries; ++u) {
      if (!is_there_[u]) continue;
      const Scalar value = task_.value_of_entry(read_values_[u]);
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) sums_[v].at[e] = fused(value, Scalar(x_[u][v].at[e]), sums_[v].at[e]);
      }
    }
  }

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
  const InMemory* columns_of_x_[vectors];
  bool is_there_[entries];
  Ordinal rows_of_x_[entries];
  MatrixScalar read_values_[entries];
  Lane x_[entries][vectors];
  Sum sums_[vectors];
};

}  // namespace Tessera::Impl::Cuda
