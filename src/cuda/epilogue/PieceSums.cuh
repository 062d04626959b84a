// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Product.hpp>

#include "../launch/Launch.cuh"
#include "../launch/Operands.hpp"
#include "Epilogue.cuh"
#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// The second step of a product whose long windows were cut into pieces: Y = alpha (sum of the pieces) + beta Y.
///
/// partials has the sums of each slot: window_rows rows, `stride` elements apart.
template <class InMemory>
struct PieceSums {
  using Scalar = sum_of_t<InMemory>;

  Ordinal rows;  // rows of A
  Ordinal window_rows;
  int count;  // number of windows that were cut
  const CondensedSum* sums;
  const Scalar* partials;
  std::ptrdiff_t stride;
  Scalar alpha, beta;
  Multivector<InMemory> y;
  const Ordinal* y_rows;
};

/// Adds the pieces of one element in each thread, in order. 32 bits can count the elements of a window, because
/// slab_count() limits the columns.
template <class InMemory>
__global__ void piece_sums_kernel(const __grid_constant__ PieceSums<InMemory> arguments) {
  using Scalar = typename PieceSums<InMemory>::Scalar;
  wait_for_previous_kernels();
  const unsigned columns = arguments.y.columns, window_rows = arguments.window_rows;
  const std::size_t index = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t sum_index = index / (columns * window_rows);
  if (sum_index >= std::size_t(arguments.count)) return;
  const unsigned element = static_cast<unsigned>(index - sum_index * (columns * window_rows));
  const CondensedSum window = arguments.sums[sum_index];
  const unsigned r = element / columns, column = element % columns;
  // The sum does not overflow: windows have 2^n rows, so the last row of the last window is at most 2^31 - 1.
  const Ordinal row = static_cast<Ordinal>(window.window * window_rows + r);
  if (row >= arguments.rows) return;

  const Scalar* partial =
      arguments.partials + (std::size_t(window.first_slot) * window_rows + r) * arguments.stride + column;
  Scalar sum = 0;
#pragma unroll 4
  for (int slot = 0; slot < window.slots; ++slot) {
    sum += partial[std::size_t(slot) * window_rows * arguments.stride];
  }
  store_element(arguments, row, static_cast<Ordinal>(column), sum);
}

/// Starts the second step of a product of windows, if there are pieces. arguments are WindowArguments.
template <class Arguments>
void launch_piece_sums(Stream stream, const Arguments& arguments, Ordinal window_rows) {
  const auto& product = arguments.product;
  const std::size_t elements = std::size_t(arguments.schedule.sum_count) * std::size_t(product.y.columns) *
                               static_cast<std::size_t>(window_rows);
  if (elements == 0) return;
  constexpr int threads = 256;
  using InMemory = typename decltype(product.y)::Element;
  const PieceSums<InMemory> sums = {.rows = arguments.A.rows,
                                    .window_rows = window_rows,
                                    .count = arguments.schedule.sum_count,
                                    .sums = arguments.schedule.sums,
                                    .partials = arguments.partials,
                                    .stride = arguments.partials_stride,
                                    .alpha = product.alpha,
                                    .beta = product.beta,
                                    .y = product.y,
                                    .y_rows = product.y_rows};
  launch_early<&piece_sums_kernel<InMemory>>("piece_sums_kernel", blocks_for(elements, threads), threads, 0, stream,
                                             sums);
}

}  // namespace Tessera::Impl::Cuda
