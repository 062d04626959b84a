// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "Intrinsics.hpp"
#include "Runtime.hpp"

// Replaces the headers of the CUDA runtime and nvcc's built-ins when a host compiler compiles the sources of the layer
// cuda: kernels run on the host, synchronously, one thread at a time (Block.hpp). src/cuda/launch/Launch.cuh and
// src/cuda/ptx are the counterparts.
//
// Effects of timing are not emulated. Threads run in one of many possible orders, and thread blocks one after another;
// copies finish when a thread waits for them; registers, banks and multiprocessors have no limits. Tensor cores sum in
// double precision. Static shared arrays keep the content of the last thread block.

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

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrMaxSharedMemoryPerBlockOptin
};
enum { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };
enum { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100 };

inline cudaError_t cudaGetLastError() {
  return Tessera::Impl::Emulation::Runtime::instance().take_last_error<cudaError_t>();
}
inline const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorInvalidValue";
}
inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "invalid argument";
}

inline cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  *pointer = Tessera::Impl::Emulation::Memory::device().allocate(bytes);
  return Tessera::Impl::Emulation::Runtime::instance().remember(*pointer == nullptr ? cudaErrorMemoryAllocation
                                                                                    : cudaSuccess);
}
inline cudaError_t cudaFree(void* pointer) {
  Tessera::Impl::Emulation::Memory::device().release(pointer);
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

// One device with two multiprocessors of one thread block each, so persistent blocks get several tasks.
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  Tessera::Impl::Emulation::Runtime::instance().count_question();
  *value = attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? Tessera::Impl::Emulation::Runtime::block_bytes
           : attribute == cudaDevAttrComputeCapabilityMajor     ? 9
                                                                : 2;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, int attribute, int value) {
  auto& runtime = Tessera::Impl::Emulation::Runtime::instance();
  runtime.count_question();
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value > Tessera::Impl::Emulation::Runtime::block_bytes) return runtime.remember(cudaErrorInvalidValue);
  runtime.allow_shared_memory(reinterpret_cast<const void*>(kernel), value);
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int, std::size_t) {
  Tessera::Impl::Emulation::Runtime::instance().count_question();
  *blocks = 1;
  return cudaSuccess;
}

// Kernels start after earlier kernels have finished, as on GPUs before Hopper.
struct cudaFuncAttributes {
  int ptxVersion;
};
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel*) {
  Tessera::Impl::Emulation::Runtime::instance().count_question();
  attributes->ptxVersion = 80;
  return cudaSuccess;
}
enum cudaLaunchAttributeID { cudaLaunchAttributeProgrammaticStreamSerialization };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  auto& runtime = Tessera::Impl::Emulation::Runtime::instance();
  if (!runtime.has_shared_memory(reinterpret_cast<const void*>(kernel), config->dynamicSmemBytes)) {
    return runtime.remember(cudaErrorInvalidValue);
  }
  Tessera::Impl::Emulation::Block::running().launch(config->gridDim, config->blockDim, config->dynamicSmemBytes,
                                                    [&] { kernel(arguments...); });
  return cudaSuccess;
}
