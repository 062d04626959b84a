// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest program of this kind: when it does not compile, the configuration is at fault and not Tessera.
#include <Kokkos_Core.hpp>

static_assert(Kokkos::is_execution_space_v<Kokkos::Cuda>);
static_assert(std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::Cuda>);

double sum_of_doubled(const Kokkos::Cuda& exec, const Kokkos::View<double*, Kokkos::CudaSpace>& values) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy(exec, 0, values.extent_int(0)), KOKKOS_LAMBDA(int i) { values(i) *= 2; });
  double sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy(exec, 0, values.extent_int(0)), KOKKOS_LAMBDA(int i, double& part) { part += values(i); },
      sum);
  return sum;
}
