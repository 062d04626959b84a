// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/format/Csr.hpp>
#include <tessera/metrics/WindowColumns.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/WindowMerge.hpp>
#include <utility>

namespace Tessera {

namespace Impl {

/// The distinct columns of windows of A's rows, ascending, each window's where its first row begins in A: nobody need
/// count them before they are written.
template <class Offset>
struct WindowRows {
  Ordinal rows;  // windows
  Ordinal height;
  const Offset* row_offsets;  // of A
  const Offset* ends;         // of the windows
  const Ordinal* column_indices;
};
template <class Offset>
KOKKOS_INLINE_FUNCTION Offset begin_of_row(const WindowRows<Offset>& A, Ordinal window) {
  return A.row_offsets[window * A.height];
}
template <class Offset>
KOKKOS_INLINE_FUNCTION Offset end_of_row(const WindowRows<Offset>& A, Ordinal window) {
  return A.ends[window];
}

/// Where merged windows are written.
template <class Offset, class Memory>
struct WindowLists {
  Kokkos::View<Offset*, Memory> ends;
  Kokkos::View<Ordinal*, Memory> columns;

  template <class ExecutionSpace>
  WindowLists(const ExecutionSpace& exec, Ordinal windows, std::size_t nonzeros)
      : ends(allocate<decltype(ends)>(exec, "Tessera::WindowLists::ends", static_cast<std::size_t>(windows))),
        columns(allocate<decltype(columns)>(exec, "Tessera::WindowLists::columns", nonzeros)) {}
};

/// Merges Count windows at a time into one, and counts the columns of all.
template <int Count, class ExecutionSpace, class Offset, class Memory = typename ExecutionSpace::memory_space>
std::size_t merge_windows(const ExecutionSpace& exec, WindowRows<Offset>& windows,
                          const WindowLists<Offset, Memory>& lists) {
  const WindowRows<Offset> A = windows;
  std::size_t columns = 0;
  windows = {window_count(A.rows, Count), A.height * Count, A.row_offsets, lists.ends.data(), lists.columns.data()};
  Kokkos::parallel_reduce(
      "Tessera::merge_windows", WindowPolicy<ExecutionSpace>(exec, 0, windows.rows),
      KOKKOS_LAMBDA(Ordinal window, std::size_t & sum) {
        const Offset begin = begin_of_row(A, window * Count);
        Offset place = begin;
        merge_window<Count>(A, window * Count, [&](Ordinal column, unsigned) { lists.columns(place++) = column; });
        lists.ends(window) = place;
        sum += std::size_t(place - begin);
      },
      columns);
  exec.fence("Tessera::merge_windows");
  return columns;
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::array<WindowColumns, 5> window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                            std::size_t nonzeros) {
  std::array<WindowColumns, 5> result;
  using Lists = Impl::WindowLists<Offset, typename ExecutionSpace::memory_space>;
  Lists lists(exec, window_count(A.rows, 8), nonzeros), next(exec, window_count(A.rows, 16), nonzeros);
  Impl::WindowRows<Offset> merged{A.rows, 1, A.row_offsets, A.row_offsets + 1, A.column_indices};
  for (WindowColumns& windows : result) {
    const bool first = merged.height == 1;
    windows.columns = first ? Impl::merge_windows<8>(exec, merged, lists) : Impl::merge_windows<2>(exec, merged, lists);
    windows.window_rows = merged.height;
    if (windows.columns > 0) windows.reuse = static_cast<double>(nonzeros) / static_cast<double>(windows.columns);
    std::swap(lists, next);
  }
  return result;
}

#define TESSERA_INSTANTIATE(Exec, Offset) \
  template std::array<WindowColumns, 5> window_columns(const Exec&, const CsrPattern<Offset>&, std::size_t);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
