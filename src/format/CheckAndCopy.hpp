// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
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

  KOKKOS_FUNCTION void operator+=(const CsrFindings& other) {
    descents += other.descents;
    faults += other.faults;
    used += other.used;
  }
};

/// Checks and copies offsets of rows and columns of entries, both with the same indices. On devices each thread has one
/// index, so adjacent threads read adjacent elements, however long the rows are. On hosts it has many, in loops that
/// compilers vectorize. No column is read at an offset that is wrong.
template <std::size_t indices_at_once>
struct CheckAndCopy {
  CsrPattern<Offset> A;
  std::size_t entries = 0;            // entries given, of which the rows may use fewer
  Offset* row_offsets = nullptr;      // rows + 1 elements, or null
  Ordinal* column_indices = nullptr;  // an element for each entry given, or null

  KOKKOS_FUNCTION void operator()(std::size_t part, CsrFindings& found) const {
    const std::size_t begin = part * indices_at_once, end = begin + indices_at_once;
    const auto rows = static_cast<std::size_t>(A.rows), used = static_cast<std::size_t>(A.row_offsets[rows]);
    for (std::size_t row = begin; row < lesser(end, rows); ++row) check_row(row, found);
    if (begin <= rows && rows < end) found.used = used;
    const std::size_t last = lesser(end, lesser(used, entries));
    check_columns(begin, last, found);
    if (column_indices != nullptr) copy(A.column_indices, column_indices, begin, last);
    if (row_offsets != nullptr) copy(A.row_offsets, row_offsets, begin, lesser(end, rows + 1));
  }

 private:
  static KOKKOS_FUNCTION std::size_t lesser(std::size_t a, std::size_t b) { return a < b ? a : b; }

  template <class T>
  static KOKKOS_FUNCTION void copy(const T* from, T* to, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] = from[i];
  }

  KOKKOS_FUNCTION void check_row(std::size_t row, CsrFindings& found) const {
    const Offset begin = A.row_offsets[row], end = A.row_offsets[row + 1];
    const bool starts = row > 0 || begin == 0;
    if (!starts || begin > end || static_cast<std::size_t>(end) > entries) {
      ++found.faults;
    } else if (begin > 0 && begin < end && A.column_indices[begin] <= A.column_indices[begin - 1]) {
      --found.descents;  // check_columns() counts it
    }
  }

  KOKKOS_FUNCTION void check_columns(std::size_t begin, std::size_t end, CsrFindings& found) const {
    int faults = 0, descents = 0;
    for (std::size_t k = begin; k < end; ++k)
      faults += static_cast<std::uint32_t>(A.column_indices[k]) >= static_cast<std::uint32_t>(A.columns);
    for (std::size_t k = begin == 0 ? 1 : begin; k < end; ++k)
      descents += A.column_indices[k] <= A.column_indices[k - 1];
    found.faults += static_cast<std::size_t>(faults);
    found.descents += descents;
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
  constexpr std::size_t at_once = is_host_space<ExecutionSpace> ? 1024 : 1;
  const std::size_t indices = std::max(static_cast<std::size_t>(A.rows) + 1, entries);
  CsrFindings found;
  Kokkos::parallel_reduce("Tessera::check_and_copy", IndexPolicy<ExecutionSpace>(exec, 0, (indices - 1) / at_once + 1),
                          CheckAndCopy<at_once>{A, entries, row_offsets, column_indices}, found);
  return found;
}

}  // namespace Tessera::Impl
