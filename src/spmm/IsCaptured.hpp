// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// Returns whether a CUDA or HIP graph is being captured from the instance. Nothing may wait or allocate then.
template <class ExecutionSpace>
bool is_captured([[maybe_unused]] const ExecutionSpace& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(exec.cuda_stream(), &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::HIP>) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    return hipStreamIsCapturing(exec.hip_stream(), &status) != hipSuccess || status != hipStreamCaptureStatusNone;
  }
#endif
  return false;
}

}  // namespace Tessera::Impl
