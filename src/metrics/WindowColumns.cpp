// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/format/Csr.hpp>
#include <tessera/metrics/WindowColumns.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/WindowMerge.hpp>

namespace Tessera {

namespace Impl {

/// A pattern with a row for each window of Height rows of A, which has the window's distinct columns.
template <int Height, class ExecutionSpace, class Offset>
Csr<Offset, typename ExecutionSpace::memory_space> merge_windows(const ExecutionSpace& exec,
                                                                 const CsrPattern<Offset>& A) {
  Csr<Offset, typename ExecutionSpace::memory_space> result;
  const Ordinal windows = window_count(A.rows, Height);
  const auto offsets =
      allocate<decltype(result.row_offsets)>(exec, "Tessera::merge_windows::offsets", windows + std::size_t(1));
  Kokkos::parallel_for(
      "Tessera::merge_windows::count", WindowPolicy<ExecutionSpace>(exec, 0, windows), KOKKOS_LAMBDA(Ordinal window) {
        offsets(window + 1) = merge_window<Height>(A, window * Height, [](Ordinal, unsigned) {});
      });
  counts_to_offsets(exec, offsets);
  const auto size = static_cast<std::size_t>(read_element(exec, offsets.data() + windows));
  const auto columns = allocate<decltype(result.column_indices)>(exec, "Tessera::merge_windows::columns", size);
  Kokkos::parallel_for(
      "Tessera::merge_windows::fill", WindowPolicy<ExecutionSpace>(exec, 0, windows), KOKKOS_LAMBDA(Ordinal window) {
        Offset place = offsets(window);
        merge_window<Height>(A, window * Height, [&](Ordinal column, unsigned) { columns(place++) = column; });
      });
  result = {windows, A.columns, size, offsets, columns};
  return result;
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::array<WindowColumns, 5> window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                            std::size_t nonzeros) {
  std::array<WindowColumns, 5> result;
  auto merged = Impl::merge_windows<8>(exec, A);
  int window_rows = 8;
  for (WindowColumns& windows : result) {
    if (window_rows > 8) merged = Impl::merge_windows<2>(exec, merged.view());
    windows.window_rows = window_rows;
    windows.columns = merged.nonzeros;
    if (merged.nonzeros > 0) windows.reuse = static_cast<double>(nonzeros) / static_cast<double>(merged.nonzeros);
    window_rows *= 2;
  }
  exec.fence("Tessera::window_columns");
  return result;
}

#define TESSERA_INSTANTIATE(Exec, Offset) \
  template std::array<WindowColumns, 5> window_columns(const Exec&, const CsrPattern<Offset>&, std::size_t);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
