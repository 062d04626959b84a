// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#ifdef TESSERA_CUDA_EMULATED
#include <ptx/Load.hpp>  // of unit_tests/cuda/emulation
#else

namespace Tessera::Impl::Cuda {

/// Loads 16 bytes of memory that the kernel does not write, at exactly this point of the program. The compiler may move
/// an ordinary load past a branch to the use of its value; then it no longer overlaps with earlier loads.
__device__ __forceinline__ uint4 load_now_16(const void* pointer) {
  uint4 words;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(pointer));
  return words;
}

/// Does the same for memory that is read once.
__device__ __forceinline__ uint4 load_now_once_16(const void* pointer) {
  uint4 words;
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(pointer));
  return words;
}

/// Does the same for 8 bytes.
__device__ __forceinline__ uint2 load_now_once_8(const void* pointer) {
  uint2 words;
  asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "l"(pointer));
  return words;
}

/// Returns base + index * stride, computed in one instruction.
__device__ __forceinline__ const void* stepped(const void* base, std::uint32_t index, std::uint32_t stride) {
  const void* pointer;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(pointer) : "r"(index), "r"(stride), "l"(base));
  return pointer;
}

}  // namespace Tessera::Impl::Cuda

#endif
