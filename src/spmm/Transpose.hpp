// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tessera/format/Csr.hpp>

#include "PlanMembers.hpp"
#include "RowBlocks.hpp"
#include "StoreMatrix.hpp"

/// The transpose of a plan's matrix, built from the format that the plan stores.
namespace Tessera::Impl {

/// Returns the canonical rows of a stored matrix, in the order of A. The map gives the places of the stored values.
template <class Scalar, class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> canonical_rows(const ExecutionSpace& exec,
                                                               const StoredMatrix<Scalar, ExecutionSpace>& stored) {
  auto ordered = stored.engine->to_csr(exec);
  if (stored.orders.are_identity()) return ordered;
  auto rows = permute(exec, ordered.pattern, inverse(exec, stored.orders));
  rows.values = compose(exec, ordered.values, rows.values);
  return rows;
}

/// Copies some rows of a canonical matrix to separate arrays.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
BuiltCsr<Memory> some_rows(const ExecutionSpace& exec, const BuiltCsr<Memory>& A, const RowsOfBlock& rows) {
  const int* const offsets = A.pattern.row_offsets.data() + rows.first_row;
  const auto first = static_cast<std::size_t>(read_element(exec, offsets));
  const std::size_t entries = static_cast<std::size_t>(read_element(exec, offsets + rows.rows)) - first;
  const auto narrow = narrow_rows(exec, A.pattern.view(), {rows.first_row, rows.rows, first, entries});
  auto result = build_csr(exec, narrow.pattern, entries);
  result.values.slots = allocate<decltype(result.values.slots)>(exec, "Tessera::slots", entries);
  const auto slots = result.values.slots, slots_of_all = A.values.slots;
  const bool is_identity = A.values.is_identity();
  Kokkos::parallel_for(
      "Tessera::some_rows", IndexPolicy<ExecutionSpace>(exec, 0, entries), KOKKOS_LAMBDA(std::size_t entry) {
        slots(entry) = is_identity ? static_cast<int>(first + entry) : slots_of_all(first + entry);
      });
  return result;
}

/// Replaces a part of a transpose by several parts that together have its rows.
template <class Part>
void cut_part(std::vector<Part>& parts, std::size_t i, std::size_t count) {
  const RowsOfBlock all = parts[i];
  const auto rows = static_cast<std::size_t>(all.rows);
  count = std::min(count, rows);
  std::vector<Part> cut(count);
  for (std::size_t part = 0; part < count; ++part) {
    const auto first = static_cast<Ordinal>(rows * part / count), end = static_cast<Ordinal>(rows * (part + 1) / count);
    cut[part].first_row = all.first_row + first;
    cut[part].rows = end - first;
  }
  parts[i] = std::move(cut.front());
  parts.insert(parts.begin() + std::ptrdiff_t(i) + 1, std::make_move_iterator(cut.begin() + 1),
               std::make_move_iterator(cut.end()));
}

/// Stores the transpose of a block of rows, with its values. Has several parts if the format needs too many places for
/// all rows. Does not wait for the values.
///
/// \param m       [in] the members of the plan
/// \param chosen  [in] the options of the block
/// \param block   [in] one of the plan's blocks
/// \param report  [in,out] gets the times and notes
/// \param as_rows [in] whether compressed rows are stored, and nothing is counted or chosen
/// \param former  [in] null, or the transpose in compressed rows, whose values are stored in place of the block's
template <class ExecutionSpace, class Members, class Block>
typename Block::Transpose store_transpose(const ExecutionSpace& exec, const Members& m, const PlanOptions& chosen,
                                          const Block& block, BuildReport& report, bool as_rows,
                                          const typename Block::Matrix* former = nullptr) {
  using Scalar = typename std::remove_cvref_t<decltype(block.plain.values)>::value_type;
  const Region<ExecutionSpace> region("Tessera::transpose");
  const SteadyTimer timer;
  ValueMap<typename ExecutionSpace::memory_space> to_plain;  // canonical entry of A -> place in the format
  typename Block::Transpose parts(1);
  parts.front().rows = m.columns;
  const auto rows_of_part = [&](RowsOfBlock& part) {
    return timed(exec, "Tessera::analysis", report.seconds.analysis, [&] {
      to_plain = {};
      auto rows = canonical_rows(exec, block.plain);
      to_plain = std::exchange(rows.values, {});
      auto transposed = transpose(exec, rows.pattern.view(), block.nonzeros);
      rows = {};
      if (part.rows < m.columns) transposed = some_rows(exec, transposed, part);
      part.nonzeros = transposed.pattern.nonzeros;
      return transposed;
    });
  };
  ValueMap<typename ExecutionSpace::memory_space> to_former;  // canonical entry of A -> place in `former`
  if (former != nullptr) to_former = transpose(exec, former->engine->csr()->view(), block.nonzeros).values;
  const PlanOptions options = options_of_transpose(chosen, block.plain.choice.format);
  for (std::size_t i = 0; i < parts.size();) {
    auto& part = parts[i];
    const std::size_t notes = report.notes.size();
    try {
      part.matrix = as_rows ? store_as_rows<Scalar>(exec, options, rows_of_part(part), "csr, like the matrix", report)
                            : store_matrix<Scalar>(
                                  exec, options, [&] { return rows_of_part(part); }, part.rows > 1, report);
    } catch (const TooManyPlaces& rejection) {
      if (part.rows == 1) throw;
      report.notes.resize(notes);
      cut_part(parts, i, rejection.parts());
      continue;
    }
    timed(exec, "Tessera::fill_values", report.seconds.values, [&] {
      if (former == nullptr)
        part.matrix.fill(exec, to_plain, block.plain.current_values());
      else
        part.matrix.fill(exec, to_former, former->current_values());
    });
    if (!m.has_source) part.matrix.map = {};
    ++i;
  }
  if (parts.size() > 1) report.notes.push_back("its rows are stored in " + std::to_string(parts.size()) + " parts");
  report.seconds.total += timer.seconds();
  return parts;
}

}  // namespace Tessera::Impl
