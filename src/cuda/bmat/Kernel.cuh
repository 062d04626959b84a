// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../launch/Launch.cuh"
#include "Consumer.cuh"
#include "Producer.cuh"

namespace Tessera::Cuda {

/// Blocks that stay: each takes its tasks, its producer runs ahead of its consumers as far as the ring is long.
template <Precision precision, class Policy, class Offset, class MatrixScalar, class Scalar>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks)
    bmat_kernel(const __grid_constant__ BmatArguments<Offset, MatrixScalar, Scalar> arguments) {
  using Buffers = BmatBuffers<MatrixScalar, Scalar, Policy>;
  const Buffers buffers = {dynamic_memory()};
  if (threadIdx.x == 0) {
    for (int buffer = 0; buffer < Policy::buffers; ++buffer) {
      mbarrier_init(buffers.full(buffer), Buffers::full_arrivals);
      mbarrier_init(buffers.empty(buffer), Policy::consumers);
    }
    if constexpr (Policy::copy == BmatCopy::Bulk) fence_mbarrier_init();
  }
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (warp < Policy::consumers) {
    BmatConsumer<precision, Policy, Offset, MatrixScalar, Scalar>(arguments, buffers, warp, lane).run();
  } else {
    BmatProducer<Policy, Offset, MatrixScalar, Scalar>(arguments, buffers, lane).run();
  }
}

}  // namespace Tessera::Cuda
