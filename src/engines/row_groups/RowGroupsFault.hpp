// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/common/Bits.hpp>

#include "Validate.hpp"
#include "row_groups/RowGroups.hpp"

/// The invariants of row groups.
namespace Tessera::Impl {

enum RowGroupFault : int {
  group_height,
  group_crosses,
  group_columns,
  group_values,
  group_out_of_range,
  group_not_ascending,
  group_rows_beyond,
  group_no_entry
};

inline std::string describe_row_groups(int fault) {
  static constexpr const char* texts[] = {
      "first_rows does not make groups of 1 to 4 rows",                       // group_height
      "a group lies in two chunks",                                           // group_crosses
      "column_offsets does not grow by multiples of 4",                       // group_columns
      "value_offsets does not grow by a value for each column and row",       // group_values
      "group_columns holds a column outside the matrix",                      // group_out_of_range
      "group_columns does not ascend strictly up to the padding of a group",  // group_not_ascending
      "column_masks has a bit beyond the rows of a group",                    // group_rows_beyond
      "column_masks has no bit for a column",                                 // group_no_entry
  };
  return texts[fault];
}

/// Returns the first broken invariant of a group, provided that the offsets are in order.
KOKKOS_INLINE_FUNCTION int row_group_fault(const RowGroupsPattern& A, Ordinal group) {
  FirstFault found;
  const Ordinal first = A.first_rows[group], last = A.first_rows[group + 1];
  const Ordinal height = last - first;
  found.check(height >= 1 && height <= A.most_rows, group_height);
  if (found.fault != no_fault) return found.fault;
  found.check(first / A.chunk_rows == (last - 1) / A.chunk_rows, group_crosses);
  const Offset begin = A.column_offsets[group], end = A.column_offsets[group + 1];
  const auto values = static_cast<std::size_t>(A.value_offsets[group + 1] - A.value_offsets[group]);
  const auto columns = static_cast<std::size_t>(end - begin);
  found.check(columns == padded_group_columns(columns), group_columns);
  found.check(values == columns * static_cast<std::size_t>(height), group_values);
  const Offset end_of_entries = end_of_columns(A, group);
  found.check(end - end_of_entries < Offset(A.alignment), group_no_entry);
  Ordinal previous = -1;
  for (Offset c = begin; c < end; ++c) {
    const Ordinal column = A.group_columns[c];
    const bool is_padding = c >= end_of_entries;
    found.check(column >= 0 && column < A.columns, group_out_of_range);
    found.check(is_padding ? column == previous : column > previous, group_not_ascending);
    found.check(A.column_masks[c] >> height == 0, group_rows_beyond);
    found.check(is_padding || A.column_masks[c] != 0, group_no_entry);
    previous = column;
  }
  return found.fault;
}

/// Checks that a chunk begins with the first of its groups. row_group_fault() must have checked the groups.
struct ChunkFault {
  RowGroupsPattern A;

  KOKKOS_FUNCTION int operator()(std::size_t chunk) const {
    return A.first_rows[A.chunk_groups[chunk]] == static_cast<Ordinal>(chunk) * A.chunk_rows ? int(no_fault) : 0;
  }
};

/// Counts the bits of all masks.
template <class ExecutionSpace, class Masks>
std::size_t count_group_entries(const ExecutionSpace& exec, const Masks& masks) {
  std::size_t bits = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_group_entries", IndexPolicy<ExecutionSpace>(exec, 0, masks.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) { sum += std::size_t(popcount(masks(i))); }, bits);
  exec.fence("Tessera::count_group_entries");
  return bits;
}

template <class Memory>
std::string row_groups_extent_fault(const RowGroups<Memory>& A) {
  const auto chunks = static_cast<std::size_t>(row_group_chunks(A.rows));
  const std::size_t groups = A.first_rows.extent(0) - 1;
  if (A.chunk_groups.extent(0) != chunks + 1) return "chunk_groups does not have ceil(rows / 256) + 1 elements";
  if (A.first_rows.extent(0) == 0 || groups > static_cast<std::size_t>(A.rows)) {
    return "first_rows does not have an element a group and one more, for at most as many groups as rows";
  }
  if (A.column_offsets.extent(0) != groups + 1) return "column_offsets does not have an element a group and one more";
  if (A.value_offsets.extent(0) != groups + 1) return "value_offsets does not have an element a group and one more";
  if (A.column_masks.extent(0) != A.group_columns.extent(0)) return "column_masks does not have a mask a column";
  return {};
}

template <class ExecutionSpace>
std::string row_groups_fault(const ExecutionSpace& exec, const RowGroups<typename ExecutionSpace::memory_space>& A) {
  std::string fault = row_groups_extent_fault(A);
  if (!fault.empty()) return fault;
  const RowGroupsPattern in = A.view();
  const auto groups = static_cast<std::size_t>(in.groups), rows = static_cast<std::size_t>(in.rows);
  const auto chunks = static_cast<std::size_t>(row_group_chunks(in.rows));
  const auto fault_of = [&](const auto* offsets, std::size_t end, const char* what, const char* of) {
    return offsets_fault(exec, "group", offsets, groups, end, what, of);
  };
  return first_of(
      [&] { return fault_of(in.first_rows, rows, "first_rows", "rows"); },
      [&] { return fault_of(in.column_offsets, A.tiles(), "column_offsets", "columns"); },
      [&] { return fault_of(in.value_offsets, A.stored, "value_offsets", "values"); },
      [&] { return offsets_fault(exec, "chunk", in.chunk_groups, chunks, groups, "chunk_groups", "groups"); },
      [&] {
        return first_fault(exec, "group", groups, WindowFault<row_group_fault, RowGroupsPattern>{in},
                           describe_row_groups);
      },
      [&] {
        return first_fault(exec, "chunk", chunks, ChunkFault{in},
                           [](int) { return "chunk_groups is not the group of its first row"; });
      },
      [&] {
        const bool has_all = count_group_entries(exec, A.column_masks) == A.nonzeros;
        return std::string(has_all ? "" : "column_masks does not have a bit for each of the nonzeros");
      });
}

}  // namespace Tessera::Impl
