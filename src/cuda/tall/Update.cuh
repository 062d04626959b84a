// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/cuda/tall/Update.hpp>

#include "../launch/Launch.cuh"
#include "../ptx/Mma.cuh"
#include "Pair.cuh"

/// Y = alpha X B + beta Y for tall panels; StagedUpdate.cuh is for wide panels with aligned rows. A warp multiplies
/// some rows of X by all of B, which each block stores in shared memory. It reads its rows before it writes them, so Y
/// may be X.
namespace Tessera::Impl::Cuda::Tall {

/// \tparam n_tiles_    number of tiles of 8 columns of Y
/// \tparam row_tiles_  number of tiles of 16 rows of a warp
template <int n_tiles_, int row_tiles_, bool is_listed_>
struct UpdatePolicy {
  static constexpr int n_tiles = n_tiles_, row_tiles = row_tiles_;
  static constexpr bool is_listed = is_listed_;
  static constexpr int block_warps = 8;
  static constexpr int rows = 16 * row_tiles;
  static constexpr int columns = 8 * n_tiles;
  /// Row stride of B in shared memory, in elements. With this stride, the lanes of half a warp read 4 elements of 4
  /// rows each from 16 banks of 8 bytes.
  static constexpr int b_stride = columns + (columns % 16 == 0 ? 4 : 12);
};

template <class Scalar>
struct UpdateArguments {
  TallPanel<const Scalar> x;
  TallPanel<Scalar> y;
  const Scalar* b;  // null if B is in `small`
  double alpha, beta;
  bool has_pairs;  // whether the columns of Y form pairs that are aligned to their size
  Scalar small[most_host_elements];
};

/// Copies alpha B to the shared memory of a block, padded with zeros to whole tiles.
template <int columns, int stride, class Scalar>
__device__ void take_factor(const UpdateArguments<Scalar>& arguments, double* b) {
  const Scalar* const from = arguments.b == nullptr ? arguments.small : arguments.b;
  const int k_padded = (arguments.x.columns + 7) / 8 * 8;
  for (int e = int(threadIdx.x); e < k_padded * columns; e += int(blockDim.x)) {
    const int i = e / columns, j = e % columns;
    const bool is_there = i < arguments.x.columns && j < arguments.y.columns;
    b[i * stride + j] = is_there ? arguments.alpha * double(from[i * arguments.y.columns + j]) : 0.0;
  }
  __syncthreads();
}

template <class Policy, class Scalar>
class UpdateAgent {
 public:
  __device__ UpdateAgent(const UpdateArguments<Scalar>& arguments, const double* b, int lane)
      : arguments_(arguments), b_(b), g_(lane / 4), t_(lane % 4) {}

  /// Updates Policy::rows rows, starting at `first`.
  __device__ void update(unsigned first) {
    // Loads of Y overlap with those of X.
    for_each_half_row(first, [&](unsigned row, int r, int half) { begin(row, r, half); });
    multiply(first);
    // Waits for other lanes of the warp: they read the rows that this lane writes.
    __syncwarp();
    for_each_half_row(first, [&](unsigned row, int r, int half) { store(row, r, half); });
  }

 private:
  static constexpr int n_tiles = Policy::n_tiles, row_tiles = Policy::row_tiles;

  __device__ __forceinline__ double x_element(unsigned row, int column) const {
    const TallPanel<const Scalar>& x = arguments_.x;
    if (row >= unsigned(x.rows) || column >= x.columns) return 0;
    return double(
        x.data[std::ptrdiff_t(row) * x.row_stride + (Policy::is_listed && x.is_listed ? x.places[column] : column)]);
  }

  __device__ __forceinline__ void multiply(unsigned first) {
#pragma unroll 4
    for (int k = 0; k < arguments_.x.columns; k += 8) {
      double a[row_tiles][4];
#pragma unroll
      for (int r = 0; r < row_tiles; ++r)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          a[r][i] = x_element(first + unsigned(16 * r + g_ + 8 * (i % 2)), k + t_ + 4 * (i / 2));
      const double* b = b_ + (k + t_) * Policy::b_stride + g_;
#pragma unroll
      for (int n = 0; n < n_tiles; ++n) {
        const double element[2] = {b[8 * n], b[4 * Policy::b_stride + 8 * n]};
#pragma unroll
        for (int r = 0; r < row_tiles; ++r) mma_m16n8k8(sums_[r][n], a[r], element);
      }
    }
  }

  template <class Body>
  __device__ __forceinline__ void for_each_half_row(unsigned first, const Body& body) {
#pragma unroll
    for (int r = 0; r < row_tiles; ++r)
#pragma unroll
      for (int half = 0; half < 2; ++half) body(first + unsigned(16 * r + 8 * half + g_), r, half);
  }

  __device__ __forceinline__ std::ptrdiff_t y_place(int column) const {
    return Policy::is_listed && arguments_.y.is_listed ? arguments_.y.places[column] : column;
  }

  /// Initialises the sums with beta Y.
  __device__ __forceinline__ void begin(unsigned row, int r, int half) {
    const TallPanel<Scalar>& y = arguments_.y;
    const bool is_read = arguments_.beta != 0 && row < unsigned(y.rows);
    const Scalar* const from = y.data + std::ptrdiff_t(row) * y.row_stride;
#pragma unroll
    for (int n = 0; n < n_tiles; ++n) {
      const int column = 8 * n + 2 * t_;
      Pair<Scalar> pair = {};
      if (is_read && arguments_.has_pairs) {
        if (column < y.columns) pair = *reinterpret_cast<const Pair<Scalar>*>(from + column);
      } else if (is_read) {
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (column + i < y.columns) pair.at[i] = from[y_place(column + i)];
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) sums_[r][n][2 * half + i] = arguments_.beta * double(pair.at[i]);
    }
  }

  __device__ __forceinline__ void store(unsigned row, int r, int half) const {
    const TallPanel<Scalar>& y = arguments_.y;
    if (row >= unsigned(y.rows)) return;
    Scalar* const to = y.data + std::ptrdiff_t(row) * y.row_stride;
#pragma unroll
    for (int n = 0; n < n_tiles; ++n) {
      const int column = 8 * n + 2 * t_;
      const Pair<Scalar> pair = {{Scalar(sums_[r][n][2 * half]), Scalar(sums_[r][n][2 * half + 1])}};
      if (arguments_.has_pairs) {
        if (column < y.columns) *reinterpret_cast<Pair<Scalar>*>(to + column) = pair;
      } else {
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (column + i < y.columns) to[y_place(column + i)] = pair.at[i];
      }
    }
  }

  const UpdateArguments<Scalar>& arguments_;
  const double* b_;
  int g_, t_;
  double sums_[row_tiles][n_tiles][4];
};

template <class Policy, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps)
    update_kernel(const __grid_constant__ UpdateArguments<Scalar> arguments) {
  auto* const b = reinterpret_cast<double*>(dynamic_memory());
  take_factor<Policy::columns, Policy::b_stride>(arguments, b);
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  UpdateAgent<Policy, Scalar> agent(arguments, b, lane);
  const std::size_t rows = std::size_t(arguments.x.rows),
                    step = std::size_t(gridDim.x) * Policy::block_warps * Policy::rows;
  for (std::size_t row = (std::size_t(blockIdx.x) * Policy::block_warps + warp) * Policy::rows; row < rows; row += step)
    agent.update(unsigned(row));
}

}  // namespace Tessera::Impl::Cuda::Tall
