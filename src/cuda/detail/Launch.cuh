// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <tessera/cuda/Stream.hpp>

#include "Check.cuh"

/// The only place that starts kernels. Where TESSERA_CUDA_EMULATED is defined, a host compiler compiles the layer for
/// tests, and kernels run on the host (unit_tests/cuda/emulation).
namespace Tessera::Cuda {

/// Starts a kernel; throws std::runtime_error, with `what`, if that is not possible. shared_bytes: of dynamic_memory().
template <class... Parameters, class... Arguments>
void launch(const char* what, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t shared_bytes,
            Stream stream, const Arguments&... arguments) {
#ifdef TESSERA_CUDA_EMULATED
  static_cast<void>(stream);
  Emulation::Block::running().launch(blocks, threads, shared_bytes, [&] { kernel(arguments...); });
#else
  // clang-format off
  kernel<<<blocks, threads, shared_bytes, stream>>>(arguments...);
  // clang-format on
#endif
  check(cudaGetLastError(), what);
}

/// The shared memory of a block whose size the launch gave, aligned to 16 bytes.
__device__ inline std::byte* dynamic_memory() {
#ifdef TESSERA_CUDA_EMULATED
  return static_cast<std::byte*>(Emulation::Block::running().shared_memory());
#else
  extern __shared__ uint4 dynamic_shared_memory[];
  return reinterpret_cast<std::byte*>(dynamic_shared_memory);
#endif
}

}  // namespace Tessera::Cuda
