// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../launch/Launch.cuh"
#include "Consumer.cuh"
#include "Producer.cuh"

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

}  // namespace Tessera::Cuda
