// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// Whether work that two instances are given runs in order. Two instances of Kokkos::Cuda on the same stream count as
/// one here; Kokkos considers them different.
template <class ExecutionSpace>
bool are_one_queue(const ExecutionSpace& a, const ExecutionSpace& b) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>)
    return a.cuda_stream() == b.cuda_stream() && a.cuda_device() == b.cuda_device();
#endif
  return a == b;
}

}  // namespace Tessera::Impl
