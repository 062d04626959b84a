// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/spmm/PlanOptions.hpp>

namespace Tessera::Impl {

/// Bytes of the device's memory that can still be allocated.
inline std::size_t free_device_bytes(const Kokkos::Cuda& exec) {
  int before = 0;
  std::size_t free = 0, total = 0;
  cudaGetDevice(&before);
  cudaSetDevice(exec.cuda_device());
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
  cudaSetDevice(before);
  return free;
}

/// Bytes that what the kernels keep beside a format may take: within the limit, and half of what is free.
inline std::size_t room_for_copies(const Kokkos::Cuda& exec, const PlanOptions& options) {
  return std::min(options.memory_limit, free_device_bytes(exec) / 2);
}

}  // namespace Tessera::Impl
