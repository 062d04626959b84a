// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/KeyedSlots.hpp>
#include <tessera/reorder/DegreeSort.hpp>

namespace Tessera::Impl {

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> degree_sort(const ExecutionSpace& exec,
                                                               const CsrPattern<Offset>& A) {
  Impl::SlotSort<ExecutionSpace, Ordinal> rows(exec, static_cast<std::size_t>(A.rows));
  const auto keys = rows.keys;
  const auto slots = rows.slots;
  const auto longest = static_cast<std::uint64_t>(A.columns);  // no row of a canonical pattern is longer
  Kokkos::parallel_for(
      "Tessera::degree_sort", Impl::IndexPolicy<ExecutionSpace>(exec, 0, rows.keys.extent(0)),
      KOKKOS_LAMBDA(std::size_t row) {
        keys(row) = longest - std::uint64_t(A.row_offsets[row + 1] - A.row_offsets[row]);
        slots(row) = static_cast<Ordinal>(row);
      });
  return {rows.sort(exec, Impl::key_bits(A.columns))};
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template Permutation<Exec::memory_space> degree_sort(const Exec&, const CsrPattern<Offset>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
