// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/metrics/Imbalance.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

namespace Tessera::Impl {

template <class ExecutionSpace>
double imbalance(const ExecutionSpace& exec,
                 const Impl::Array<Offset*, typename ExecutionSpace::memory_space>& offsets) {
  if (offsets.extent(0) < 2) return 0;
  const std::size_t units = offsets.extent(0) - 1;
  const double mean =
      static_cast<double>(Impl::read_element(exec, offsets.data() + units)) / static_cast<double>(units);
  double sum = 0;
  Kokkos::parallel_reduce(
      "Tessera::imbalance", Impl::IndexPolicy<ExecutionSpace>(exec, 0, units),
      KOKKOS_LAMBDA(std::size_t unit, double& deviations) {
        const double deviation = static_cast<double>(offsets(unit + 1) - offsets(unit)) - mean;
        deviations += deviation < 0 ? -deviation : deviation;
      },
      sum);
  exec.fence("Tessera::imbalance");
  return sum / static_cast<double>(units);
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template double imbalance(const Exec&, const Impl::Array<Offset*, Exec::memory_space>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
