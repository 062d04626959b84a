// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

namespace Tessera::Impl::Test {

/// Returns two instances whose kernels may run at the same time, or none on Kokkos::Threads, which has only one.
template <class Exec>
std::vector<Exec> two_instances() {
#ifdef KOKKOS_ENABLE_THREADS
  if constexpr (std::is_same_v<Exec, Kokkos::Threads>) return {};
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  // partition_space() returns the default instance twice, unless nested parallel regions are enabled.
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) return {Exec(1), Exec(1)};
#endif
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  return {instances.begin(), instances.end()};
}

}  // namespace Tessera::Impl::Test
