// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <string>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/reorder/JaccardRows.hpp>
#include <utility>

#include "RowClusters.hpp"
#include "WindowColumns.hpp"

namespace Tessera::Impl {

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> jaccard_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                                Ordinal block_rows, Ordinal block_columns) {
  if (block_rows < 1 || block_columns < 1) {
    throw std::invalid_argument("Tessera::jaccard_rows: blocks of " + std::to_string(block_rows) + " x " +
                                std::to_string(block_columns) + "; expected at least 1 x 1");
  }
  const Ordinal columns = A.columns / block_columns + (A.columns % block_columns != 0);
  auto sets = Impl::collect_columns(exec, Impl::RowColumns{A, block_columns}, A.rows, columns);
  const auto p = Impl::cluster_rows(exec, std::move(sets), columns, block_rows);
  const std::size_t before = Impl::count_window_columns(exec, A, {}, block_rows, block_columns);
  const std::size_t after = Impl::count_window_columns(exec, A, p, block_rows, block_columns);
  const std::size_t wanted = before - before / 20;
  return after < wanted ? p : Permutation<typename ExecutionSpace::memory_space>{};
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template Permutation<Exec::memory_space> jaccard_rows(const Exec&, const CsrPattern<Offset>&, Ordinal, Ordinal);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
