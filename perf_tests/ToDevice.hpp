// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <vector>

namespace Tessera::Benchmarks {

/// Host elements, converted to T, in the memory of the default device.
template <class T, class Source>
auto to_device(const std::vector<Source>& source) {
  using Device = Kokkos::DefaultExecutionSpace::device_type;
  Kokkos::View<T*, Device> device(Kokkos::view_alloc(Kokkos::WithoutInitializing, "to_device"), source.size());
  const auto host = Kokkos::create_mirror_view(device);
  std::transform(source.begin(), source.end(), host.data(), [](Source value) { return static_cast<T>(value); });
  Kokkos::deep_copy(device, host);
  return device;
}

}  // namespace Tessera::Benchmarks
