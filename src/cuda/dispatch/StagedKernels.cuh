// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../agent/StagedConsumer.cuh"
#include "../agent/StagedProducer.cuh"
#include "../detail/Launch.cuh"

namespace Tessera::Cuda {

/// As many blocks as fit: each takes tasks, its producers run ahead of its consumers as far as the ring is long.
template <class Kind, class Policy, class MatrixScalar, class Scalar>
__global__ void __launch_bounds__(Policy::threads, Policy::min_blocks)
    staged_kernel(const __grid_constant__ StagedArguments<MatrixScalar, Scalar> arguments) {
  const StagedBuffers<Scalar, Policy> buffers = {dynamic_memory(), arguments.A.most_tile_bytes,
                                                 arguments.A.most_value_bytes};
  if (threadIdx.x == 0) {
    for (int buffer = 0; buffer < Policy::buffers; ++buffer) {
      mbarrier_init(buffers.full(buffer), 32 * Policy::producers);
      mbarrier_init(buffers.empty(buffer), Policy::strips);
    }
  }
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (warp < Policy::strips) {
    StagedConsumer<Kind, Policy, MatrixScalar, Scalar>(arguments, buffers, warp, lane).run();
  } else {
    StagedProducer<Policy, MatrixScalar, Scalar>(arguments, buffers, warp - Policy::strips, lane).run();
  }
}

/// Y = alpha (sum of partial sums) + beta Y for windows that were split: a thread an element.
template <class MatrixScalar, class Scalar>
__global__ void staged_sum_kernel(const __grid_constant__ StagedArguments<MatrixScalar, Scalar> arguments) {
  const Product<MatrixScalar, Scalar>& product = arguments.product;
  const unsigned columns = product.y.columns, window_rows = arguments.A.window_rows;
  const std::size_t index = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t sum_index = index / (columns * window_rows);
  if (sum_index >= std::size_t(arguments.schedule.sum_count)) return;
  const unsigned element = static_cast<unsigned>(index - sum_index * (columns * window_rows));
  const CondensedSum window = arguments.schedule.sums[sum_index];
  const unsigned r = element / columns, column = element % columns;
  const Ordinal row = static_cast<Ordinal>(window.window * window_rows + r);
  if (row >= arguments.A.rows) return;

  const Scalar* partial =
      arguments.partials + (std::size_t(window.first_slot) * window_rows + r) * arguments.partials_stride + column;
  Scalar sum = 0;
#pragma unroll 4
  for (int slot = 0; slot < window.slots; ++slot) {
    sum += partial[std::size_t(slot) * window_rows * arguments.partials_stride];
  }
  Scalar& y = product.y(product.y_rows == nullptr ? row : product.y_rows[row], static_cast<Ordinal>(column));
  y = scaled_and_added(product.alpha, sum, product.beta, [&] { return y; });
}

}  // namespace Tessera::Cuda
