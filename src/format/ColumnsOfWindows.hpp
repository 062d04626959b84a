// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "SortedKeys.hpp"

namespace Tessera::Impl {

/// The distinct columns of tall windows of rows, and their entries. All threads share the work on a window, even if it
/// has many columns. For low windows, merging the rows (Windows.hpp) costs less.
template <class Memory>
struct ColumnsOfWindows {
  Csr<Memory> columns;  ///< a row for each window
  Array<Offset*, Memory>
      entry_offsets;               ///< first entry of each distinct column; the last element is the number of entries
  Array<Offset*, Memory> entries;  ///< canonical indices of the entries, sorted by window, column and row
  Array<std::uint64_t*, Memory> row_sets;  ///< window_rows / 64 words for each column: the rows with an entry in it
};

/// Sorts the entries by window and column. Keys are (window, column, row of the window). The bits of rows need not be
/// sorted, because entries are in the order of rows and the sort is stable.
template <class Exec>
static KeyedSlots<Exec, Offset> sort_by_window(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                                               Ordinal window_rows, int row_bits) {
  KeyedSlots<Exec, Offset> sorted(exec, nonzeros);
  const auto unsorted = sorted;
  const int column_bits = key_bits(A.columns);
  Kokkos::parallel_for(
      "Tessera::sort_by_window", IndexPolicy<Exec>(exec, 0, A.rows), KOKKOS_LAMBDA(std::size_t row) {
        const std::uint64_t window = row / std::size_t(window_rows), r = row % std::size_t(window_rows);
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          const std::uint64_t major = (window << column_bits) + static_cast<std::uint64_t>(A.column_indices[k]);
          unsorted.keys(k) = (major << row_bits) + r;
          unsorted.slots(k) = k;
        }
      });
  sorted.sort(exec, row_bits, row_bits + column_bits + key_bits(window_count(A.rows, window_rows)));
  return sorted;
}

/// Finds the distinct columns of windows of `window_rows` rows, a multiple of 64.
///
/// Cost: a radix sort of the entries.
template <class Exec>
static ColumnsOfWindows<typename Exec::memory_space> columns_of_windows(const Exec& exec, const CsrPattern<Offset>& A,
                                                                        std::size_t nonzeros, Ordinal window_rows) {
  using Memory = typename Exec::memory_space;
  const int row_bits = std::bit_width(static_cast<unsigned>(window_rows - 1));
  auto sorted = sort_by_window(exec, A, nonzeros, window_rows, row_bits);
  const auto keys = sorted.keys;
  ColumnsOfWindows<Memory> result;
  const std::size_t size = unique_keys(exec, sorted, result.entry_offsets, row_bits);
  result.columns =
      csr_of_sorted_keys<Exec>(exec, window_count(A.rows, window_rows), A.columns, sorted.keys, key_bits(A.columns));
  result.entries = sorted.slots;
  const auto words = static_cast<std::size_t>(window_rows / 64);
  result.row_sets = allocate<Array<std::uint64_t*, Memory>>(exec, "Tessera::row_sets", size * words);
  const auto offsets = result.entry_offsets;
  const auto row_sets = result.row_sets;
  Kokkos::parallel_for(
      "Tessera::row_sets", IndexPolicy<Exec>(exec, 0, size * words), KOKKOS_LAMBDA(std::size_t i) {
        const std::size_t column = i / words, word = i % words;
        std::uint64_t set = 0;
        for (Offset e = offsets(column); e < offsets(column + 1); ++e) {
          const std::uint64_t r = keys(e) & low_bits(row_bits);
          if (r / 64 == word) set |= std::uint64_t(1) << (r % 64);
        }
        row_sets(i) = set;
      });
  return result;
}

}  // namespace Tessera::Impl
