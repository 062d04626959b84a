// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "Task.cuh"
#include "launch/Launch.cuh"

namespace Tessera::Impl::Cuda {

/// Collects the sums of a thread block's rows if columns of Y are not adjacent in memory. Then the block writes column
/// by column: adjacent threads write adjacent rows, which fill whole sectors if rows of Y are adjacent.
///
/// Rows and columns of the tile are powers of two. The number of threads is a multiple of the tile's rows.
template <class Task>
class CsrRowTile {
  using Scalar = typename Task::Scalar;
  using InMemory = typename Task::InMemory;

 public:
  /// Bytes of shared memory of a block.
  static std::size_t bytes(int rows, int columns) {
    return static_cast<std::size_t>(columns) * stride(rows) * sizeof(Scalar) +
           static_cast<std::size_t>(rows) * sizeof(Ordinal);
  }

  /// \param first_column  the column of Y where the tile begins
  __device__ CsrRowTile(const Task& task, Ordinal first_column, int columns)
      : task_(task),
        first_column_(first_column),
        columns_(min(columns, task.product.y.columns - first_column)),
        sums_(reinterpret_cast<Scalar*>(dynamic_memory())),
        y_rows_(reinterpret_cast<Ordinal*>(sums_ + columns * stride(rows()))) {}

  /// Sets the row of A that a row of the tile holds, or `nowhere`. One lane of each row calls this function.
  __device__ void set_row(int row, Ordinal row_of_A) {
    y_rows_[row] = row_of_A < 0 ? row_of_A : row_of_y(task_.product, row_of_A);
  }
  template <class Lane>
  __device__ void set_sums(int row, Ordinal column, const Lane& sums) {
#pragma unroll
    for (int e = 0; e < Lane::size; ++e) sums_[(column - first_column_ + e) * stride(rows()) + row] = sums.at[e];
  }

  /// Writes the tile to Y. All threads of the block must call it.
  __device__ void write() const {
    __syncthreads();
    const int thread = static_cast<int>(threadIdx.x), row = thread & (rows() - 1);
    const Ordinal y_row = y_rows_[row];
    if (y_row < 0) return;
    const auto& y = task_.product.y;
    const Scalar alpha = task_.product.alpha, beta = task_.product.beta;
#pragma unroll 4
    for (int c = thread >> task_.tile_row_bits; c < columns_;
         c += static_cast<int>(blockDim.x) >> task_.tile_row_bits) {
      InMemory* const target = y.data + y_row * y.row_stride + (first_column_ + c) * y.column_stride;
      store_once(target, InMemory(scaled_and_added(alpha, sums_[c * stride(rows()) + row], beta,
                                                   [&] { return Scalar(load_once(target)); })));
    }
  }

 private:
  static constexpr __host__ __device__ int stride(int rows) { return rows + 1; }  // odd: fewer bank conflicts
  __device__ int rows() const { return 1 << task_.tile_row_bits; }

  const Task& task_;
  const Ordinal first_column_;
  const int columns_;
  Scalar* sums_;  // [column][row]
  Ordinal* y_rows_;
};

}  // namespace Tessera::Impl::Cuda
