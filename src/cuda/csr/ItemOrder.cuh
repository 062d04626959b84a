// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "../launch/Launch.cuh"
#include "Task.cuh"

namespace Tessera::Cuda {

/// The spans of a block's rows in shared memory, the longest first. Warps take the next of them, one a group, whenever
/// they are through with the last: so the spans of a warp are of about the same length, and few lanes wait for others.
/// Pieces have blocks of their own: they are equally long, and one after the other in a group they would take longer
/// than all else.
///
/// A block has as many rows as threads, or fewer.
template <class Task>
class CsrItemOrder {
  using Span = CsrSpan<typename decltype(Task::A)::offset_type>;
  static constexpr int warp = 32;
  /// Of lengths, a lane of the first warp each: lengths of a class differ by less than class_length; the last has all
  /// that are longer. Within a class the order may differ from run to run: no result depends on it.
  static constexpr int classes = warp, class_length = 4;

 public:
  /// Of the shared memory of a block.
  static std::size_t bytes(int threads) {
    return static_cast<std::size_t>(threads) * sizeof(Span) + (classes + 1) * sizeof(int);
  }

  /// All threads of the block.
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

  /// [out] span  the next one of the calling thread's group
  /// False: the warp has none left.
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
  /// Replaces the number of spans of a class by that of all spans of longer ones.
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
  int* const counts_;  // of each class; then how many spans the warps have taken
};

}  // namespace Tessera::Cuda
