// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/parallel/Teams.hpp>

/// Hash tables of columns with open addressing, one table for each team. Free places hold -1.
namespace Tessera::Impl {

struct TablePlace {
  std::size_t place;
  bool is_new;
};

/// Returns the place where the search for a column begins.
KOKKOS_INLINE_FUNCTION std::size_t first_place(Ordinal column, std::size_t size) {
  const std::uint64_t hash = static_cast<std::uint32_t>(column) * std::uint32_t(0x9e3779b1u);
  return static_cast<std::size_t>((hash * size) >> 32);
}

/// Returns the place of a column that is in the table.
KOKKOS_INLINE_FUNCTION std::size_t find_column(const Ordinal* table, std::size_t size, Ordinal column) {
  std::size_t place = first_place(column, size);
  while (table[place] != column) {
    if (++place == size) place = 0;
  }
  return place;
}

/// Inserts a column unless it is in the table, and returns its place. The table must have a free place. On a device,
/// threads may insert columns concurrently; exactly one of them is told that a column is new.
template <class ExecutionSpace>
KOKKOS_INLINE_FUNCTION TablePlace enter_column(Ordinal* table, std::size_t size, Ordinal column) {
  for (std::size_t place = first_place(column, size);; place = place + 1 == size ? 0 : place + 1) {
    Ordinal found = -1;
    if constexpr (is_host_space<ExecutionSpace>) {
      found = table[place];
      if (found == -1) table[place] = column;
    } else {
      found = Kokkos::atomic_load(&table[place]);
      if (found == -1) found = Kokkos::atomic_compare_exchange(&table[place], Ordinal(-1), column);
    }
    if (found == -1 || found == column) return {place, found == -1};
  }
}

}  // namespace Tessera::Impl
