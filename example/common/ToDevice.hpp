// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

namespace Example {

/// Copies elements of the host to the memory of the default backend.
template <class T>
auto to_device(const std::vector<T>& host) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::DefaultExecutionSpace(),
                                             Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
}

}  // namespace Example
