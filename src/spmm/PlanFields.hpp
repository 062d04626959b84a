// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <tessera/select/Choice.hpp>
#include <type_traits>
#include <variant>
#include <vector>

#include "PlanArchive.hpp"
#include "PlanMembers.hpp"

/// The content of a plan's file, in this order. A change of this list or of its structs needs a new version of the file
/// (PlanFile.cpp), unless older files are still read correctly. For example, the list of rows is longer only in files
/// of plans whose transposes are stored in parts.
///
/// The file omits data that can be computed from it: metrics of tiles, and the data of a device's kernels. It also
/// omits data that only the choice needed: statistics of the matrix, and the hints follow_values and expected_products.
namespace Tessera::Impl {

template <class Fields>
void transfer(Fields& fields, FormatParameters& p) {
  fields(p.brp_nonzeros_per_column, p.brp_tiles_per_group, p.bcsr_block_rows, p.bcsr_block_columns,
         p.sorted_columns_width, p.sorted_columns_height, p.staged_chunk_values, p.staged_piece_chunks, p.group_rows);
}
template <class Fields>
void transfer(Fields& fields, PlanOptions& o) {
  fields(o.hints.num_vectors, o.format, o.parameters, o.reordering, o.always_reorder, o.precision, o.kernel,
         o.on_unsupported, o.tuning, o.tuning_file, o.memory_limit, o.half_vectors, o.hints.layout_left,
         o.same_bits_alone);
}
template <class Fields>
void transfer(Fields& fields, Candidate& c) {
  fields(c.format, c.tiles, c.format_bytes, c.predicted_seconds, c.measured_seconds, c.held_bytes, c.peak_bytes,
         c.is_rejected);
}
template <class Fields>
void transfer(Fields& fields, ReorderingTrial& t) {
  fields(t.reordering, t.relative_seconds, t.peak_bytes);
}
template <class Fields>
void transfer(Fields& fields, Choice& c) {
  fields(c.format, c.candidates, c.reason, c.model, c.device, c.reordering, c.reorderings, c.is_wider);
}

template <class File, class Memory>
void transfer(File& file, Orders<Memory>& orders) {
  bool are_one = orders.are_one();
  file.fields("orders", are_one);
  file.array("order of rows", orders.rows.order);
  if (!are_one) return file.array("order of columns", orders.columns.order);
  if constexpr (File::is_loading) orders.columns = orders.rows;
}

template <class File, class Memory>
void transfer(File& file, ValueMap<Memory>& map) {
  file.array("slots", map.slots);
  file.array("runs", map.runs);
}

/// Transfers a stored matrix, or transpose, of this shape.
template <class File, class Scalar, class ExecutionSpace>
void transfer(File& file, StoredMatrix<Scalar, ExecutionSpace>& stored, Ordinal rows, Ordinal columns,
              std::size_t nonzeros) {
  file.fields("choice", stored.choice);
  if constexpr (File::is_loading) {
    if (stored.choice.format == Format::Auto) file.fail("the section \"choice\" chooses no format");
    stored.engine = with_engine_of<Scalar, ExecutionSpace>(
        stored.choice.format, Kernel::Auto, [&](auto engines) { return engines.load(file, rows, columns, nonzeros); });
  } else {
    stored.engine->save(file);
  }
  transfer(file, stored.orders);
  transfer(file, stored.map);
  file.array("values", stored.values);
}

template <class Fields>
void transfer(Fields& fields, RowsOfBlock& block) {
  fields(block.first_row, block.rows, block.nonzeros, block.first_entry, block.entries);
}

/// Returns the rows of all blocks. If the transpose of any block is stored in several parts, the rows of all parts
/// follow. The list is empty if there is one block whose transpose has one part.
template <class Members>
std::vector<RowsOfBlock> list_of_rows(const Members& m) {
  std::vector<RowsOfBlock> list(m.blocks.begin(), m.blocks.end());
  for (const auto& block : m.blocks) list.insert(list.end(), block.transposed.begin(), block.transposed.end());
  if (list.size() <= 2 * m.blocks.size()) list.resize(m.blocks.size() > 1 ? m.blocks.size() : 0);
  return list;
}

/// Makes the blocks, and the parts of their transposes, from a list that list_of_rows() made. Returns whether all
/// elements of the list were used.
template <class Members>
bool take_rows(const std::vector<RowsOfBlock>& list, Members& m) {
  auto next = list.begin();
  // Moves elements of the list to `taken` until they have `all` rows. If the list has no more elements, appends `one`.
  const auto take = [&](auto& taken, std::int64_t all, const RowsOfBlock& one) {
    taken.clear();
    for (std::int64_t rows = 0; next != list.end() && rows < all; rows += (next++)->rows)
      static_cast<RowsOfBlock&>(taken.emplace_back()) = *next;
    if (taken.empty()) static_cast<RowsOfBlock&>(taken.emplace_back()) = one;
  };
  take(m.blocks, m.rows, {0, m.rows, m.nonzeros, 0, m.source_entries});
  for (auto& block : m.blocks)
    if (m.has_transpose) take(block.transposed, m.columns, {0, m.columns, block.nonzeros, 0, 0});
  return next == list.end();
}

/// Transfers a whole plan.
///
/// \tparam Members the members of a PlanState
template <class File, class Members>
void transfer_plan(File& file, Members& m) {
  std::vector<RowsOfBlock> several = list_of_rows(m);
  file.fields("plan", m.made_on, m.rows, m.columns, m.nonzeros, m.source_entries, m.has_source, m.has_transpose,
              m.options, m.built.notes, m.transpose_built.notes, m.built.peak_bytes, m.transpose_built.peak_bytes,
              several);
  if constexpr (File::is_loading) {
    if (!take_rows(several, m)) file.fail("the plan has more blocks of rows than its matrix and its transpose");
  }
  for (auto& block : m.blocks) {
    transfer(file, block.source);
    transfer(file, block.plain, block.rows, m.columns, block.nonzeros);
    for (auto& part : block.transposed) transfer(file, part.matrix, part.rows, block.rows, part.nonzeros);
  }
}

}  // namespace Tessera::Impl
