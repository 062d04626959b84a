// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
  const auto blocks = blocks_of_windows(exec, A, nonzeros, shape);
  const std::size_t columns = blocks.count;
  result.offsets = blocks.offsets;
  take_at_once<Memory>(exec, "Tessera::Brp::columns", [&](Arena<Memory>& arena) {
    arena.take(result.rows, columns);
    arena.take_behind(result.columns, columns);
    arena.take_behind(result.of_entries, records_entries ? nonzeros : 0);
  });
  fill_blocks(exec, A, nonzeros, shape, {result.offsets.data(), result.columns.data(), result.rows.data()},
              ColumnOfEntry<Memory>{result.of_entries});
  return result;
}

/// Cuts the entries of windows into groups and residual entries, for one f. Raw pointers to the arrays of BrpColumns.
struct BrpCut {
  int f = 1;                              ///< entries of a local column
  const Offset* offsets = nullptr;        ///< see BrpColumns
  const Ordinal* columns = nullptr;       ///< see BrpColumns
  const std::uint64_t* rows = nullptr;    ///< see BrpColumns
  const Offset* of_entries = nullptr;     ///< see BrpColumns
  const Offset* local_columns = nullptr;  ///< number of local columns before each column, in all windows, and of all

  /// Returns the number of local columns before a column, in all windows.
  KOKKOS_FUNCTION Offset before(Offset column) const { return local_columns[column]; }

  /// Returns the number of groups of a window.
  /// \param width [in] local columns of a group
  KOKKOS_FUNCTION Offset groups(Ordinal window, int width) const {
    return (before(offsets[window + 1]) - before(offsets[window])) / Offset(width);
  }

  /// Returns the first local column of a window that is in no group, counted as `before`.
  KOKKOS_FUNCTION Offset end(Ordinal window, int width) const {
    return before(offsets[window]) + groups(window, width) * Offset(width);
  }

  /// Returns how many entries of a column are grouped. These are in its first rows.
  /// \param end [in] end() of its window
  KOKKOS_FUNCTION int grouped(Offset column, Offset end) const {
    const Offset local = before(column + 1) - before(column), room = end - before(column);
    return static_cast<int>(room <= 0 ? 0 : room < local ? room : local) * f;
  }

  /// Returns the set of rows that have a residual entry in a column.
  KOKKOS_FUNCTION unsigned residual_rows(Offset column, Offset end) const {
    std::uint64_t residual = rows[column];
    for (int left = grouped(column, end); left > 0 && residual != 0; --left) residual &= residual - 1;
    return static_cast<unsigned>(residual);
  }
};

/// Cuts for several f, and the memory of what differs.
template <class Memory>
struct BrpCuts {
  static constexpr int most = 3;
  int count = 0;
  BrpCut of[most];
  Array<Offset*, Memory> local_columns[most];

  /// Returns the index of the cut for this f, which must be among them.
  KOKKOS_FUNCTION int index(int f) const {
    int i = 0;
    while (of[i].f != f) ++i;
    return i;
  }
  /// Returns the cut for this f, and frees the memory of the others.
  BrpCut keep(int f) {
    for (int i = 0; i < count; ++i)
      if (of[i].f != f) local_columns[i] = {};
    return of[index(f)];
  }
};

/// Numbers of local columns, one for each cut.
struct BrpLocalColumns {
  Offset of[BrpCuts<Kokkos::HostSpace>::most] = {};

  KOKKOS_INLINE_FUNCTION BrpLocalColumns& operator+=(const BrpLocalColumns& other) {
    for (int i = 0; i < BrpCuts<Kokkos::HostSpace>::most; ++i) of[i] += other.of[i];
    return *this;
  }
};

/// Cuts columns for each f of a list of at most BrpCuts::most, in one pass. The columns must outlive the cuts.
template <class Exec>
static BrpCuts<typename Exec::memory_space> cut_columns(const Exec& exec,
                                                        const BrpColumns<typename Exec::memory_space>& columns,
                                                        std::initializer_list<int> each_f) {
  using Memory = typename Exec::memory_space;
  const std::size_t count = columns.columns.extent(0);
  BrpCuts<Memory> cuts;
  for (const int f : each_f) {
    auto& local_columns = cuts.local_columns[cuts.count];
    local_columns = allocate<Array<Offset*, Memory>>(exec, "Tessera::Brp::local_columns", count + 1);
    cuts.of[cuts.count++] = {f,
                             columns.offsets.data(),
                             columns.columns.data(),
                             columns.rows.data(),
                             columns.of_entries.data(),
                             local_columns.data()};
  }
  const auto made = cuts;
  Kokkos::parallel_scan(
      "Tessera::count_local_columns", IndexPolicy<Exec>(exec, 0, count + 1),
      KOKKOS_LAMBDA(std::size_t column, BrpLocalColumns & sum, bool final) {
        const int entries = column < count ? popcount(made.of[0].rows[column]) : 0;
        for (int i = 0; i < made.count; ++i) {
          if (final) made.local_columns[i](column) = sum.of[i];
          sum.of[i] += static_cast<Offset>(entries / made.of[i].f);
        }
      });
  return cuts;
}

}  // namespace Tessera::Impl
