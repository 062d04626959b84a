// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "Intrinsics.hpp"

// Stands in for the headers of the CUDA runtime, and for what nvcc knows itself, when a host compiler compiles the
// sources of the layer cuda: kernels run on the host, at once, a thread at a time (Block.hpp).
// src/cuda/detail/Launch.cuh and src/cuda/ptx have the other ends of it.
//
// Not emulated: what depends on time. Threads run in one order of the many that a GPU may choose, and blocks one after
// the other; copies are done when they are waited for; registers, banks and the sizes of multiprocessors have no
// limits. Tensor cores sum in double precision. Shared arrays of fixed size keep what the last block left in them.

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __shared__ static
#define __launch_bounds__(...)
#define __maxnreg__(...)

struct CUstream_st;
using cudaStream_t = CUstream_st*;

enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault };
enum { cudaDevAttrMultiProcessorCount, cudaDevAttrComputeCapabilityMajor };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };
enum { cudaSharedmemCarveoutMaxShared = 100 };

inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorName(cudaError_t) { return "cudaErrorMemoryAllocation"; }
inline const char* cudaGetErrorString(cudaError_t) { return "out of memory"; }

inline cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  *pointer = Tessera::Emulation::Memory::device().allocate(bytes);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline cudaError_t cudaFree(void* pointer) {
  Tessera::Emulation::Memory::device().release(pointer);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t) {
  std::memset(to, byte, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

// One device of two multiprocessors, each of which holds one block of any kernel: persistent blocks get several tasks.
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 2;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, int, int) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int, std::size_t) {
  *blocks = 1;
  return cudaSuccess;
}
