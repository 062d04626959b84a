// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

namespace Tessera::Test {

/// Instances whose kernels may run at the same time; none where the backend has no such, as Kokkos::Threads.
template <class Exec>
std::vector<Exec> two_instances() {
#ifdef KOKKOS_ENABLE_THREADS
  if constexpr (std::is_same_v<Exec, Kokkos::Threads>) return {};
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  // partition_space() gives the default one twice, unless parallel regions may be nested.
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) return {Exec(1), Exec(1)};
#endif
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  return {instances.begin(), instances.end()};
}

}  // namespace Tessera::Test
