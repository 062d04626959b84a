// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <tessera/common/Types.hpp>
#include <vector>

/// Helpers for code that builds arrays.
namespace Tessera::Impl {

/// A policy for items of about the same cost, such as entries or rows.
template <class ExecutionSpace>
using IndexPolicy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>;

/// A policy for windows of rows, some of which have many times the entries of others.
template <class ExecutionSpace>
using WindowPolicy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Ordinal>>;

/// Allocates an array that is not initialized.
template <class ViewType, class ExecutionSpace>
ViewType allocate(const ExecutionSpace& exec, const std::string& label, std::size_t size) {
  return ViewType(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
}

/// Copies one element of device memory to the host. Waits for `exec`.
template <class ExecutionSpace, class T>
T read_element(const ExecutionSpace& exec, const T* address) {
  T value{};
  Kokkos::deep_copy(
      exec, Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value),
      Kokkos::View<const T, typename ExecutionSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(address));
  exec.fence("Tessera::read_element");
  return value;
}

/// Copies a small table to the host. Waits for `exec`.
template <class ViewType, class ExecutionSpace>
auto host_copy(const ExecutionSpace& exec, const ViewType& device) {
  using Element = typename ViewType::non_const_value_type;
  std::vector<Element> host(device.extent(0));
  if (host.empty()) return host;
  Kokkos::deep_copy(
      exec,
      Kokkos::View<Element*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(host.data(), host.size()),
      device);
  exec.fence("Tessera::host_copy");
  return host;
}

/// Copies a small table of the host to the memory of `exec`. Waits for `exec`.
template <class ExecutionSpace, class T>
Kokkos::View<T*, typename ExecutionSpace::memory_space> device_copy(const ExecutionSpace& exec,
                                                                    const std::string& label,
                                                                    const std::vector<T>& host) {
  const auto device = allocate<Kokkos::View<T*, typename ExecutionSpace::memory_space>>(exec, label, host.size());
  if (host.empty()) return device;
  Kokkos::deep_copy(
      exec, device,
      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(host.data(), host.size()));
  exec.fence("Tessera::device_copy");
  return device;
}

/// Turns the counts in offsets(1), offsets(2), ... into offsets, in place; offsets(0) becomes 0.
template <class ExecutionSpace, class Offsets>
static void counts_to_offsets(const ExecutionSpace& exec, const Offsets& offsets) {
  using Offset = typename Offsets::value_type;
  Kokkos::parallel_scan(
      "Tessera::counts_to_offsets", IndexPolicy<ExecutionSpace>(exec, 0, offsets.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, Offset & sum, bool final) {
        sum += i == 0 ? Offset(0) : offsets(i);
        if (final) offsets(i) = sum;
      });
}

}  // namespace Tessera::Impl
