// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "Task.cuh"
#include "launch/Launch.cuh"

namespace Tessera::Impl::Cuda {

/// Adds the sums of the pieces of long rows, and writes these rows of Y. Line s of n adds pieces s, s + n, s + 2 n and
/// so on; then the sums of the lines are added from the first to the last. A line is a line of threads, which have
/// adjacent columns.
///
/// \tparam is_alone  whether one line of threads does the work of all few_lines lines of a row. There are then so many
///                   long rows and columns that these threads fill the GPU.
template <class Task, bool is_alone>
class CsrPieceSums {
  using Scalar = typename Task::Scalar;
  static constexpr unsigned few_lines = CsrScheduleSize::few_lines;

 public:
  static constexpr unsigned most_threads = is_alone ? 128 : 32 * CsrScheduleSize::many_lines;  ///< of a block
  /// Returns the shape of a block: columns x lines.
  static dim3 block(const CsrScheduleSize& size, Ordinal columns) {
    const unsigned width = columns <= 8 ? 8 : columns <= 16 ? 16 : 32;
    return {width, std::max(is_alone ? 1 : size.lines_of_pieces(), 128 / width)};
  }
  /// Returns the number of blocks of this shape for a slab of columns.
  static unsigned blocks(const CsrScheduleSize& size, dim3 block) {
    return ceil_divide(static_cast<unsigned>(size.long_rows) * (is_alone ? 1 : size.lines_of_pieces()), block.y);
  }
  static std::size_t shared_bytes(dim3 block) { return is_alone ? 0 : block.x * block.y * sizeof(Scalar); }

  __device__ explicit CsrPieceSums(const Task& task)
      : task_(task),
        lines_(is_alone ? 1 : task.schedule.size.lines_of_pieces()),
        row_((blockIdx.x * blockDim.y + threadIdx.y) / lines_),
        column_(static_cast<Ordinal>(blockIdx.y * blockDim.x + threadIdx.x)) {
    if (row_ >= static_cast<unsigned>(task.schedule.size.long_rows) || column_ >= task.product.y.columns) return;
    const Ordinal* const offsets = task.schedule.piece_offsets + row_;
    pieces_ = static_cast<unsigned>(offsets[1] - offsets[0]);
    first_ = task.partial_sums + std::int64_t(offsets[0]) * task.partial_stride + column_;
  }

  __device__ void run() const {
    wait_for_previous_kernels();
    is_alone ? add_all_lines() : add_lines();
  }

 private:
  __device__ const Scalar& piece(unsigned number) const { return first_[std::int64_t(number) * task_.partial_stride]; }

  __device__ void add_lines() const {
    const unsigned line = threadIdx.y % lines_;
    Scalar* const sums = reinterpret_cast<Scalar*>(dynamic_memory()) + threadIdx.y * blockDim.x + threadIdx.x;
    if (line < pieces_) *sums = sum_of_line(line);
    __syncthreads();
    if (line > 0 || pieces_ == 0) return;
    Scalar sum = *sums;
    for (unsigned other = 1; other < min(lines_, pieces_); ++other) sum += sums[other * blockDim.x];
    store(sum);
  }

  __device__ Scalar sum_of_line(unsigned line) const {
    constexpr unsigned unroll = 4;
    Scalar sum = piece(line);
    unsigned next = line + lines_;
    for (; next + (unroll - 1) * lines_ < pieces_; next += unroll * lines_) {
      Scalar parts[unroll];
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) parts[u] = piece(next + u * lines_);
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) sum += parts[u];
    }
    for (; next < pieces_; next += lines_) sum += piece(next);
    return sum;
  }

  /// Adds few_lines lines. All threads of a warp have the same row.
  __device__ void add_all_lines() const {
    if (pieces_ == 0) return;
    Scalar sums[few_lines];
    for_each_line(0, [&](unsigned line, Scalar part) { sums[line] = part; });
    for (unsigned next = few_lines; next < pieces_; next += few_lines)
      for_each_line(next, [&](unsigned line, Scalar part) { sums[line] += part; });
    Scalar sum = sums[0];
#pragma unroll
    for (unsigned line = 1; line < few_lines; ++line) {
      if (line < pieces_) sum += sums[line];
    }
    store(sum);
  }
  /// Calls add(line, piece) for piece `next` of line 0 and the next pieces of the other lines, if there are such.
  template <class Add>
  __device__ void for_each_line(unsigned next, const Add& add) const {
    if (next + few_lines <= pieces_) {
      Scalar parts[few_lines];
#pragma unroll
      for (unsigned line = 0; line < few_lines; ++line) parts[line] = piece(next + line);
#pragma unroll
      for (unsigned line = 0; line < few_lines; ++line) add(line, parts[line]);
    } else {
#pragma unroll
      for (unsigned line = 0; line < few_lines; ++line) {
        if (next + line < pieces_) add(line, piece(next + line));
      }
    }
  }

  __device__ void store(Scalar sum) const {
    store_row(task_, task_.schedule.long_rows[row_], column_, Vector<Scalar, false, typename Task::InMemory>{{sum}});
  }

  const Task& task_;
  const unsigned lines_;  // lines of threads of a row
  const unsigned row_;    // among the long ones
  const Ordinal column_;
  unsigned pieces_ = 0;  // of the row; 0 if the thread has none
  const Scalar* first_ = nullptr;
};

}  // namespace Tessera::Impl::Cuda
