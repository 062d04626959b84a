// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <tessera/common/Complex.hpp>
#include <tessera/cuda/PackRows.hpp>

#include "Launch.cuh"
#include "Operands.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr int tile_bits = 10;  // a block transposes 2^10 elements
constexpr int block_threads = 256;

/// Copies X. Adjacent threads read adjacent rows and write adjacent columns. Padding up to row_stride becomes 0.
template <class Scalar>
__global__ void pack_rows_kernel(Multivector<const Scalar> x, Scalar* to, std::ptrdiff_t row_stride, int column_bits,
                                 unsigned column_tiles) {
  // Elements are stored as [column][row]. The stride of columns is odd, which avoids bank conflicts.
  alignas(16) __shared__ std::byte memory[((1 << tile_bits) + 32) * sizeof(Scalar)];
  Scalar* const tile = reinterpret_cast<Scalar*>(memory);
  const int row_bits = tile_bits - column_bits, rows = 1 << row_bits, columns = 1 << column_bits;
  const Ordinal first_row = static_cast<Ordinal>(blockIdx.x / column_tiles) << row_bits;
  const Ordinal first_column = static_cast<Ordinal>(blockIdx.x % column_tiles) << column_bits;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int e = thread; e < 1 << tile_bits; e += block_threads) {
    const int r = e & (rows - 1), c = e >> row_bits;
    const bool is_there = first_row + r < x.rows && first_column + c < x.columns;
    tile[c * (rows + 1) + r] = is_there ? x(first_row + r, first_column + c) : Scalar(0);
  }
  __syncthreads();
#pragma unroll
  for (int e = thread; e < 1 << tile_bits; e += block_threads) {
    const int c = e & (columns - 1), r = e >> column_bits;
    if (first_row + r >= x.rows || first_column + c >= row_stride) continue;
    to[(first_row + r) * row_stride + first_column + c] = tile[c * (rows + 1) + r];
  }
}

}  // namespace

template <class Scalar>
void pack_rows(Stream stream, const Multivector<const Scalar>& x, Scalar* to, std::ptrdiff_t row_stride) {
  if (x.rows == 0 || x.columns == 0) return;
  const auto columns = static_cast<std::size_t>(row_stride);
  const int column_bits = std::min(5, static_cast<int>(std::bit_width(columns - 1)));
  const std::size_t column_tiles = ((columns - 1) >> column_bits) + 1;
  const std::size_t row_tiles = ((static_cast<std::size_t>(x.rows) - 1) >> (tile_bits - column_bits)) + 1;
  launch("pack_rows_kernel", pack_rows_kernel<Scalar>, launch_count(row_tiles * column_tiles), block_threads, 0, stream,
         x, to, row_stride, column_bits, static_cast<unsigned>(column_tiles));
}

template void pack_rows(Stream, const Multivector<const float>&, float*, std::ptrdiff_t);
template void pack_rows(Stream, const Multivector<const double>&, double*, std::ptrdiff_t);
template void pack_rows(Stream, const Multivector<const Half>&, Half*, std::ptrdiff_t);
template void pack_rows(Stream, const Multivector<const BFloat16>&, BFloat16*, std::ptrdiff_t);
template void pack_rows(Stream, const Multivector<const Complex<float>>&, Complex<float>*, std::ptrdiff_t);
template void pack_rows(Stream, const Multivector<const Complex<double>>&, Complex<double>*, std::ptrdiff_t);

}  // namespace Tessera::Impl::Cuda
