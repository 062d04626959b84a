// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

namespace Tessera::Impl {

/// Whether the program sees one GPU, which is then always the current one.
inline bool is_only_gpu() {
  static const int count = [] {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
  }();
  return count == 1;
}

/// Makes the GPU of an instance the current device of the calling thread while this object lives.
class CurrentGpu {
 public:
  explicit CurrentGpu(int gpu) {
    if (is_only_gpu()) return;
    cudaGetDevice(&before_);
    is_elsewhere_ = before_ != gpu;
    if (is_elsewhere_) cudaSetDevice(gpu);
  }
  explicit CurrentGpu(const Kokkos::Cuda& exec) : CurrentGpu(exec.cuda_device()) {}
  ~CurrentGpu() {
    if (is_elsewhere_) cudaSetDevice(before_);
  }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = 0;
  bool is_elsewhere_ = false;
};

/// Whether Tessera's kernels run on the GPU: they need tensor cores for FP64 and TF32.
inline bool has_cuda_kernels(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().major >= 8; }

}  // namespace Tessera::Impl

#endif
