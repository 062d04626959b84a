// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Task.cuh"

namespace Tessera::Cuda {

/// A warp adds the sums of the pieces of a long row, the first to the last, a column a lane, and writes the row of Y.
template <class Task>
class CsrPieceSums {
  using Scalar = typename Task::Scalar;
  static constexpr int unroll = 4;

 public:
  static constexpr int warp_columns = 32;

  __device__ explicit CsrPieceSums(const Task& task) : task_(task) {}

  /// \param warp  of all those along the long rows
  __device__ void run(std::int64_t warp, Ordinal column) {
    if (warp >= task_.schedule.size.long_rows || column >= task_.product.y.columns) return;
    const Ordinal* const offsets = task_.schedule.piece_offsets + warp;
    const Vector<Scalar, false> sum{{sum_pieces(offsets[0], offsets[1], column)}};
    store_row(task_, task_.schedule.long_rows[warp], column, sum);
  }

 private:
  __device__ Scalar sum_pieces(Ordinal begin, Ordinal end, Ordinal column) {
    const Scalar* piece = task_.partial_sums + std::int64_t(begin) * task_.partial_stride + column;
    Scalar sum = *piece;
    int left = end - begin - 1;
    for (; left >= unroll; left -= unroll) {
      Scalar parts[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) parts[u] = piece[std::int64_t(u + 1) * task_.partial_stride];
#pragma unroll
      for (int u = 0; u < unroll; ++u) sum += parts[u];
      piece += std::int64_t(unroll) * task_.partial_stride;
    }
    for (int p = 1; p <= left; ++p) sum += piece[std::int64_t(p) * task_.partial_stride];
    return sum;
  }

  const Task& task_;
};

}  // namespace Tessera::Cuda
