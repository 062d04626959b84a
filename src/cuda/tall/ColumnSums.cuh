// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <tessera/cuda/tall/Panel.hpp>

#include "Parts.cuh"

/// Sums of the columns of tall panels.
namespace Tessera::Impl::Cuda::Tall {

constexpr int column_threads = 256;  // threads of a block
constexpr int column_rows = 8;       // rows that a thread loads before it adds them

template <class Scalar>
struct ColumnArguments {
  TallPanel<const Scalar> x, y;
  unsigned part_rows;  // rows that a block sums
  double* parts;
};

/// The kinds of column sums. Each has term() of two elements, and the operator that combines terms.
struct Products : Add {
  template <class Scalar>
  __device__ double term(Scalar x, Scalar y) const {
    return double(x) * double(y);
  }
};
struct Magnitudes : Add {
  template <class Scalar>
  __device__ double term(Scalar x, Scalar) const {
    return fabs(double(x));
  }
};
struct GreatestMagnitudes : Greater {
  template <class Scalar>
  __device__ double term(Scalar x, Scalar) const {
    return fabs(double(x));
  }
};

template <class Scalar>
__device__ const Scalar* column_of(const TallPanel<const Scalar>& panel, int column) {
  return panel.data + (panel.is_listed ? panel.places[column] : column);
}

/// Sums a part of the rows in each block. A thread sums a column of every `lines`-th row.
template <class Kind, class Scalar>
__global__ void __launch_bounds__(column_threads)
    column_sums_kernel(const __grid_constant__ ColumnArguments<Scalar> arguments) {
  const Kind kind;
  const TallPanel<const Scalar>&x = arguments.x, &y = arguments.y;
  const unsigned columns = unsigned(x.columns);
  unsigned lines = blockDim.x / columns;
  const unsigned line = threadIdx.x / columns, column = threadIdx.x % columns;
  const unsigned rows = unsigned(x.rows), first = blockIdx.x * arguments.part_rows;
  const unsigned last = rows - first < arguments.part_rows ? rows : first + arguments.part_rows;
  double sum = 0;
  if (line < lines) {
    const Scalar *const from_x = column_of(x, int(column)), *const from_y = column_of(y, int(column));
    for (unsigned row = first + line; row < last; row += column_rows * lines) {
      double terms[column_rows] = {};
#pragma unroll
      for (int k = 0; k < column_rows; ++k) {
        const unsigned at = row + unsigned(k) * lines;
        if (at < last) terms[k] = kind.term(from_x[at * x.row_stride], from_y[at * y.row_stride]);
      }
#pragma unroll
      for (int k = 0; k < column_rows; ++k) sum = kind(sum, terms[k]);
    }
  }
  auto* const sums = reinterpret_cast<double*>(dynamic_memory());
  while (lines > 1) {
    const unsigned half = (lines + 1) / 2;
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (line + half < lines) sum = kind(sum, sums[threadIdx.x + half * columns]);
    __syncthreads();
    lines = half;
  }
  if (line == 0) arguments.parts[blockIdx.x * columns + column] = sum;
}

template <class Kind, class Scalar>
__global__ void combine_columns_kernel(Parts parts, Scalar* results) {
  combine_parts(parts, Kind(), [&](int element, double sum) { results[element] = Scalar(sum); });
}

}  // namespace Tessera::Impl::Cuda::Tall
