// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <tessera/cuda/Stream.hpp>

#include "Operands.hpp"
#include "PerDevice.cuh"

/// The only code that starts kernels. If TESSERA_CUDA_EMULATED is defined, a host compiler compiles this layer for
/// tests, and kernels run on the host (unit_tests/cuda/emulation).
namespace Tessera::Impl::Cuda {

inline cudaLaunchConfig_t launch_config(dim3 blocks, dim3 threads, std::size_t shared_bytes, Stream stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return config;
}

/// Starts a kernel with shared_bytes bytes of dynamic_memory(). Throws std::runtime_error if the kernel cannot start;
/// the message begins with `what`. Errors of earlier calls are ignored.
template <class... Parameters, class... Arguments>
void launch(const char* what, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t shared_bytes,
            Stream stream, const Arguments&... arguments) {
  const cudaLaunchConfig_t config = launch_config(blocks, threads, shared_bytes, stream);
  check(cudaLaunchKernelEx(&config, kernel, arguments...), what);
}

/// Starts a kernel that may begin while the previous kernel on the stream still runs. All its threads call
/// wait_for_previous_kernels(). Before that they write nothing, and read only what was in memory when the host launched
/// the kernel: the pattern and the schedule of a plan, but not A's values. A kernel that is compiled for a compute
/// capability below 9.0 cannot wait, and starts like any other. NOTE: emulated kernels run one after another, so tests
/// with emulation notice only a wait that is missing.
template <auto kernel, class... Arguments>
void launch_early(const char* what, dim3 blocks, dim3 threads, std::size_t shared_bytes, Stream stream,
                  const Arguments&... arguments) {
  cudaLaunchConfig_t config = launch_config(blocks, threads, shared_bytes, stream);
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early;
  config.numAttrs = is_for_hopper<kernel>() ? 1 : 0;
#ifdef TESSERA_CUDA_EMULATED
  const Emulation::ExpectWaits expected;
#endif
  check(cudaLaunchKernelEx(&config, kernel, arguments...), what);
}

/// Starts a kernel early in which each warp multiplies an item by a slab of columns. The warps of a block have adjacent
/// items and the same slab. All slabs of the same items are adjacent in the grid, so tiles are read from memory once.
template <class Policy, auto kernel, class Arguments>
void launch_items(const char* what, std::size_t shared_bytes, Stream stream, const Arguments& arguments) {
  const std::size_t groups = ceil_divide<std::size_t>(arguments.schedule.item_count, Policy::block_warps);
  launch_early<kernel>(what, launch_count(groups * arguments.slabs), 32 * Policy::block_warps, shared_bytes, stream,
                       arguments);
}

/// Waits until the previous kernels on the stream have ended and their results are in memory. Only kernels that
/// launch_early started need this.
__device__ inline void wait_for_previous_kernels() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#elif defined(TESSERA_CUDA_EMULATED)
  Emulation::Block::running().thread().has_waited = true;
#endif
}

/// Lets a next kernel that launch_early starts begin as soon as all blocks of this kernel have called this function or
/// ended. The next kernel still waits for the results of this one. Threads call it when little is left to do; the first
/// one counts for its block. Blocks that begin earlier wait on the multiprocessors that happen to have room, and are
/// later missing on the others: a product with few blocks then took 1.5 times as long.
__device__ inline void let_next_kernel_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Returns the dynamic shared memory of a block, aligned to 16 bytes. The launch sets its size.
__device__ inline std::byte* dynamic_memory() {
#ifdef TESSERA_CUDA_EMULATED
  return static_cast<std::byte*>(Emulation::Block::running().shared_memory());
#else
  extern __shared__ uint4 dynamic_shared_memory[];
  return reinterpret_cast<std::byte*>(dynamic_shared_memory);
#endif
}

}  // namespace Tessera::Impl::Cuda
