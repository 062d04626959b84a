// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/cuda/Device.hpp>

namespace Tessera::Impl {

/// What schedules go by of the GPU of an instance.
inline Cuda::Device device_of(const Kokkos::Cuda& exec) { return {exec.cuda_device_prop().multiProcessorCount}; }

}  // namespace Tessera::Impl
