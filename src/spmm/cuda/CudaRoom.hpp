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

/// Bytes that what the kernels keep beside a format may take: within the limit, where there is one, as long as so much
/// is free; half of what is free elsewhere. A share of what is free under a limit, too, would make plans depend on what
/// other programs hold.
inline std::size_t room_for_copies(const Kokkos::Cuda& exec, const PlanOptions& options) {
  const std::size_t free = free_device_bytes(exec);
  return options.memory_limit == no_memory_limit ? free / 2 : std::min(options.memory_limit, free);
}

}  // namespace Tessera::Impl
