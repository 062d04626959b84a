// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// Returns whether work on two instances runs in the order in which it was submitted. True for two instances of
/// Kokkos::Cuda on the same stream; Kokkos considers these different.
template <class ExecutionSpace>
bool are_one_queue(const ExecutionSpace& a, const ExecutionSpace& b) {
  if (a == b) return true;
#ifdef KOKKOS_ENABLE_CUDA
  // cuda_stream() calls cudaSetDevice().
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>)
    return a.cuda_device() == b.cuda_device() && a.cuda_stream() == b.cuda_stream();
#endif
  return false;
}

}  // namespace Tessera::Impl
