// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Cuda {

/// Whether some lane's sums are not all finite. zeros: 0 times each of the lane's sums, added up.
///
/// The same for all lanes, so that they go the same way. If they do not, the function that some of them call overwrites
/// uniform registers of the warp that nvcc 13.0 keeps something in for the others.
template <class Real>
__device__ __forceinline__ bool some_are_nonfinite(Real zeros) {
  return __any_sync(0xffffffffu, !(zeros == Real(0)));
}

}  // namespace Tessera::Cuda
