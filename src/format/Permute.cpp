// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/format/Permute.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/Teams.hpp>
#include <utility>

#include "AllocateCsr.hpp"
#include "SortedKeys.hpp"

namespace Tessera::Impl {

/// Copies the columns of each row to the row's new place, and notes where their values are. The lanes of a thread copy
/// a row together.
template <class Exec>
struct PermuteRows {
  using Memory = typename Exec::memory_space;

  CsrPattern<Offset> A;
  Array<Ordinal*, Memory> order;
  Ordinal team_rows;
  decltype(Csr<Memory>::row_offsets) offsets;
  decltype(Csr<Memory>::column_indices) columns;
  decltype(ValueMap<Memory>::slots) slots;

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team) const {
    const Ordinal first = team.league_rank() * team_rows, left = A.rows - first;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, left < team_rows ? left : team_rows), [&](Ordinal i) {
      const Offset begin = offsets(first + i), source = A.row_offsets[order(first + i)];
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, offsets(first + i + 1) - begin), [&](Offset k) {
        columns(begin + k) = A.column_indices[source + k];
        slots(begin + k) = source + k;
      });
    });
  }
};

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> permute_rows(
    const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
    const Impl::Array<Ordinal*, typename ExecutionSpace::memory_space>& order) {
  BuiltCsr<typename ExecutionSpace::memory_space> result;
  const auto rows = static_cast<std::size_t>(A.rows);
  result.pattern = Impl::allocate_csr(exec, A.rows, A.columns, nonzeros);
  const auto offsets = result.pattern.row_offsets;
  const auto columns = result.pattern.column_indices;
  const auto slots = Impl::allocate<decltype(result.values.slots)>(exec, "Tessera::ValueMap::slots", nonzeros);
  Kokkos::parallel_for(
      "Tessera::permute_rows::count", Impl::IndexPolicy<ExecutionSpace>(exec, 0, rows),
      KOKKOS_LAMBDA(std::size_t row) { offsets(row + 1) = A.row_offsets[order(row) + 1] - A.row_offsets[order(row)]; });
  Impl::counts_to_offsets(exec, offsets);
  if (A.rows > 0) {
    const Impl::TeamShape shape{256, Impl::lanes_for(static_cast<double>(nonzeros) / A.rows)};
    const Ordinal team_rows = Impl::is_host_space<ExecutionSpace> ? 64 : shape.lanes / shape.thread_lanes;
    Kokkos::parallel_for("Tessera::permute_rows", Impl::teams(exec, Impl::window_count(A.rows, team_rows), 0, shape),
                         PermuteRows<ExecutionSpace>{A, order, team_rows, offsets, columns, slots});
  }
  result.values.slots = slots;
  return result;
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> permute_columns(
    const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
    const Impl::Array<Ordinal*, typename ExecutionSpace::memory_space>& order) {
  const auto places = Impl::allocate<Impl::Array<Ordinal*, typename ExecutionSpace::memory_space>>(
      exec, "Tessera::places", order.extent(0));
  Kokkos::parallel_for(
      "Tessera::permute_columns::places", Impl::IndexPolicy<ExecutionSpace>(exec, 0, order.extent(0)),
      KOKKOS_LAMBDA(std::size_t place) { places(order(place)) = static_cast<Ordinal>(place); });
  Impl::KeyedSlots<ExecutionSpace, Offset> entries(exec, nonzeros);
  const Impl::EntryKeys set_key(entries, A.columns);
  Kokkos::parallel_for(
      "Tessera::permute_columns", Impl::WindowPolicy<ExecutionSpace>(exec, 0, A.rows), KOKKOS_LAMBDA(Ordinal row) {
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          set_key(k, row, places(A.column_indices[k]));
        }
      });
  return Impl::csr_of_entries(exec, A.rows, A.columns, std::move(entries));
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                   \
  template BuiltCsr<Exec::memory_space> permute_rows(const Exec&, const CsrPattern<Offset>&, std::size_t,    \
                                                     const Impl::Array<Ordinal*, Exec::memory_space>&);      \
  template BuiltCsr<Exec::memory_space> permute_columns(const Exec&, const CsrPattern<Offset>&, std::size_t, \
                                                        const Impl::Array<Ordinal*, Exec::memory_space>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
