// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/common/RowSearch.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/TeamBitmap.hpp>
#include <tessera/parallel/Teams.hpp>

#include "bcsr/BlockTeams.hpp"

/// Finds the distinct columns of tall windows of rows. One team works on a window. It marks columns in a bitmap in its
/// scratch memory, and numbers the marks. If the columns of a window reach farther than the bitmap, the team first
/// marks which groups of 32 adjacent columns have entries: the bitmap then has a word for each of these groups alone.
/// If even these are too many, the team works on slices of the columns, one after the other.
namespace Tessera::Impl {

template <class Memory>
struct ColumnsOfWindows {
  Array<Offset*, Memory> offsets;          ///< first column of each window; the last element is the number of columns
  Array<Ordinal*, Memory> columns;         ///< ascending within a window
  Array<std::uint64_t*, Memory> row_sets;  ///< window_rows / 64 words for each column: the rows with an entry in it
  Array<Offset*, Memory> entry_offsets;    ///< number of entries in all columns before each one, and in all
};

/// Columns of a window that fit in a bitmap.
template <class Exec>
struct ColumnSlice {
  Ordinal begin, end;
  int words;                ///< words of the bitmap
  TeamBitmap<Exec> groups;  ///< the groups that have a word each; no bitmap if all have
  Ordinal groups_begin;     ///< first column of group 0
  int first_rank;           ///< rank of the group that has the first word

  /// Returns the place of a column of the slice in the bitmap.
  KOKKOS_FUNCTION int place(Ordinal column) const {
    const int distance = column - groups_begin;
    return groups.words == 0 ? distance : 32 * (groups.rank(distance / 32) - first_rank) + distance % 32;
  }
};

/// What the teams of all kernels share.
template <class Exec>
struct SlicedWindows {
  using Member = typename Teams<Exec>::member_type;
  using Bitmap = TeamBitmap<Exec>;

  WindowTeam<Exec> windows;
  int group_words;  ///< words of the bitmap of groups

  SlicedWindows(const CsrPattern<Offset>& A, Ordinal window_rows) : windows(A, {window_rows, 1}), group_words(0) {
    const int groups = A.columns / 32 + 1;
    if (groups > windows.words) group_words = groups / 32 + 1 < most_slice_words ? groups / 32 + 1 : most_slice_words;
  }

  std::size_t scratch() const { return Bitmap::bytes(windows.words) + Bitmap::bytes(group_words); }

  /// Calls visit(row of the window, k) for all entries k of a window in columns begin, ..., end - 1.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_entry(const Member& team, Ordinal window, Ordinal begin, Ordinal end,
                                      const Visit& visit) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, windows.rows(window)), [&](Ordinal r) {
      const CsrPattern<Offset>& A = windows.A;
      const Ordinal row = windows.first_row(window) + r;
      Offset first = A.row_offsets[row], last = A.row_offsets[row + 1];
      if (first == last) return;
      if (A.column_indices[first] < begin) first = first_from(A, first, last, begin);
      if (A.column_indices[last - 1] >= end) last = first_from(A, first, last, end);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, last), [&](Offset k) { visit(r, k); });
    });
  }

  /// Calls visit(slice) for all slices of a window, in the order of columns.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_slice(const Member& team, Ordinal window, const Visit& visit) const {
    const Kokkos::MinMaxScalar<Ordinal> range = windows.range(team, window);
    if (range.min_val > range.max_val) return;
    const Ordinal all_words = (range.max_val - range.min_val) / 32 + 1;
    if (all_words <= windows.words) {
      visit(ColumnSlice<Exec>{range.min_val, range.max_val + 1, all_words, {}, range.min_val, 0});
      return;
    }
    Bitmap groups(team, group_words);
    const Ordinal reach = 32 * 32 * group_words;  // columns of all groups that have a bit
    for (Ordinal begin = range.min_val, left = range.max_val - begin; left >= 0; begin += reach, left -= reach) {
      visit_groups(team, window, begin, left < reach ? begin + left + 1 : begin + reach, groups, visit);
      if (left < reach) return;
    }
  }

  /// Marks the columns of a slice. Returns their number.
  KOKKOS_FUNCTION int mark(const Member& team, Ordinal window, const ColumnSlice<Exec>& slice, Bitmap& marks) const {
    marks.clear(team, slice.words);
    for_each_entry(team, window, slice.begin, slice.end,
                   [&](Ordinal, Offset k) { marks.mark(slice.place(windows.A.column_indices[k])); });
    return marks.count(team);
  }

 private:
  /// Marks the groups of columns begin, ..., end - 1. Calls visit(slice) for slices of as many groups as fit.
  template <class Visit>
  KOKKOS_FUNCTION void visit_groups(const Member& team, Ordinal window, Ordinal begin, Ordinal end, Bitmap& groups,
                                    const Visit& visit) const {
    groups.clear(team, group_words);
    for_each_entry(team, window, begin, end,
                   [&](Ordinal, Offset k) { groups.mark((windows.A.column_indices[k] - begin) / 32); });
    const int count = groups.count(team);
    for (int rank = 0; rank < count; rank += windows.words) {
      const bool is_last = count - rank <= windows.words;
      visit(ColumnSlice<Exec>{begin + 32 * groups.number(rank),
                              is_last ? end : begin + 32 * groups.number(rank + windows.words),
                              is_last ? count - rank : windows.words, groups, begin, rank});
    }
    team.team_barrier();
  }
};

