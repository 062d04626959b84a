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

/// The same for a kernel that begins with wait_for_previous_kernels() (ptx/Launch.cuh): it may be set up while the one
/// in front of it on the stream still runs. Compiled for a compute capability below 9.0 it cannot wait, and starts as
/// others.
/// NOTE: without that beginning results are wrong on a GPU alone: emulated kernels run one after the other.
template <class... Parameters, class... Arguments>
void launch_early(const char* what, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t shared_bytes,
                  Stream stream, const Arguments&... arguments) {
#ifndef TESSERA_CUDA_EMULATED
  cudaFuncAttributes compiled;
  check(cudaFuncGetAttributes(&compiled, reinterpret_cast<const void*>(kernel)), what);
  if (compiled.ptxVersion >= 90) {
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    return check(cudaLaunchKernelEx(&config, kernel, arguments...), what);
  }
#endif
  launch(what, kernel, blocks, threads, shared_bytes, stream, arguments...);
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
