// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Teams.hpp>

#include "bcsr/BlockCounts.hpp"
#include "brp/BrpView.hpp"

/// Finds which entries of a window the block-row partition groups. All columns, and all entries, find this
/// independently of each other.
namespace Tessera::Impl {

/// The distinct columns of windows of 16 rows: the blocks of 16 x 1 elements.
template <class Memory>
struct BrpColumns {
  Array<Offset*, Memory> offsets;      ///< first column of each window; the last element is the number of columns
  Array<Ordinal*, Memory> columns;     ///< ascending within a window
  Array<std::uint64_t*, Memory> rows;  ///< bit r is set if row r of the window has an entry in the column
  Array<Offset*, Memory> of_entries;   ///< column of each entry of the matrix, as an index of `columns`, or empty
  Array<Offset*, Memory> before;       ///< columns + 1 numbers for cut_columns()
};

/// Records the column of each entry, if there is an array for it.
template <class Memory>
struct ColumnOfEntry {
  Array<Offset*, Memory> of_entries;

  KOKKOS_FUNCTION void operator()(std::size_t column, int, Offset k) const {
    if (of_entries.extent(0) > 0) of_entries(k) = static_cast<Offset>(column);
  }
};

/// \param records_entries [in] whether to fill of_entries
template <class Exec>
BrpColumns<typename Exec::memory_space> brp_columns(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                                                    bool records_entries) {
  using Memory = typename Exec::memory_space;
  BrpColumns<Memory> result;
  const BlockShape shape{16, 1};
  result.offsets = block_offsets_of_windows(exec, A, nonzeros, shape);
  const auto columns = static_cast<std::size_t>(read_element(exec, result.offsets.data() + shape.windows(A.rows)));
  take_at_once<Memory>(exec, "Tessera::Brp::columns", [&](Arena<Memory>& arena) {
    arena.take(result.rows, columns);
    arena.take_behind(result.columns, columns);
    arena.take_behind(result.before, columns + 1);
    arena.take_behind(result.of_entries, records_entries ? nonzeros : 0);
  });
  fill_blocks(exec, A, nonzeros, shape, {result.offsets.data(), result.columns.data(), result.rows.data()},
              ColumnOfEntry<Memory>{result.of_entries});
  return result;
}

/// Cuts the entries of windows into groups and residual entries, for one f.
template <class Memory>
struct BrpCut {
  BrpColumns<Memory> of;
  int f;

  /// Returns the number of local columns before a column, in all windows.
  KOKKOS_FUNCTION Offset before(Offset column) const { return of.before(column); }

  /// Returns the number of groups of a window.
  /// \param width [in] local columns of a group
  KOKKOS_FUNCTION Offset groups(Ordinal window, int width) const {
    return (before(of.offsets(window + 1)) - before(of.offsets(window))) / Offset(width);
  }

  /// Returns the first local column of a window that is in no group, counted as `before`.
  KOKKOS_FUNCTION Offset end(Ordinal window, int width) const {
    return before(of.offsets(window)) + groups(window, width) * Offset(width);
  }

  /// Returns how many entries of a column are grouped. These are in its first rows.
  /// \param end [in] end() of its window
  KOKKOS_FUNCTION int grouped(Offset column, Offset end) const {
    const Offset local = before(column + 1) - before(column), room = end - before(column);
    return static_cast<int>(room <= 0 ? 0 : room < local ? room : local) * f;
  }

  /// Returns the set of rows that have a residual entry in a column.
  KOKKOS_FUNCTION unsigned residual_rows(Offset column, Offset end) const {
    std::uint64_t rows = of.rows(column);
    for (int left = grouped(column, end); left > 0 && rows != 0; --left) rows &= rows - 1;
    return static_cast<unsigned>(rows);
  }
};

/// Computes `of.before` for this f. A cut for another f from the same columns is not valid any more.
template <class Exec>
static BrpCut<typename Exec::memory_space> cut_columns(const Exec& exec,
                                                       const BrpColumns<typename Exec::memory_space>& of, int f) {
  const std::size_t columns = of.columns.extent(0);
  const auto before = of.before;
  const auto rows = of.rows;
  Kokkos::parallel_scan(
      "Tessera::count_local_columns", IndexPolicy<Exec>(exec, 0, columns + 1),
      KOKKOS_LAMBDA(std::size_t column, Offset & sum, bool final) {
        if (final) before(column) = sum;
        if (column < columns) sum += static_cast<Offset>(popcount(rows(column)) / f);
      });
  return {of, f};
}

}  // namespace Tessera::Impl
