// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "HostPattern.hpp"

/// Copies small matrices to a device and back.
namespace Tessera::Impl::Test {

/// Copies `host` to the memory of an execution space.
template <class ExecutionSpace, class T>
auto to_device(const std::vector<T>& host) {
  Kokkos::View<T*, typename ExecutionSpace::memory_space> device(
      Kokkos::view_alloc("device", Kokkos::WithoutInitializing), host.size());
  using Unmanaged = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  if (!host.empty()) Kokkos::deep_copy(device, Unmanaged(host.data(), host.size()));
  return device;
}

template <class View>
auto to_host(const View& device) {
  std::vector<typename View::non_const_value_type> host(device.extent(0));
  using Unmanaged =
      Kokkos::View<typename View::non_const_value_type*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  if (!host.empty()) Kokkos::deep_copy(Unmanaged(host.data(), host.size()), device);
  return host;
}

/// A pattern on the device, and a raw view of it.
template <class ExecutionSpace, class Offset>
struct DevicePattern {
  using Memory = typename ExecutionSpace::memory_space;
  int rows, columns;
  Kokkos::View<Offset*, Memory> row_offsets;
  Kokkos::View<int*, Memory> column_indices;

  explicit DevicePattern(const HostPattern<Offset>& host)
      : rows(host.rows),
        columns(host.columns),
        row_offsets(to_device<ExecutionSpace>(host.row_offsets)),
        column_indices(to_device<ExecutionSpace>(host.column_indices)) {}
  CsrPattern<Offset> view() const { return {rows, columns, row_offsets.data(), column_indices.data()}; }
};

}  // namespace Tessera::Impl::Test
