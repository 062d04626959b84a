// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/KeyedSlots.hpp>
#include <tessera/reorder/ColumnSort.hpp>

namespace Tessera::Impl {

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> column_sort(const ExecutionSpace& exec,
                                                               const CsrPattern<Offset>& A) {
  Impl::SlotSort<ExecutionSpace, Ordinal> columns(exec, static_cast<std::size_t>(A.columns));
  const auto keys = columns.keys;
  const auto slots = columns.slots;
  Kokkos::parallel_for(
      "Tessera::column_sort::start", Impl::IndexPolicy<ExecutionSpace>(exec, 0, columns.keys.extent(0)),
      KOKKOS_LAMBDA(std::size_t column) {
        keys(column) = 0;
        slots(column) = static_cast<Ordinal>(column);
      });
  Kokkos::parallel_for(
      "Tessera::column_sort::count", Impl::WindowPolicy<ExecutionSpace>(exec, 0, A.rows), KOKKOS_LAMBDA(Ordinal row) {
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k)
          Kokkos::atomic_inc(&keys(A.column_indices[k]));
      });
  return {columns.sort(exec, Impl::key_bits(A.rows))};
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template Permutation<Exec::memory_space> column_sort(const Exec&, const CsrPattern<Offset>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
