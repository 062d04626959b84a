// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <string>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/reorder/WindowGrowing.hpp>
#include <utility>

#include "RowClusters.hpp"
#include "WindowColumns.hpp"

namespace Tessera::Impl {

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> grow_windows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                                Ordinal rows) {
  if (rows < 1) {
    throw std::invalid_argument("Tessera::grow_windows: windows of " + std::to_string(rows) +
                                " rows; expected at least 1");
  }
  auto sets = Impl::collect_columns(exec, Impl::RowColumns{A, 1}, A.rows, A.columns);
  const auto p = Impl::cluster_rows(exec, std::move(sets), A.columns, rows);
  const std::size_t before = Impl::count_window_columns(exec, A, {}, rows, 1);
  const std::size_t after = Impl::count_window_columns(exec, A, p, rows, 1);
  return after < before ? p : Permutation<typename ExecutionSpace::memory_space>{};
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template Permutation<Exec::memory_space> grow_windows(const Exec&, const CsrPattern<Offset>&, Ordinal);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
