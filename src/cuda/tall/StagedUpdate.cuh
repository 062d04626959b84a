// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "../launch/Launch.cuh"
#include "../ptx/AsyncCopy.cuh"
#include "../ptx/Mma.cuh"
#include "Pair.cuh"
#include "Update.cuh"

/// Y = alpha X B + beta Y for tall panels with many columns, whose rows are multiples of 16 bytes. The sums of a warp
/// leave few registers for loads, so its rows are staged in a ring in shared memory. While the warp multiplies, the
/// next chunks of X, and of Y if it is read, are copied. Y may be X, because a warp's chunks are those of its own rows.
namespace Tessera::Impl::Cuda::Tall {

/// \tparam n_tiles_  number of tiles of 8 columns of Y
template <int n_tiles_>
struct StagedUpdatePolicy {
  static constexpr int n_tiles = n_tiles_;
  static constexpr int columns = 8 * n_tiles;
  static constexpr int block_warps = n_tiles > 8 ? 4 : 8;
  static constexpr int rows = 16;           // rows that a warp updates at a time
  static constexpr int chunk_columns = 32;  // columns of a chunk of these rows
  static constexpr int chunk_tiles = chunk_columns / 8;
  static constexpr int slots = 4;  // slots of a ring
  /// Row stride of B, in elements. With this stride, the lanes of half a warp read 4 elements of every second of 8
  /// rows from 16 banks of 8 bytes.
  static constexpr int b_stride = columns + 2;
  /// Row stride of a chunk, in elements. With this stride, lanes that read 8 or 16 bytes of 4 or 2 rows at once read
  /// from different banks.
  static constexpr int chunk_stride = chunk_columns + 8;
  static constexpr int slot_elements = rows * chunk_stride;

  template <class Scalar>
  static std::size_t shared_bytes(int x_columns) {
    return std::size_t((x_columns + 7) / 8 * 8) * b_stride * sizeof(double) +
           std::size_t(block_warps) * slots * slot_elements * sizeof(Scalar);
  }
};

template <class Policy, class Scalar>
class StagedUpdateAgent {
 public:
  __device__ StagedUpdateAgent(const UpdateArguments<Scalar>& arguments, const double* b, Scalar* ring, int lane)
      : arguments_(arguments),
        b_(b),
        ring_(ring),
        g_(lane / 4),
        t_(lane % 4),
        lane_(lane),
        y_chunks_(arguments.beta == 0 ? 0 : chunks_of(arguments.y.columns)),
        chunks_(y_chunks_ + chunks_of(arguments.x.columns)) {}

  /// Updates Policy::rows rows, starting at first, then at first + step, and so on.
  __device__ void update(std::size_t first, std::size_t step) {
    next_row_ = first;
    step_ = step;
    for (int slot = 0; slot + 1 < Policy::slots; ++slot) copy_next(slot);
    for (std::size_t row = first; row < std::size_t(arguments_.x.rows); row += step) {
#pragma unroll
      for (int n = 0; n < n_tiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) sums_[n][i] = 0;
      begin_with_y();
      for (int first_k = 0; first_k < arguments_.x.columns; first_k += Policy::chunk_columns) multiply(take(), first_k);
      store(unsigned(row), 0);
      store(unsigned(row), 1);
    }
    wait_copies<0>();
  }

 private:
  static constexpr int n_tiles = Policy::n_tiles;
  static constexpr int piece = 16 / int(sizeof(Scalar));  // elements of a copy

  static __device__ int chunks_of(int columns) { return (columns + Policy::chunk_columns - 1) / Policy::chunk_columns; }

  /// Starts to copy the next chunk of this warp's rows: chunks of Y, then chunks of X.
  __device__ __forceinline__ void copy_next(int slot) {
    if (next_row_ < std::size_t(arguments_.x.rows)) {
      const bool is_y = next_chunk_ < y_chunks_;
      const TallPanel<Scalar>& y = arguments_.y;
      const TallPanel<const Scalar>& x = arguments_.x;
      copy_chunk(is_y ? y.data : x.data, is_y ? y.row_stride : x.row_stride, is_y ? y.columns : x.columns,
                 (is_y ? next_chunk_ : next_chunk_ - y_chunks_) * Policy::chunk_columns, slot);
      if (++next_chunk_ == chunks_) {
        next_chunk_ = 0;
        next_row_ += step_;
      }
    }
    commit_copies();
  }

  __device__ __forceinline__ void copy_chunk(const Scalar* from, std::ptrdiff_t stride, int columns, int first,
                                             int slot) {
    constexpr int pieces = Policy::chunk_columns / piece;
    Scalar* const to = ring_ + slot * Policy::slot_elements;
#pragma unroll
    for (int p = 0; p < Policy::rows * pieces; p += 32) {
      const int row = (p + lane_) / pieces, column = (p + lane_) % pieces * piece;
      const std::size_t line = next_row_ + std::size_t(row);
      if (line < std::size_t(arguments_.x.rows) && first + column < columns) {
        copy_async_16(to + row * Policy::chunk_stride + column, from + std::ptrdiff_t(line) * stride + first + column);
      }
    }
  }

