// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "AllocateCsr.hpp"

/// Functions that access a format only through for_each_entry(), which visits the entries of a row.
namespace Tessera::Impl {

/// Returns the map that gives each place of a format its canonical entry. Format and canonical rows visit a row in
/// ascending columns, so a running count is the index of the entry. Places without an entry get ValueMap::no_source.
template <class ExecutionSpace, class Pattern>
static ValueMap<typename ExecutionSpace::memory_space> map_from_rows(const ExecutionSpace& exec,
                                                                     const CsrPattern<Offset>& rows,
                                                                     const Pattern& format, std::size_t nonzeros,
                                                                     std::size_t places) {
  using Map = ValueMap<typename ExecutionSpace::memory_space>;
  Map map;
  map.slots = allocate<decltype(map.slots)>(exec, "Tessera::slots", places);
  if (places > nonzeros) Kokkos::deep_copy(exec, map.slots, Map::no_source);
  const auto slots = map.slots;
  Kokkos::parallel_for(
      "Tessera::map_from_rows", IndexPolicy<ExecutionSpace>(exec, 0, rows.rows), KOKKOS_LAMBDA(std::size_t row) {
        Offset entry = rows.row_offsets[row];
        for_each_entry(format, static_cast<Ordinal>(row), [&](Ordinal, Offset place) { slots(place) = entry++; });
      });
  return map;
}

/// Converts a format to canonical rows. The map gives each value's place in the format.
template <class ExecutionSpace, class Pattern>
static BuiltCsr<typename ExecutionSpace::memory_space> rows_of_format(const ExecutionSpace& exec, const Pattern& format,
                                                                      std::size_t nonzeros) {
  using Memory = typename ExecutionSpace::memory_space;
  BuiltCsr<Memory> result;
  const auto rows = static_cast<std::size_t>(format.rows);
  result.pattern = allocate_csr(exec, format.rows, format.columns, nonzeros);
  result.values.slots = allocate<decltype(result.values.slots)>(exec, "Tessera::slots", nonzeros);
  const auto row_offsets = result.pattern.row_offsets;
  const auto columns = result.pattern.column_indices;
  const auto slots = result.values.slots;
  Kokkos::parallel_for(
      "Tessera::rows_of_format::count", IndexPolicy<ExecutionSpace>(exec, 0, rows), KOKKOS_LAMBDA(std::size_t row) {
        Offset count = 0;
        for_each_entry(format, static_cast<Ordinal>(row), [&](Ordinal, Offset) { ++count; });
        row_offsets(row + 1) = count;
      });
  counts_to_offsets(exec, row_offsets);
  Kokkos::parallel_for(
      "Tessera::rows_of_format::fill", IndexPolicy<ExecutionSpace>(exec, 0, rows), KOKKOS_LAMBDA(std::size_t row) {
        Offset entry = row_offsets(row);
        for_each_entry(format, static_cast<Ordinal>(row), [&](Ordinal column, Offset place) {
          columns(entry) = column;
          slots(entry++) = place;
        });
      });
  return result;
}

}  // namespace Tessera::Impl
