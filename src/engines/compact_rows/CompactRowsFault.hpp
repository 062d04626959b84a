// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/parallel/Arrays.hpp>

#include "Validate.hpp"
#include "compact_rows/CompactRows.hpp"

/// The invariants of compact rows.
namespace Tessera::Impl {

/// Checks that wide blocks are numbered from 0 to `wide` - 1, and no others.
template <class ExecutionSpace>
std::string wide_blocks_fault(const ExecutionSpace& exec, const CompactRowsPattern& A, std::size_t blocks,
                              std::size_t wide) {
  const auto before =
      allocate<Array<Ordinal*, typename ExecutionSpace::memory_space>>(exec, "Tessera::wide_blocks", blocks + 1);
  Kokkos::parallel_for(
      "Tessera::mark_wide_blocks", IndexPolicy<ExecutionSpace>(exec, 0, blocks),
      KOKKOS_LAMBDA(std::size_t block) { before(block + 1) = A.block_columns[block] < 0 ? 1 : 0; });
  counts_to_offsets(exec, before);
  const std::string fault = first_fault(
      exec, "block", blocks,
      KOKKOS_LAMBDA(std::size_t block)->int {
        const Ordinal first = A.block_columns[block];
        return first >= 0 || first == -1 - before(block) ? int(no_fault) : 0;
      },
      [](int) { return std::string("block_columns does not number the wide blocks in their order"); });
  if (!fault.empty()) return fault;
  const auto numbered = static_cast<std::size_t>(read_element(exec, before.data() + blocks));
  return numbered == wide ? std::string() : "high_columns does not have 64 elements for each wide block";
}

enum CompactBlockFault : int { block_outside, block_not_least, block_not_wide, block_padding };

inline std::string describe_compact_blocks(int fault) {
  static constexpr const char* texts[] = {
      "an entry is in a column outside the matrix",                   // block_outside
      "block_columns is not the least column of the block",           // block_not_least
      "the block is wide, but its columns are less than 2^16 apart",  // block_not_wide
      "high_columns is not 0 behind the last entry",                  // block_padding
  };
  return texts[fault];
}

/// Returns the first broken invariant of a block, provided that wide blocks are numbered correctly.
struct CompactBlockFaults {
  CompactRowsPattern A;
  std::size_t nonzeros;

  KOKKOS_FUNCTION int operator()(std::size_t block) const {
    constexpr std::size_t size = CompactRowsPattern::block_entries;
    FirstFault found;
    const Ordinal first = A.block_columns[block];
    std::int64_t least = A.columns, greatest = -1;
    const std::size_t begin = block * size, end = begin + size < nonzeros ? begin + size : nonzeros;
    for (std::size_t entry = begin; entry < end; ++entry) {
      const std::int64_t column = first >= 0 ? std::int64_t(first) + A.low_columns[entry]  // may exceed an Ordinal
                                             : A.column(static_cast<Offset>(entry));
      found.check(column >= 0 && column < A.columns, block_outside);
      least = column < least ? column : least;
      greatest = column > greatest ? column : greatest;
    }
    found.check(first < 0 || first == least, block_not_least);
    found.check(first >= 0 || greatest - least > CompactRowsPattern::most_distance, block_not_wide);
    for (std::size_t place = end; first < 0 && place < begin + size; ++place)
      found.check(A.high_columns[static_cast<std::size_t>(-1 - first) * size + place % size] == 0, block_padding);
    return found.fault;
  }
};

/// Checks that the columns of a row ascend, provided that the blocks are correct.
KOKKOS_INLINE_FUNCTION int compact_row_fault(const CompactRowsPattern& A, Ordinal row) {
  Ordinal previous = -1;
  int fault = no_fault;
  for_each_entry(A, row, [&](Ordinal column, Offset) {
    if (column <= previous) fault = 0;
    previous = column;
  });
  return fault;
}

template <class Memory>
std::string compact_rows_extent_fault(const CompactRows<Memory>& A) {
  if (A.row_offsets.extent(0) != static_cast<std::size_t>(A.rows) + 1)
    return "row_offsets does not have rows + 1 elements";
  if (A.block_columns.extent(0) != compact_row_blocks(A.nonzeros))
    return "block_columns does not have ceil(nonzeros / 64) elements";
  if (A.low_columns.extent(0) != A.nonzeros) return "low_columns does not have an element for each entry";
  if (A.high_columns.extent(0) % CompactRowsPattern::block_entries != 0)
    return "high_columns does not have 64 elements for each wide block";
  return {};
}

template <class ExecutionSpace>
std::string compact_rows_fault(const ExecutionSpace& exec,
                               const CompactRows<typename ExecutionSpace::memory_space>& A) {
  const CompactRowsPattern in = A.view();
  const auto rows = static_cast<std::size_t>(in.rows);
  const std::size_t blocks = A.block_columns.extent(0);
  return first_of(
      [&] { return compact_rows_extent_fault(A); },
      [&] { return offsets_fault(exec, "row", in.row_offsets, rows, A.nonzeros, "row_offsets", "entries"); },
      [&] { return wide_blocks_fault(exec, in, blocks, A.high_columns.extent(0) / CompactRowsPattern::block_entries); },
      [&] {
        return first_fault(exec, "block", blocks, CompactBlockFaults{in, A.nonzeros}, describe_compact_blocks);
      },
      [&] {
        return first_fault(exec, "row", rows, WindowFault<compact_row_fault, CompactRowsPattern>{in},
                           [](int) { return "columns do not ascend strictly"; });
      });
}

}  // namespace Tessera::Impl