  /// Waits for the next chunk. Starts a copy to the slot of the previous one, which all lanes have read.
  __device__ __forceinline__ const Scalar* take() {
    wait_copies<Policy::slots - 2>();
    __syncwarp();
    copy_next((slot_ + Policy::slots - 1) % Policy::slots);
    const Scalar* const chunk = ring_ + slot_ * Policy::slot_elements;
    slot_ = (slot_ + 1) % Policy::slots;
    return chunk;
  }

  __device__ __forceinline__ Pair<Scalar> pair_of(const Scalar* chunk, int half, int column) const {
    return *reinterpret_cast<const Pair<Scalar>*>(chunk + (g_ + 8 * half) * Policy::chunk_stride + column);
  }

  /// Initialises the sums with beta Y. Sums beyond the last column are not stored.
  __device__ __forceinline__ void begin_with_y() {
    if (y_chunks_ == 0) return;
#pragma unroll
    for (int first = 0; first < n_tiles; first += Policy::chunk_tiles) {
      if (8 * first >= arguments_.y.columns) break;
      const Scalar* const chunk = take();
#pragma unroll
      for (int n = first; n < n_tiles && n < first + Policy::chunk_tiles; ++n)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const Pair<Scalar> pair = pair_of(chunk, half, 8 * (n - first) + 2 * t_);
#pragma unroll
          for (int i = 0; i < 2; ++i) sums_[n][2 * half + i] = arguments_.beta * double(pair.at[i]);
        }
    }
  }

  /// Multiplies a chunk. The order of the 8 columns of X in a step does not matter, so each lane has two adjacent ones.
  __device__ __forceinline__ void multiply(const Scalar* chunk, int first) {
#pragma unroll
    for (int k = 0; k < Policy::chunk_columns; k += 8) {
      if (first + k >= arguments_.x.columns) break;
      // Chunks are not padded. The old contents of a slot must not be multiplied by a zero of B, because they may not
      // be finite.
      const bool is_there = first + k + 2 * t_ < arguments_.x.columns;
      double a[4];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const Pair<Scalar> pair = pair_of(chunk, half, k + 2 * t_);
        a[half] = is_there ? double(pair.at[0]) : 0.0;
        a[half + 2] = is_there ? double(pair.at[1]) : 0.0;
      }
      const double* const b = b_ + (first + k + 2 * t_) * Policy::b_stride + g_;
#pragma unroll
      for (int n = 0; n < n_tiles; ++n) mma_m16n8k8(sums_[n], a, {b[8 * n], b[Policy::b_stride + 8 * n]});
    }
  }

  __device__ __forceinline__ void store(unsigned first, int half) const {
    const TallPanel<Scalar>& y = arguments_.y;
    const unsigned row = first + unsigned(8 * half + g_);
    if (row >= unsigned(y.rows)) return;
    Scalar* const to = y.data + std::ptrdiff_t(row) * y.row_stride;
#pragma unroll
    for (int n = 0; n < n_tiles; ++n) {
      const int column = 8 * n + 2 * t_;
      const Pair<Scalar> pair = {{Scalar(sums_[n][2 * half]), Scalar(sums_[n][2 * half + 1])}};
      if (column < y.columns) *reinterpret_cast<Pair<Scalar>*>(to + column) = pair;
    }
  }

  const UpdateArguments<Scalar>& arguments_;
  const double* b_;
  Scalar* ring_;
  int g_, t_, lane_;
  int y_chunks_, chunks_;  // number of chunks of the same rows of Y, and of Y and X
  std::size_t next_row_ = 0, step_ = 0;
  int next_chunk_ = 0, slot_ = 0;
  double sums_[n_tiles][4];
};

template <class Policy, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps)
    staged_update_kernel(const __grid_constant__ UpdateArguments<Scalar> arguments) {
  auto* const b = reinterpret_cast<double*>(dynamic_memory());
  take_factor<Policy::columns, Policy::b_stride>(arguments, b);
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  auto* const rings = reinterpret_cast<Scalar*>(b + (arguments.x.columns + 7) / 8 * 8 * Policy::b_stride);
  StagedUpdateAgent<Policy, Scalar> agent(arguments, b, rings + warp * Policy::slots * Policy::slot_elements, lane);
  const std::size_t tile = std::size_t(blockIdx.x) * Policy::block_warps + warp;
  agent.update(tile * Policy::rows, std::size_t(gridDim.x) * Policy::block_warps * Policy::rows);
}

}  // namespace Tessera::Impl::Cuda::Tall
