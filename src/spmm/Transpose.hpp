// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/format/Csr.hpp>

#include "StoreMatrix.hpp"

/// The transpose of a plan's matrix, which is made from the format that the plan stores.
namespace Tessera::Impl {

/// Canonical rows of the matrix in its own order. Their map leads to the stored values.
template <class Scalar, class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> canonical_rows(const ExecutionSpace& exec,
                                                               const StoredMatrix<Scalar, ExecutionSpace>& stored) {
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
/// \param report  [in,out] gets the times and notes
template <class ExecutionSpace, class Members, class Block>
auto store_transpose(const ExecutionSpace& exec, const Members& m, const Block& block, BuildReport& report) {
  using Scalar = typename std::remove_cvref_t<decltype(block.plain.values)>::value_type;
  const Region<ExecutionSpace> region("Tessera::transpose");
  const SteadyTimer timer;
  ValueMap<typename ExecutionSpace::memory_space> to_plain;  // canonical entry of A -> place in the format
  const auto transposed_rows = [&] {
    return timed(exec, "Tessera::analysis", report.seconds.analysis, [&] {
      to_plain = {};
      auto rows = canonical_rows(exec, block.plain);
      to_plain = std::exchange(rows.values, {});
      return transpose(exec, rows.pattern.view(), block.nonzeros);
    });
  };
  const PlanOptions options = options_of_transpose(m.options, block.plain.choice.format);
  auto stored = store_matrix<Scalar>(exec, options, transposed_rows, report);
  timed(exec, "Tessera::fill_values", report.seconds.values,
        [&] { stored.fill(exec, to_plain, block.plain.current_values()); });
  if (!m.has_source) stored.map = {};
  report.seconds.total += timer.seconds();
  return stored;
}

}  // namespace Tessera::Impl
