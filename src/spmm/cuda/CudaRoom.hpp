// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/spmm/PlanOptions.hpp>

namespace Tessera::Impl {

/// Bytes that what the kernels keep beside a format may take: within the limit, and half of what is free.
inline std::size_t room_for_copies(const Kokkos::Cuda& exec, const PlanOptions& options) {
  int before = 0;
  std::size_t free = 0, total = 0;
  cudaGetDevice(&before);
  cudaSetDevice(exec.cuda_device());
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
  cudaSetDevice(before);
  return std::min(options.memory_limit, free / 2);
}

}  // namespace Tessera::Impl
