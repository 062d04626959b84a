// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

/// Arrays for calls of the library, on Kokkos' default backend.
namespace Tessera::Bench {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
template <class T>
using Array = Kokkos::View<T*, Memory>;

template <class T>
Array<T> to_space(const std::vector<T>& host) {
  const Array<T> array(Kokkos::view_alloc(Kokkos::WithoutInitializing, "array"), host.size());
  Kokkos::deep_copy(array, Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
  return array;
}

template <class T>
std::vector<T> to_host(const Array<T>& array) {
  std::vector<T> host(array.extent(0));
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(host.data(), host.size()), array);
  return host;
}

}  // namespace Tessera::Bench
