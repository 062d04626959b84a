// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// Whether a graph is being captured from an instance. Nothing may wait or allocate then, nor while it is unknown.
enum class Capture { None, Active, Unknown };

/// Asks CUDA or HIP. Graphs that SYCL records are not noticed.
template <class ExecutionSpace>
Capture capture_of([[maybe_unused]] const ExecutionSpace& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(exec.cuda_stream(), &status) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // another stream is captured, and this one waits for it
      return Capture::Unknown;
    }
    return status == cudaStreamCaptureStatusNone ? Capture::None : Capture::Active;
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::HIP>) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    if (hipStreamIsCapturing(exec.hip_stream(), &status) != hipSuccess) {
      static_cast<void>(hipGetLastError());
      return Capture::Unknown;
    }
    return status == hipStreamCaptureStatusNone ? Capture::None : Capture::Active;
  }
#endif
  return Capture::None;
}

}  // namespace Tessera::Impl
