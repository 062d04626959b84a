// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/reorder/Permutation.hpp>

#include "ColumnSets.hpp"

namespace Tessera::Impl {

/// Enters a column into an open hash table whose free places hold -1: whether it is new. The table has a free place.
KOKKOS_INLINE_FUNCTION bool insert_column(Ordinal* table, std::uint64_t size, Ordinal column) {
  std::uint64_t place = (std::uint64_t(std::uint32_t(column) * 0x9e3779b9u) * size) >> 32;
  while (table[place] != -1) {
    if (table[place] == column) return false;
    if (++place == size) place = 0;
  }
  table[place] = column;
  return true;
}

/// Distinct block columns, `width` columns each, in all windows of `height` rows of A in an order.
///
/// Cost: time proportional to the entries; for each entry two Ordinals of memory while it runs.
template <class ExecutionSpace, class Offset>
static std::size_t count_window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                        const Permutation<typename ExecutionSpace::memory_space>& p, Ordinal height,
                                        Ordinal width) {
  using Memory = typename ExecutionSpace::memory_space;
  const auto order = p.order;
  const bool reordered = !p.is_identity();
  const Ordinal windows = window_count(A.rows, height);
  // Of each window, where its table begins: twice its entries.
  const auto tables = allocate<Kokkos::View<std::size_t*, Memory>>(exec, "Tessera::tables", std::size_t(windows) + 1);
  Kokkos::parallel_for(
      "Tessera::count_window_columns::entries", WindowPolicy<ExecutionSpace>(exec, 0, windows),
      KOKKOS_LAMBDA(Ordinal window) {
        std::size_t entries = 0;
        for (Ordinal r = 0; r < height && r < A.rows - window * height; ++r) {
          const Ordinal row = reordered ? order(window * height + r) : window * height + r;
          entries += std::size_t(A.row_offsets[row + 1] - A.row_offsets[row]);
        }
        tables(window + 1) = 2 * entries;
      });
  counts_to_offsets(exec, tables);
  const auto table = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::table",
                                                              read_element(exec, tables.data() + std::size_t(windows)));
  std::size_t count = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_window_columns", WindowPolicy<ExecutionSpace>(exec, 0, windows),
      KOKKOS_LAMBDA(Ordinal window, std::size_t & sum) {
        Ordinal* const begin = table.data() + tables(window);
        const std::size_t size = tables(window + 1) - tables(window);
        for (std::size_t i = 0; i < size; ++i) begin[i] = -1;
        for (Ordinal r = 0; r < height && r < A.rows - window * height; ++r) {
          const Ordinal row = reordered ? order(window * height + r) : window * height + r;
          auto walk = RowColumns<Offset>{A, width}.walk(row);
          for (Ordinal column; walk.advance(column);) sum += insert_column(begin, size, column);
        }
      },
      count);
  exec.fence("Tessera::count_window_columns");
  return count;
}

}  // namespace Tessera::Impl