/// Counts the columns of windows, one team each.
template <class Exec>
struct CountColumns {
  SlicedWindows<Exec> sliced;
  Offset* of_windows;  ///< gets the number of columns of each window

  KOKKOS_FUNCTION void operator()(const typename SlicedWindows<Exec>::Member& team) const {
    const Ordinal window = team.league_rank();
    TeamBitmap<Exec> marks(team, sliced.windows.words);
    Offset columns = 0;
    sliced.for_each_slice(team, window, [&](const ColumnSlice<Exec>& slice) {
      columns += static_cast<Offset>(sliced.mark(team, window, slice, marks));
      team.team_barrier();
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] { of_windows[window] = columns; });
  }
};

/// Fills in the columns of windows and their row sets, one team each.
template <class Exec>
struct FillColumns {
  SlicedWindows<Exec> sliced;
  const Offset* offsets;  ///< see ColumnsOfWindows
  Ordinal* columns;
  std::uint64_t* row_sets;
  std::size_t set_words;  ///< words of a row set

  KOKKOS_FUNCTION void operator()(const typename SlicedWindows<Exec>::Member& team) const {
    const Ordinal window = team.league_rank();
    TeamBitmap<Exec> marks(team, sliced.windows.words);
    auto first = std::size_t(offsets[window]);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, (std::size_t(offsets[window + 1]) - first) * set_words),
                         [&](std::size_t word) { row_sets[first * set_words + word] = 0; });
    sliced.for_each_slice(team, window, [&](const ColumnSlice<Exec>& slice) {
      const int count = sliced.mark(team, window, slice, marks);
      sliced.for_each_entry(team, window, slice.begin, slice.end, [&](Ordinal r, Offset k) {
        const Ordinal column = sliced.windows.A.column_indices[k];
        const std::size_t place = first + std::size_t(marks.rank(slice.place(column)));
        const std::uint64_t rows_before =
            add_bits<Exec>(&row_sets[place * set_words + std::size_t(r / 64)], std::uint64_t(1) << r % 64);
        if (rows_before == 0) columns[place] = column;
      });
      first += std::size_t(count);
      team.team_barrier();
    });
  }
};

/// Finds the distinct columns of windows of `window_rows` rows, a multiple of 64.
///
/// Cost: three passes over the entries, and two more for each bitmap of groups. Windows with more columns than fit in
/// the bitmap cost two bisections of a row for each slice and pass.
template <class Exec>
static ColumnsOfWindows<typename Exec::memory_space> columns_of_windows(const Exec& exec, const CsrPattern<Offset>& A,
                                                                        std::size_t nonzeros, Ordinal window_rows) {
  using Memory = typename Exec::memory_space;
  const Ordinal windows = window_count(A.rows, window_rows);
  ColumnsOfWindows<Memory> result;
  result.offsets =
      allocate<Array<Offset*, Memory>>(exec, "Tessera::ColumnsOfWindows::offsets", windows + std::size_t(1));
  const SlicedWindows<Exec> sliced(A, window_rows);
  const auto for_each_window = [&](const char* label, const auto& kernel) {
    if (windows == 0) return;
    Kokkos::parallel_for(label, window_teams(exec, A, nonzeros, {window_rows, 1}, sliced.scratch()), kernel);
  };
  for_each_window("Tessera::count_columns", CountColumns<Exec>{sliced, result.offsets.data() + 1});
  counts_to_offsets(exec, result.offsets);
  const auto columns = static_cast<std::size_t>(read_element(exec, result.offsets.data() + windows));
  const auto words = static_cast<std::size_t>(window_rows / 64);
  take_at_once<Memory>(exec, "Tessera::ColumnsOfWindows", [&](Arena<Memory>& arena) {
    arena.take(result.row_sets, columns * words);
    arena.take_behind(result.columns, columns);
    arena.take_behind(result.entry_offsets, columns + 1);
  });
  for_each_window("Tessera::fill_columns", FillColumns<Exec>{sliced, result.offsets.data(), result.columns.data(),
                                                             result.row_sets.data(), words});
  const auto row_sets = result.row_sets;
  const auto entry_offsets = result.entry_offsets;
  Kokkos::parallel_scan(
      "Tessera::entries_of_columns", IndexPolicy<Exec>(exec, 0, columns + 1),
      KOKKOS_LAMBDA(std::size_t column, Offset & sum, bool final) {
        if (final) entry_offsets(column) = sum;
        if (column == columns) return;
        for (std::size_t word = 0; word < words; ++word)
          sum += static_cast<Offset>(popcount(row_sets(column * words + word)));
      });
  return result;
}

}  // namespace Tessera::Impl
