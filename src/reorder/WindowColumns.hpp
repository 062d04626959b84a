// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ColumnTable.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// Counts the distinct block columns of windows of rows, for an order of rows. One team counts each window.
template <class Exec>
struct CountWindowColumns {
  using Memory = typename Exec::memory_space;

  CsrPattern<Offset> A;
  Array<Ordinal*, Memory> order;  // empty for the present order of rows
  Ordinal height, width;
  Array<std::size_t*, Memory> tables;  // first place of each window's table, and the end
  Array<Ordinal*, Memory> table;

  KOKKOS_FUNCTION Ordinal row(Ordinal window, Ordinal r) const {
    return order.extent(0) > 0 ? order(window * height + r) : window * height + r;
  }
  KOKKOS_FUNCTION Ordinal rows_of(Ordinal window) const {
    return height < A.rows - window * height ? height : A.rows - window * height;
  }

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team, std::size_t& sum) const {
    const Ordinal window = team.league_rank();
    Ordinal* const begin = table.data() + tables(window);
    const std::size_t size = tables(window + 1) - tables(window);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size), [&](std::size_t place) { begin[place] = -1; });
    team.team_barrier();
    std::size_t found = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, rows_of(window)),
        [&](Ordinal r, std::size_t& of_thread) {
          const Offset first = A.row_offsets[row(window, r)];
          const auto entries = static_cast<std::size_t>(A.row_offsets[row(window, r) + 1] - first);
          std::size_t of_row = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, entries),
              [&](std::size_t k, std::size_t& of_lane) {
                const Ordinal column = A.column_indices[std::size_t(first) + k] / width;
                of_lane += enter_column<Exec>(begin, size, column).is_new;
              },
              of_row);
          of_thread += of_row;
        },
        found);
    Kokkos::single(Kokkos::PerTeam(team), [&] { sum += found; });
  }
};

/// Returns the number of distinct block columns of `width` columns, summed over windows of `height` rows.
///
/// Cost: time proportional to the entries, and memory for two Ordinals per entry.
template <class ExecutionSpace>
static std::size_t count_window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                        const Permutation<typename ExecutionSpace::memory_space>& p, Ordinal height,
                                        Ordinal width) {
  using Memory = typename ExecutionSpace::memory_space;
  const auto order = p.order;
  const bool reordered = !p.is_identity();
  const Ordinal windows = window_count(A.rows, height);
  // The table of a window has two places for each entry of the window.
  const auto tables = allocate<Array<std::size_t*, Memory>>(exec, "Tessera::tables", std::size_t(windows) + 1);
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
  const auto places = read_element(exec, tables.data() + std::size_t(windows));
  const auto table = allocate<Array<Ordinal*, Memory>>(exec, "Tessera::table", places);
  std::size_t count = 0;
  if (places == 0) return count;
  const TeamShape shape{256, lanes_for(static_cast<double>(places / 2) / A.rows)};
  Kokkos::parallel_reduce("Tessera::count_window_columns", teams(exec, windows, 0, shape),
                          CountWindowColumns<ExecutionSpace>{A, order, height, width, tables, table}, count);
  exec.fence("Tessera::count_window_columns");
  return count;
}

}  // namespace Tessera::Impl
