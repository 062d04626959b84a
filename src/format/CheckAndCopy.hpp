// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Teams.hpp>

namespace Tessera::Impl {

/// What one pass over compressed rows finds.
struct CsrFindings {
  /// Entries whose column is not greater than that of the entry before, except those that begin a row: 0 if the columns
  /// of each row ascend strictly.
  std::int64_t descents = 0;
  std::size_t faults = 0;  ///< rows with wrong offsets, and entries outside the columns of the matrix
  std::size_t used = 0;    ///< entries of all rows, if there are no faults
  RowSummary rows = {};    ///< of the rows, if there are no faults and no descents

  KOKKOS_FUNCTION void operator+=(const CsrFindings& other) {
    descents += other.descents;
    faults += other.faults;
    used += other.used;
    rows += other.rows;
  }
};

/// Checks and copies offsets of rows and columns of entries, both with the same indices. No column is read at an offset
/// that is wrong.
///
/// A thread of a host has adjacent indices, in loops that compilers vectorize. Those of a device's thread are as far
/// apart as there are threads, so adjacent threads read adjacent elements, and a thread waits for several at once.
template <bool on_host>
struct CheckAndCopy {
  static constexpr std::size_t at_once = on_host ? 1024 : 8;  // indices of a thread

  CsrPattern<Offset> A;
  std::size_t entries = 0;            // entries given, of which the rows may use fewer
  Offset* row_offsets = nullptr;      // rows + 1 elements, or null
  Ordinal* column_indices = nullptr;  // an element for each entry given, or null
  std::size_t threads = 0;

  KOKKOS_FUNCTION void operator()(std::size_t thread, CsrFindings& found) const {
    const auto rows = static_cast<std::size_t>(A.rows), used = static_cast<std::size_t>(A.row_offsets[rows]);
    const std::size_t end = used < entries ? used : entries;
    if (thread == 0) found.used = used;
    for_indices(thread, rows, [&](std::size_t row) { check_row(row, found); });
    if (row_offsets != nullptr)
      for_indices(thread, rows + 1, [&](std::size_t row) { row_offsets[row] = A.row_offsets[row]; });
    if constexpr (on_host) {
      check_columns(thread * at_once, end, found);
      if (column_indices != nullptr)
        for_indices(thread, end, [&](std::size_t k) { column_indices[k] = A.column_indices[k]; });
    } else {
      check_and_copy_columns(thread, end, found);
    }
  }

 private:
  /// Calls visit(index) for the thread's indices before `end`.
  template <class Visit>
  KOKKOS_FUNCTION void for_indices(std::size_t thread, std::size_t end, const Visit& visit) const {
    const std::size_t begin = on_host ? thread * at_once : thread, step = on_host ? 1 : threads;
    if (on_host && begin + at_once < end) end = begin + at_once;
    for (std::size_t i = begin; i < end; i += step) visit(i);
  }

  KOKKOS_FUNCTION void check_row(std::size_t row, CsrFindings& found) const {
    const Offset begin = A.row_offsets[row], end = A.row_offsets[row + 1];
    const bool starts = row > 0 || begin == 0;
    if (!starts || begin > end || static_cast<std::size_t>(end) > entries) {
      ++found.faults;
    } else if (0 <= begin && begin < end) {  // another row has the fault if `begin` is negative
      const Ordinal first = A.column_indices[begin];
      if (begin > 0 && first <= A.column_indices[begin - 1]) --found.descents;  // it was counted with the columns
      found.rows += {end - begin, 1, std::int64_t(A.column_indices[end - 1]) - first + 1};
    }
  }

  /// Checks adjacent columns.
  KOKKOS_FUNCTION void check_columns(std::size_t begin, std::size_t end, CsrFindings& found) const {
    if (begin + at_once < end) end = begin + at_once;
    int faults = 0, descents = 0;
    for (std::size_t k = begin; k < end; ++k)
      faults += static_cast<std::uint32_t>(A.column_indices[k]) >= static_cast<std::uint32_t>(A.columns);
    for (std::size_t k = begin == 0 ? 1 : begin; k < end; ++k)
      descents += A.column_indices[k] <= A.column_indices[k - 1];
    found.faults += static_cast<std::size_t>(faults);
    found.descents += descents;
  }

  /// Checks and copies columns that are `threads` apart. Reads all of them before it uses one.
  KOKKOS_FUNCTION void check_and_copy_columns(std::size_t thread, std::size_t end, CsrFindings& found) const {
    Ordinal column[at_once], before[at_once];
    for (std::size_t i = 0; i < at_once; ++i) {
      const std::size_t k = thread + i * threads;
      column[i] = k < end ? A.column_indices[k] : 0;
      before[i] = k < end && k > 0 ? A.column_indices[k - 1] : -1;
    }
    for (std::size_t i = 0; i < at_once; ++i) {
      const std::size_t k = thread + i * threads;
      if (k >= end) return;
      found.faults += static_cast<std::uint32_t>(column[i]) >= static_cast<std::uint32_t>(A.columns);
      found.descents += column[i] <= before[i];
      if (column_indices != nullptr) column_indices[k] = column[i];
    }
  }
};

/// Checks compressed rows with at least one row, and copies their offsets and columns. Waits once.
///
/// \param entries        [in]  number of entries given
/// \param row_offsets    [out] rows + 1 elements; null: not copied
/// \param column_indices [out] an element for each entry; only those that the rows use are written; null: not copied
///
/// Cost: one pass over the pattern.
template <class ExecutionSpace>
CsrFindings check_and_copy(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t entries,
                           Offset* row_offsets, Ordinal* column_indices) {
  using Check = CheckAndCopy<is_host_space<ExecutionSpace>>;
  const std::size_t indices = std::max(static_cast<std::size_t>(A.rows) + 1, entries);
  const std::size_t threads = (indices - 1) / Check::at_once + 1;
  CsrFindings found;
  Kokkos::parallel_reduce("Tessera::check_and_copy", IndexPolicy<ExecutionSpace>(exec, 0, threads),
                          Check{A, entries, row_offsets, column_indices, threads}, found);
  return found;
}

}  // namespace Tessera::Impl
