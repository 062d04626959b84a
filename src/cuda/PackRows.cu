// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/cuda/PackRows.hpp>

#include "detail/Launch.cuh"
#include "dispatch/LaunchCount.hpp"

namespace Tessera::Cuda {
namespace {

constexpr int tile = 32;       // rows and columns that a block transposes
constexpr int tile_steps = 8;  // rows of threads

template <class Scalar>
__global__ void pack_rows_kernel(Multivector<const Scalar> x, Scalar* to, std::ptrdiff_t row_stride) {
  __shared__ Scalar transposed[tile][tile + 1];  // [column][row]; one more avoids conflicts of banks
  const unsigned column_tiles = window_count(x.columns, tile);
  const Ordinal first_row = static_cast<Ordinal>(blockIdx.x / column_tiles) * tile;
  const Ordinal first_column = static_cast<Ordinal>(blockIdx.x % column_tiles) * tile;
  const int lane = threadIdx.x;
  for (int c = threadIdx.y; c < tile; c += tile_steps) {
    if (first_row + lane < x.rows && first_column + c < x.columns) {
      transposed[c][lane] = x(first_row + lane, first_column + c);
    }
  }
  __syncthreads();
  for (int r = threadIdx.y; r < tile; r += tile_steps) {
    if (first_row + r < x.rows && first_column + lane < x.columns) {
      to[(first_row + r) * row_stride + first_column + lane] = transposed[lane][r];
    }
  }
}

}  // namespace

template <class Scalar>
void pack_rows(Stream stream, const Multivector<const Scalar>& x, Scalar* to, std::ptrdiff_t row_stride) {
  const std::size_t blocks = std::size_t(window_count(x.rows, tile)) * std::size_t(window_count(x.columns, tile));
  if (blocks == 0) return;
  launch("pack_rows_kernel", pack_rows_kernel<Scalar>, launch_count(blocks), dim3(tile, tile_steps), 0, stream, x, to,
         row_stride);
}

template void pack_rows(Stream, const Multivector<const float>&, float*, std::ptrdiff_t);
template void pack_rows(Stream, const Multivector<const double>&, double*, std::ptrdiff_t);

}  // namespace Tessera::Cuda
