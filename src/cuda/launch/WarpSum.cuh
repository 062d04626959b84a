// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl::Cuda {

/// Returns the sum over the lanes of a warp, in lane 0.
__device__ inline unsigned long long warp_sum(unsigned long long sum) {
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  return sum;
}

}  // namespace Tessera::Impl::Cuda
