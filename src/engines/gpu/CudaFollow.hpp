// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/cuda/FollowValues.hpp>

#include "CudaDevice.hpp"
#include "CudaLaunches.hpp"

/// Included by FollowOnDevice.hpp.
namespace Tessera::Impl {

inline bool look_on_device(const Kokkos::Cuda& exec, const void* data, std::size_t bytes, WatchedArray* state) {
  if (!has_cuda_kernels(exec)) return false;
  const CudaLaunches launches("Tessera::watch_values", exec);
  Cuda::look_at_values(launches.stream(), data, bytes, state);
  return true;
}

template <class Scalar>
bool gather_on_device(const Kokkos::Cuda& exec, const GatherValue<Scalar>& gather, std::size_t size,
                      const std::uint32_t* wanted) {
  if (!has_cuda_kernels(exec)) return false;
  const CudaLaunches launches("Tessera::gather_values", exec);
  Cuda::gather_wanted_values(launches.stream(), gather, size, wanted);
  return true;
}

}  // namespace Tessera::Impl
