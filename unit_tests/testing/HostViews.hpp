// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

namespace Tessera::Impl::Test {

/// The first elements of a vector as a View.
template <class T>
Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host_view(std::vector<T>& elements,
                                                                                       std::size_t count) {
  return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(elements.data(), count);
}
/// All elements.
template <class T>
auto host_view(std::vector<T>& elements) {
  return host_view(elements, elements.size());
}

}  // namespace Tessera::Impl::Test
