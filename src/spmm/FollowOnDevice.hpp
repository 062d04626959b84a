// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/WatchedArray.hpp>
#include <tessera/format/ValueMap.hpp>

/// Checks values, and copies them if they have changed, by kernels that are written for a device. These start faster
/// than portable kernels, which matters because most checks find no change. Devices without them use the functions
/// below, which do nothing and return false.
namespace Tessera::Impl {

template <class ExecutionSpace>
bool look_on_device(const ExecutionSpace&, const void*, std::size_t, WatchedArray*) {
  return false;
}

template <class ExecutionSpace, class Scalar>
bool gather_on_device(const ExecutionSpace&, const GatherValue<Scalar>&, std::size_t, const std::uint32_t*) {
  return false;
}

}  // namespace Tessera::Impl

#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "gpu/CudaFollow.hpp"
#endif
