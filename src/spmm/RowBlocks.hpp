// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tessera/format/Blocks.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/reorder/Permutation.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "CheckArguments.hpp"

/// Cuts the user's rows into blocks of rows and makes each block canonical. An int can count the entries of a block;
/// blocks are smaller if their format stores too many zeros. Later steps do not depend on the type of the user's
/// offsets. The last function joins the orders of the blocks.
namespace Tessera::Impl {

/// Consecutive rows of the user's matrix, and their entries. If the matrix consists of dense blocks, both count blocks.
struct RowRange {
  Ordinal first_row = 0;
  Ordinal rows = 0;
  std::size_t first_entry = 0;
  std::size_t entries = 0;
};

template <class Offset>
CsrPattern<Offset> pattern_of(const UserRows& A, const Offset* row_offsets) {
  return {A.rows, A.columns, row_offsets, A.column_indices};
}

/// Returns the block of rows that begins with row `first`. It has this row, and as many more as fit into `target`
/// entries.
///
/// \param most [in] upper bound on the entries of the block
/// \throws std::invalid_argument if the first row alone has more than `most` entries
template <class ExecutionSpace, class Offset>
RowRange next_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A, Ordinal first, std::size_t target,
                   std::size_t most) {
  const auto begin_of = [&](std::ptrdiff_t row) { return std::size_t(read_element(exec, A.row_offsets + row)); };
  const std::size_t begin = begin_of(first);
  // Rows [first, last) are one row or have few enough entries; rows [first, beyond) have too many.
  std::ptrdiff_t last = first + 1, beyond = A.rows + std::ptrdiff_t(1);
  while (beyond - last > 1) {
    const std::ptrdiff_t middle = last + (beyond - last) / 2;
    (begin_of(middle) - begin <= target ? last : beyond) = middle;
  }
  const std::size_t entries = begin_of(last) - begin;
  if (entries > most) {
    reject_matrix("row " + std::to_string(first) + " has " + std::to_string(entries) + " entries; expected at most " +
                  std::to_string(most) + ", which the offsets of a plan can count");
  }
  return {first, static_cast<Ordinal>(last - first), begin, entries};
}

/// Cuts rows into blocks with about the same number of entries. Checks the offsets that it reads. Checks the columns if
/// there are several blocks; build_csr() checks those of a single block.
///
/// \param entries [in] number of entries of the input
/// \param most    [in] upper bound on the entries of a block
/// \param trusts  [in] whether the offsets of a single block need no check
/// \throws std::invalid_argument like build_csr(), and if a single row has more than `most` entries
template <class ExecutionSpace, class Offset>
std::vector<RowRange> cut_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t entries,
                               std::size_t most, bool trusts) {
  const std::vector<RowRange> one{{0, A.rows, 0, entries}};
  if (A.rows == 0 || (entries <= most && (trusts || std::is_same_v<Offset, int>))) return one;
  check_row_offsets(exec, A, entries);
  if (entries <= most) return one;
  const auto used = static_cast<std::size_t>(read_element(exec, A.row_offsets + A.rows));
  if (used <= most) return one;
  check_columns(exec, A, used);
  const std::size_t least_blocks = most == 0 ? used : (used - 1) / most + 1;
  const std::size_t target = (used - 1) / least_blocks + 1;
  std::vector<RowRange> ranges;
  for (Ordinal row = 0; row < A.rows; row += ranges.back().rows)
    ranges.push_back(next_rows(exec, A, row, target, most));
  return ranges;
}

template <class ExecutionSpace>
std::vector<RowRange> cut_rows(const ExecutionSpace& exec, const UserRows& A, bool trusts) {
  const auto area = static_cast<std::size_t>(A.block_size) * static_cast<std::size_t>(A.block_size);
  return std::visit(
      [&](const auto* offsets) {
        return cut_rows(exec, pattern_of(A, offsets), A.column_indices_size, A.most_entries / area, trusts);
      },
      A.row_offsets);
}

/// Cuts a block of at least two rows into 2 to `parts` parts with about the same number of entries. There are at least
/// two parts, because the last part always gets a row.
template <class ExecutionSpace>
std::vector<RowRange> cut_again(const ExecutionSpace& exec, const UserRows& A, const RowRange& range,
                                std::size_t parts) {
  return std::visit(
      [&](const auto* offsets) {
        const auto begin_of = [&](Ordinal row) { return std::size_t(read_element(exec, offsets + row)); };
        auto rows = pattern_of(A, offsets);
        const Ordinal end = range.first_row + range.rows;
        std::vector<RowRange> ranges;
        for (Ordinal row = range.first_row; row < end; row += ranges.back().rows) {
          const std::size_t left = std::max<std::size_t>(1, parts - ranges.size()),
                            rest = begin_of(end) - begin_of(row);
          rows.rows = left > 1 ? end - 1 : end;
          ranges.push_back(next_rows(exec, rows, row, (rest + left - 1) / left, rest));
        }
        return ranges;
      },
      A.row_offsets);
}

/// A block of rows whose offsets begin at 0 and are ints.
template <class MemorySpace>
struct NarrowRows {
  CsrPattern<int> pattern;
  Array<int*, MemorySpace> row_offsets;  // empty if the user's offsets are used
};

