// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <vector>

/// Arrays for calls of the library, on Kokkos' default backend.
namespace Tessera::Bench {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
template <class T>
using Array = Impl::Array<T*, Memory>;

template <class T>
Array<T> to_space(const std::vector<T>& host) {
  return Impl::device_copy(Space(), "array", host);
}

template <class T>
std::vector<T> to_host(const Array<T>& array) {
  return Impl::host_copy(Space(), array);
}

}  // namespace Tessera::Bench
