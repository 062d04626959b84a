// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/format/AnyFormat.hpp>
#include <tessera/select/Choice.hpp>
#include <type_traits>
#include <variant>

#include "PlanArchive.hpp"
#include "PlanMembers.hpp"

/// What the file of a plan holds, in this order. Whatever is added, left out or moved here, or to the structs that are
/// named, makes another version of the file (PlanFile.cpp) once there was a release.
///
/// What follows from the rest is not there: metrics of the tiles, and what kernels made for a device keep.
namespace Tessera::Impl {

template <class Fields>
void transfer(Fields& fields, FormatParameters& p) {
  fields(p.brp_nonzeros_per_column, p.brp_tiles_per_group, p.bcsr_block_rows, p.bcsr_block_columns,
         p.sorted_columns_width, p.sorted_columns_height);
}
template <class Fields>
void transfer(Fields& fields, PlanOptions& o) {
  fields(o.columns, o.format, o.parameters, o.staged_windows, o.reordering, o.always_reorder, o.precision, o.kernel,
         o.on_unsupported, o.tuning, o.tuning_file, o.memory_limit);
}
template <class Fields>
void transfer(Fields& fields, Candidate& c) {
  fields(c.format, c.is_staged, c.tiles, c.format_bytes, c.predicted_seconds, c.measured_seconds, c.held_bytes,
         c.peak_bytes, c.is_refused);
}
template <class Fields>
void transfer(Fields& fields, ReorderingTrial& t) {
  fields(t.reordering, t.relative_seconds, t.peak_bytes);
}
template <class Fields>
void transfer(Fields& fields, MatrixStatistics& m) {
  fields(m.rows, m.columns, m.nonzeros, m.bittcf_tiles, m.bmat_tiles, m.window_columns, m.near_columns,
         m.staged_columns, m.longest_row, m.longest_window, m.longest_tall_window, m.longest_staged_window,
         m.longest_staged_entries, m.bcsr_blocks, m.bcsr_block_rows, m.bcsr_block_columns, m.is_reordered,
         m.matrix_bytes, m.vector_bytes, m.offset_bytes, m.vector_columns);
}
template <class Fields>
void transfer(Fields& fields, Choice& c) {
  fields(c.format, c.is_staged, c.candidates, c.reason, c.model, c.device, c.statistics, c.reordering, c.reorderings);
}

template <class File, class Offset, class Memory>
void transfer(File& file, Csr<Offset, Memory>& A) {
  file.array("row_offsets", A.row_offsets);
  file.array("column_indices", A.column_indices);
}
template <class File, class Offset, class Memory>
void transfer(File& file, BitTcf<Offset, Memory>& A) {
  file.array("window_offsets", A.window_offsets);
  file.array("tile_offsets", A.tile_offsets);
  file.array("tile_columns", A.tile_columns);
  file.array("tile_masks", A.tile_masks);
}
template <class File, class Offset, class Memory>
void transfer(File& file, Bmat<Offset, Memory>& A) {
  file.array("window_offsets", A.window_offsets);
  file.array("value_offsets", A.value_offsets);
  file.array("tile_columns", A.tile_columns);
  file.array("tile_words", A.tile_words);
}
template <class File, class Offset, class Memory>
void transfer(File& file, BlockRowPartition<Offset, Memory>& A) {
  file.fields("f and g", A.f, A.g);
  file.array("group_windows", A.group_windows);
  file.array("window_groups", A.window_groups);
  file.array("local_ids", A.local_ids);
  file.array("group_columns", A.group_columns);
  file.array("residual_rows", A.residual_rows);
  file.array("residual_offsets", A.residual_offsets);
  file.array("residual_columns", A.residual_columns);
  file.array("window_residuals", A.window_residuals);
}
template <class File, class Offset, class Memory>
void transfer(File& file, Bcsr<Offset, Memory>& A) {
  file.fields("block", A.block.height, A.block.width);
  file.array("block_offsets", A.block_offsets);
  file.array("block_columns", A.block_columns);
  file.array("block_masks", A.block_masks);
}
template <class File, class Offset, class Memory>
void transfer(File& file, SortedColumns<Offset, Memory>& A) {
  file.fields("width and height", A.width, A.height);
  file.array("column_order", A.column_order);
  file.array("block_offsets", A.block_offsets);
  file.array("block_positions", A.block_positions);
  file.array("row_indices", A.row_indices);
  file.array("position_indices", A.position_indices);
  file.array("segment_lengths", A.segment_lengths);
  file.array("piece_offsets", A.piece_offsets);
  file.array("piece_columns", A.piece_columns);
}

template <class File, class Memory>
void transfer(File& file, Orders<Memory>& orders) {
  bool are_one = orders.are_one();
  file.fields("orders", are_one);
  file.array("order of rows", orders.rows.order);
  if (!are_one) return file.array("order of columns", orders.columns.order);
  if constexpr (File::is_loading) orders.columns = orders.rows;
}

template <class File, class Offset, class Memory>
void transfer(File& file, ValueMap<Offset, Memory>& map) {
  file.array("slots", map.slots);
  file.array("runs", map.runs);
}

/// A format that is named, empty.
template <class Offset, class Memory, class File>
AnyFormat<Offset, Memory> empty_format(const File& file, Format format) {
  switch (format) {
    case Format::Csr:
      return Csr<Offset, Memory>();
    case Format::BitTcf:
      return BitTcf<Offset, Memory>();
    case Format::Bmat:
      return Bmat<Offset, Memory>();
    case Format::BlockRowPartition:
      return BlockRowPartition<Offset, Memory>();
    case Format::Bcsr:
      return Bcsr<Offset, Memory>();
    case Format::SortedColumns:
      return SortedColumns<Offset, Memory>();
    case Format::Automatic:
      break;
  }
  file.fail("the section \"choice\" chooses no format");
}

/// A matrix, or a transpose, of this shape.
template <class File, class Scalar, class Offset, class ExecutionSpace>
void transfer(File& file, Side<Scalar, Offset, ExecutionSpace>& side, Ordinal rows, Ordinal columns,
              std::size_t nonzeros) {
  file.fields("choice", side.choice);
  if constexpr (File::is_loading) {
    side.format = empty_format<Offset, typename ExecutionSpace::memory_space>(file, side.choice.format);
    std::visit(
        [&](auto& any) {
          any.rows = rows;
          any.columns = columns;
          any.nonzeros = nonzeros;
        },
        side.format);
  }
  std::visit([&](auto& any) { transfer(file, any); }, side.format);
  transfer(file, side.orders);
  transfer(file, side.map);
  file.array("values", side.values);
}

/// All of a plan. \tparam Members those of a PlanState
template <class File, class Members>
void transfer_plan(File& file, Members& m) {
  file.fields("plan", m.made_on, m.rows, m.columns, m.nonzeros, m.source_entries, m.has_source, m.has_transpose,
              m.options, m.built.notes, m.transpose_built.notes, m.built.peak_bytes, m.transpose_built.peak_bytes);
  transfer(file, m.source);
  transfer(file, m.plain, m.rows, m.columns, m.nonzeros);
  if (m.has_transpose) transfer(file, m.transposed, m.columns, m.rows, m.nonzeros);
}

}  // namespace Tessera::Impl
