// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "Task.cuh"
#include "launch/Launch.cuh"
#include "ptx/AsyncCopy.cuh"

namespace Tessera::Impl::Cuda {

/// The entries of a tile in shared memory: their values, and the elements of X that these multiply.
class CsrTileEntries {
 public:
  static constexpr int capacity = 2048;
  static constexpr int block = 4;  // entries in 16 bytes of each array

  /// Returns where a thread copies the value of an entry, or its element of X.
  __device__ float* value(int entry) { return &values_[place(entry)]; }
  __device__ float* x(int entry) { return &x_[place(entry)]; }

  /// Returns the sum of adjacent entries, added from the first to the last.
  __device__ float sum(int begin, int end) const {
    float sum = 0;
    int first = begin / block * block;
    if (first < begin) {
      sum = add_some(first, begin - first, end - first, sum);
      first += block;
    }
#pragma unroll 2
    for (; first + block <= end; first += block) sum = add_some(first, 0, block, sum);
    return first < end ? add_some(first, 0, end - first, sum) : sum;
  }

 private:
  /// Permutes blocks of 16 bytes within each 128 bytes. Without it, threads whose rows begin 64 or 128 entries apart
  /// would read the same banks.
  static __device__ int place(int entry) {
    const int number = entry / block;
    return (number ^ ((number / 8 ^ number / 64) & 7)) * block + entry % block;
  }

  /// Adds the entries from, ..., to - 1 of the block that begins at entry `first`.
  __device__ __forceinline__ float add_some(int first, int from, int to, float sum) const {
    const int at = place(first);
    const float4 a = *reinterpret_cast<const float4*>(values_ + at), x = *reinterpret_cast<const float4*>(x_ + at);
    if (from <= 0 && to > 0) sum = fused(a.x, x.x, sum);
    if (from <= 1 && to > 1) sum = fused(a.y, x.y, sum);
    if (from <= 2 && to > 2) sum = fused(a.z, x.z, sum);
    if (to > 3) sum = fused(a.w, x.w, sum);
    return sum;
  }

  alignas(16) float values_[capacity];
  alignas(16) float x_[capacity];
};

/// The rows and pieces of a tile, listed by threads in any order.
class CsrTileSpans {
 public:
  /// Adjacent entries of the tile, and the target of their sum: a row, relative to the tile's first, or a slot.
  struct Span {
    int begin, length, target;
    __device__ bool has_slot() const { return target >= first_slot; }
    __device__ int slot() const { return target - first_slot; }
  };
  /// The pieces of a row in the tile. Unless the tile has the whole row, their sums are partial sums of the schedule.
  struct LongRow {
    Ordinal row;
    int slot, pieces;
    Ordinal first_piece;  // in the schedule; -1: the row is whole
  };
  /// Bounds on piece_length: shorter pieces could be too numerous, and longer ones could make a tile too long.
  static constexpr int shortest_piece = 64, longest_piece = 256;

  __device__ void clear() { spans_ = slots_ = rows_ = 0; }
  __device__ void add(int begin, int length, int row) { add_span(begin, length, row); }
  __device__ void add_long(LongRow row, int begin, int length, int piece_length) {
    row.slot = atomicAdd(&slots_, row.pieces);
    row_[atomicAdd(&rows_, 1)] = row;
    for (int piece = 0; piece < row.pieces; ++piece, begin += piece_length, length -= piece_length) {
      add_span(begin, min(length, piece_length), first_slot + row.slot + piece);
    }
  }

  __device__ int spans() const { return spans_; }
  __device__ Span span(int i) const {
    return {static_cast<int>(span_[i] >> 21), static_cast<int>(span_[i] >> 12 & 511),
            static_cast<int>(span_[i] & 4095)};
  }
  __device__ int long_rows() const { return rows_; }
  __device__ const LongRow& long_row(int i) const { return row_[i]; }
  __device__ float& piece_sum(int slot) { return sum_[slot]; }

 private:
  static constexpr int most_spans = csr_tile_span * 2 / 3 + 8;  // each needs an entry and half a row
  static constexpr int most_rows = CsrTileEntries::capacity / shortest_piece + 2;
  static constexpr int most_slots = 2 * most_rows;
  static constexpr int first_slot = 4096 - most_slots;
  static_assert(2 * csr_tile_span + 1 < first_slot && longest_piece < 512 && CsrTileEntries::capacity <= 2048);

  /// Adds a span, packed into 32 bits: its begin, its length, and its target.
  __device__ void add_span(int begin, int length, int target) {
    span_[atomicAdd(&spans_, 1)] = static_cast<std::uint32_t>(begin << 21 | length << 12 | target);
  }

  int spans_, slots_, rows_;
  std::uint32_t span_[most_spans];
  LongRow row_[most_rows];
  float sum_[most_slots];
};

/// Multiplies a tile by a single column of floats. The block copies the tile's values and the elements of X. Adjacent
/// threads copy elements for adjacent entries, often from the same cache lines. Then each thread adds the entries of a
/// row, or of a piece of a long row, in their order.
template <class Task>
class CsrEntryTile {
  using Sum = Vector<float, false>;
  static constexpr int unroll = 8;

 public:
  static constexpr int threads = CsrTileEntries::capacity / unroll;
  static constexpr int registers = 32;  // small enough that eight blocks fit in a multiprocessor
  struct Memory {
    CsrTileEntries entries;
    CsrTileSpans spans;
  };

