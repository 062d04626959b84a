// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// Returns the sum over each group of adjacent lanes, in its first lane. All lanes of the warp must call it.
///
/// \param lanes  the lanes of a group, a power of 2
template <class T>
__device__ inline T warp_sum(T sum, int lanes = 32) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) sum += from_higher_lane(sum, distance);
  return sum;
}

}  // namespace Tessera::Impl::Cuda
