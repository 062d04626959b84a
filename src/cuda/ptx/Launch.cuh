// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Cuda {

/// In a kernel that launch_early started: waits until the kernels in front of it on the stream have ended and what they
/// wrote is there.
__device__ inline void wait_for_previous_kernels() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace Tessera::Cuda