/// Uses the user's offsets if they can be read in place, otherwise a copy.
template <class ExecutionSpace, class Offset>
NarrowRows<typename ExecutionSpace::memory_space> narrow_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                              const RowRange& range) {
  if (A.rows == 0) return {{0, A.columns, nullptr, A.column_indices}, {}};
  if constexpr (std::is_same_v<Offset, int>) {
    if (range.rows == A.rows) return {A, {}};
  }
  const std::size_t size = static_cast<std::size_t>(range.rows) + 1;
  NarrowRows<typename ExecutionSpace::memory_space> result;
  result.row_offsets = allocate<decltype(result.row_offsets)>(exec, "Tessera::row_offsets", size);
  result.pattern = {range.rows, A.columns, result.row_offsets.data(), A.column_indices + range.first_entry};
  const auto narrow = result.row_offsets;
  const Offset* offsets = A.row_offsets + range.first_row;
  const auto first = static_cast<Offset>(range.first_entry);
  Kokkos::parallel_for(
      "Tessera::narrow_offsets", IndexPolicy<ExecutionSpace>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t row) { narrow(row) = static_cast<int>(offsets[row] - first); });
  return result;
}

template <class ExecutionSpace>
NarrowRows<typename ExecutionSpace::memory_space> narrow_rows(const ExecutionSpace& exec, const UserRows& A,
                                                              const RowRange& range) {
  return std::visit([&](const auto* offsets) { return narrow_rows(exec, pattern_of(A, offsets), range); },
                    A.row_offsets);
}

/// Makes rows that share the user's arrays use offsets that were copied, if they were.
template <class Memory>
void keep_narrow_offsets(const NarrowRows<Memory>& narrow, Csr<Memory>& rows) {
  if (rows.shared_bytes == 0 || narrow.row_offsets.extent(0) == 0) return;
  rows.row_offsets = narrow.row_offsets;
  rows.shared_bytes -= narrow.row_offsets.extent(0) * sizeof(Offset);
}

/// Returns the last of offsets that are trusted.
/// \throws std::invalid_argument like build_csr() if the first or the last one is wrong
template <class ExecutionSpace, class Offset>
std::size_t last_offset(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t entries) {
  if (A.rows == 0) return 0;
  const Offset last = read_element(exec, A.row_offsets + A.rows);
  if (read_element(exec, A.row_offsets) != 0 || static_cast<std::size_t>(last) > entries)
    check_row_offsets(exec, A, entries);  // throws
  return static_cast<std::size_t>(last);
}

/// Returns all rows of a matrix of elements as they are, trusted to be right.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> trusted_rows_of(const ExecutionSpace& exec, const UserRows& A,
                                                                const RowRange& range) {
  const std::size_t nonzeros = std::visit(
      [&](const auto* offsets) { return last_offset(exec, pattern_of(A, offsets), range.entries); }, A.row_offsets);
  const auto narrow = narrow_rows(exec, A, range);
  auto rows = trusted_csr(exec, narrow.pattern, nonzeros, A.owner);
  keep_narrow_offsets(narrow, rows);
  return {std::move(rows), {}};
}

/// Returns the canonical rows of a block. Dense blocks become single entries. The map gives indices in the caller's
/// values, relative to the values of the block's first entry.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> canonical_rows_of(const ExecutionSpace& exec, const UserRows& A,
                                                                  const RowRange& range) {
  const auto narrow = narrow_rows(exec, A, range);
  if (A.block_size == 1) {
    auto result = build_csr(exec, narrow.pattern, range.entries, range.rows == A.rows ? A.owner : nullptr);
    keep_narrow_offsets(narrow, result.pattern);
    return result;
  }
  const auto points = expand_blocks(exec, narrow.pattern, range.entries, A.block_size);
  auto result = build_csr(exec, points.pattern.view(), points.pattern.nonzeros);
  result.values = compose(exec, points.values, result.values);
  return result;
}

/// Joins the orders of the blocks of rows to the order of all rows of the plan. Waits.
template <class ExecutionSpace, class Blocks>
Permutation<typename ExecutionSpace::memory_space> joined_orders(const Blocks& blocks, Ordinal rows) {
  Permutation<typename ExecutionSpace::memory_space> result;
  const auto is_identity = [](const auto& block) { return block.plain.orders.rows.is_identity(); };
  if (std::all_of(blocks.begin(), blocks.end(), is_identity)) return result;
  const ExecutionSpace exec;
  result.order = allocate<decltype(result.order)>(exec, "Tessera::row_order", std::size_t(rows));
  for (const auto& block : blocks) {
    const auto joined = result.order, order = block.plain.orders.rows.order;
    const Ordinal first = block.first_row;
    const bool is_own = is_identity(block);
    Kokkos::parallel_for(
        "Tessera::row_order", IndexPolicy<ExecutionSpace>(exec, 0, std::size_t(block.rows)),
        KOKKOS_LAMBDA(std::size_t place) {
          joined(std::size_t(first) + place) = first + (is_own ? Ordinal(place) : order(place));
        });
  }
  exec.fence("Tessera::row_order");
  return result;
}

}  // namespace Tessera::Impl