  /// Whether a tile can hold pieces of this length.
  static bool fits(const CsrScheduleSize& size) {
    return size.piece_length >= CsrTileSpans::shortest_piece && size.piece_length <= CsrTileSpans::longest_piece;
  }

  __device__ explicit CsrEntryTile(const Task& task)
      : task_(task),
        memory_(*reinterpret_cast<Memory*>(dynamic_memory())),
        begin_(task.schedule.tiles[blockIdx.x]),
        end_(task.schedule.tiles[blockIdx.x + 1]),
        base_(begin_.entry / warp * warp),
        length_(static_cast<int>(end_.entry - base_)) {}

  __device__ void run() {
    let_next_kernel_begin();
    copy_values();
    copy_x();
    if (threadIdx.x == 0) memory_.spans.clear();
    __syncthreads();
    list_rows();
    wait_copies<0>();
    __syncthreads();
    sum_spans();
    if (task_.schedule.size.long_rows == 0) return;
    __syncthreads();
    finish_long_rows();
  }

 private:
  static constexpr int warp = 32;

  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int place(Offset entry) const { return static_cast<int>(static_cast<std::uint64_t>(entry) - base_); }

  __device__ void copy_values() {
    const float* const values = task_.product.values + base_;
#pragma unroll
    for (int i = 0; i < CsrTileEntries::capacity; i += threads * CsrTileEntries::block) {
      const int entry = i + thread() * CsrTileEntries::block;
      if (entry + CsrTileEntries::block <= length_) copy_async_16(memory_.entries.value(entry), values + entry);
    }
    // Copies the rest one by one: nothing is read beyond the last value.
    const int last = length_ / CsrTileEntries::block * CsrTileEntries::block + thread();
    if (last < length_) copy_async_cached<sizeof(float)>(memory_.entries.value(last), values + last);
  }

  /// Copies elements of X, including those of the few entries before the tile's first.
  __device__ void copy_x() {
    const Ordinal* const columns = task_.A.column_indices + base_ + thread();
    Ordinal rows[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (u * threads + thread() < length_) rows[u] = __ldcs(columns + u * threads);
    }
    if (task_.product.x_rows != nullptr) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u * threads + thread() < length_) rows[u] = task_.product.x_rows[rows[u]];
      }
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const int entry = u * threads + thread();
      if (entry >= length_) continue;
      copy_async_cached<sizeof(float)>(memory_.entries.x(entry), task_.row_of_x(rows[u], task_.product.x.data));
    }
    commit_copies();
  }

  __device__ void list_rows() {
    const Offset* const offsets = task_.A.row_offsets;
    for (Ordinal row = begin_.row + thread(); row < end_.row; row += threads)
      list_row(row, offsets[row], offsets[row + 1]);
    if (thread() == 0 && begin_.piece >= 0) {
      const Ordinal row = begin_.row - 1;
      list_long_row(row, static_cast<Offset>(begin_.entry), offsets[row + 1], begin_.piece);
    }
  }
  __device__ void list_row(Ordinal row, Offset begin, Offset end) {
    const Offset length = end - begin;
    if (length == 0) {
      store_row<false>(task_, row, 0, Sum{{0}});
    } else if (length <= static_cast<Offset>(task_.schedule.size.piece_length)) {
      memory_.spans.add(place(begin), static_cast<int>(length), row - begin_.row);
    } else {
      list_long_row(row, begin, end, -1);
    }
  }
  /// Lists the pieces of a row in the tile, from entry `begin`, where a piece begins.
  __device__ void list_long_row(Ordinal row, Offset begin, Offset end, Ordinal first_piece) {
    const bool continues = static_cast<std::uint64_t>(end) > end_.entry;
    const int piece_length = task_.schedule.size.piece_length;
    const int length = place(continues ? static_cast<Offset>(end_.entry) : end) - place(begin);
    const int pieces = (length + piece_length - 1) / piece_length;
    const Ordinal piece = continues ? end_.piece - pieces : first_piece;
    memory_.spans.add_long({row, 0, pieces, piece}, place(begin), length, piece_length);
  }

  __device__ void sum_spans() {
    const int spans = memory_.spans.spans();
    for (int i = thread(); i < spans; i += threads) {
      const CsrTileSpans::Span span = memory_.spans.span(i);
      const float sum = memory_.entries.sum(span.begin, span.begin + span.length);
      if (span.has_slot()) {
        memory_.spans.piece_sum(span.slot()) = sum;
      } else {
        store_row<false>(task_, begin_.row + span.target, 0, Sum{{sum}});
      }
    }
  }

  __device__ void finish_long_rows() {
    const int rows = memory_.spans.long_rows();
    for (int i = thread(); i < rows; i += threads) {
      const CsrTileSpans::LongRow row = memory_.spans.long_row(i);
      float sum = memory_.spans.piece_sum(row.slot);
      for (int piece = 0; piece < row.pieces; ++piece) {
        const float next = memory_.spans.piece_sum(row.slot + piece);
        if (row.first_piece >= 0) {
          task_.partial_sums[std::int64_t(row.first_piece + piece) * task_.partial_stride] = next;
        } else if (piece > 0) {
          sum += next;
        }
      }
      if (row.first_piece < 0) store_row<false>(task_, row.row, 0, Sum{{sum}});
    }
  }

  const Task& task_;
  Memory& memory_;
  const CsrTile begin_, end_;
  const std::uint64_t base_;  // the first entry in shared memory, because values are copied 16 bytes at a time
  const int length_;          // number of entries from base_ to the end of the tile
};

}  // namespace Tessera::Impl::Cuda
