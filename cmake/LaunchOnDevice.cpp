// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest program for a device: if it does not compile, the configuration is at fault, not Tessera.
#include <Kokkos_Core.hpp>

using Device = Kokkos::DefaultExecutionSpace;
static_assert(!Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device::memory_space>::accessible);

double sum_of_doubled(const Device& exec, const Kokkos::View<double*, Device>& values) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy(exec, 0, values.extent_int(0)), KOKKOS_LAMBDA(int i) { values(i) *= 2; });
  double sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy(exec, 0, values.extent_int(0)), KOKKOS_LAMBDA(int i, double& part) { part += values(i); },
      sum);
  return sum;
}
