// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/format/Csr.hpp>

#include "StoreMatrix.hpp"

/// The transpose of a plan's matrix, which is made from the format that the plan stores.
namespace Tessera::Impl {

/// The most bytes that canonical_rows() allocates at once.
template <class Scalar, class ExecutionSpace, class Offset = int>
std::size_t canonical_rows_bytes(const ExecutionSpace& exec, const StoredMatrix<Scalar, ExecutionSpace>& stored,
                                 std::size_t nonzeros) {
  const auto& engine = *stored.engine;
  const Csr<Offset, typename ExecutionSpace::memory_space> rows{
      engine.rows(), engine.columns(), engine.nonzeros(), {}, {}};
  const auto height = static_cast<std::size_t>(rows.rows);
  std::size_t bytes = csr_bytes<Offset>(height, nonzeros) + nonzeros * sizeof(Offset);
  if (engine.to_csr_sorts()) bytes = std::max(bytes, sorted_csr_bytes<Offset>(exec, height, stored.places()));
  if (stored.choice.format == Format::Csr) bytes = 0;
  if (stored.orders.are_identity()) return bytes;
  return bytes + stored.orders.bytes() + permute_bytes(exec, rows, stored.orders, 1);
}

/// Canonical rows of the matrix in its own order. Their map leads to the stored values.
template <class Scalar, class ExecutionSpace>
BuiltCsr<int, typename ExecutionSpace::memory_space> canonical_rows(
    const ExecutionSpace& exec, const StoredMatrix<Scalar, ExecutionSpace>& stored) {
  auto ordered = stored.engine->to_csr(exec);
  if (stored.orders.are_identity()) return ordered;
  auto rows = permute(exec, ordered.pattern, inverse(exec, stored.orders));
  rows.values = compose(exec, ordered.values, rows.values);
  return rows;
}

/// Stores the transpose of a block of rows, with its values. Waits for `exec`.
///
/// \param m       [in] the members of the plan
/// \param block   [in] one of its blocks
/// \param budget  [in] keeps what the plan holds
/// \param report  [in,out] gets the times and notes
template <class ExecutionSpace, class Members, class Block>
auto store_transpose(const ExecutionSpace& exec, const Members& m, const Block& block, MemoryBudget budget,
                     BuildReport& report) {
  using Scalar = typename std::remove_cvref_t<decltype(block.plain.values)>::value_type;
  const Region<ExecutionSpace> region("Tessera::transpose");
  const SteadyTimer timer;
  budget.charge("restoring the rows of A", canonical_rows_bytes(exec, block.plain, block.nonzeros));
  auto rows =
      timed(exec, "Tessera::analysis", report.seconds.analysis, [&] { return canonical_rows(exec, block.plain); });
  budget.beside(bytes_of(rows))
      .charge("transposing A", sorted_csr_bytes<int>(exec, static_cast<std::size_t>(m.columns), block.nonzeros));
  auto transposed = timed(exec, "Tessera::analysis", report.seconds.analysis,
                          [&] { return transpose(exec, rows.pattern.view(), block.nonzeros); });
  rows.pattern = {};
  budget.kept_until_filled = rows.values.bytes();
  const PlanOptions options = options_of_transpose(m.options, block.plain.choice.format);
  auto stored = store_matrix<Scalar>(exec, options, transposed, budget, report);
  timed(exec, "Tessera::fill_values", report.seconds.values,
        [&] { stored.fill(exec, rows.values, block.plain.current_values()); });
  if (!m.has_source) stored.map = {};
  report.seconds.total += timer.seconds();
  return stored;
}

}  // namespace Tessera::Impl
