// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

/// The loads of src/cuda/ptx/Load.cuh.
namespace Tessera::Impl::Cuda {

inline uint4 load_now_16(const void* pointer) { return __ldg(static_cast<const uint4*>(pointer)); }

inline uint4 load_now_once_16(const void* pointer) { return __ldcs(static_cast<const uint4*>(pointer)); }

inline uint2 load_now_once_8(const void* pointer) { return __ldcs(static_cast<const uint2*>(pointer)); }

inline const void* stepped(const void* base, std::uint32_t index, std::uint32_t stride) {
  return static_cast<const std::byte*>(base) + std::uint64_t(index) * stride;
}

}  // namespace Tessera::Impl::Cuda
