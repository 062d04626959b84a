// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "row_groups/RowGroups.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/parallel/TooManyPlaces.hpp>

#include "GroupSplit.hpp"
#include "InstantiateFormat.hpp"
#include "RowGroupsFault.hpp"
#include "RowWalk.hpp"

namespace Tessera::Impl {

/// Returns the upper bound on the rows of a group for a parameter.
inline int group_rows_of(int parameter) {
  if (parameter < 0 || parameter > most_group_rows) {
    throw std::invalid_argument("Tessera: group_rows is " + std::to_string(parameter) +
                                "; expected 1 to 4, or 0 for 4");
  }
  return parameter == 0 ? most_group_rows : parameter;
}

/// NewEntries of each row. Rows of other chunks do not count as previous rows.
template <class Memory>
using NewEntriesOfRows = Array<Ordinal * [most_group_rows - 1], Memory>;

/// Counts NewEntries of all rows.
template <class Exec>
struct CountNewEntries {
  CsrPattern<Offset> A;
  int group_rows;
  Ordinal team_rows;
  NewEntriesOfRows<typename Exec::memory_space> counts;

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team) const {
    const Ordinal first = team.league_rank() * team_rows, left = A.rows - first;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, left < team_rows ? left : team_rows), [&](Ordinal i) {
      const Ordinal row = first + i, before = row % RowGroupsPattern::chunk_rows;
      const int rows = before < group_rows - 1 ? before : group_rows - 1;
      NewEntries sum;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, A.row_offsets[row], A.row_offsets[row + 1]),
          [&](Offset k, NewEntries& counted) { counted += count_entry(A, row, A.column_indices[k], rows); },
          Kokkos::Sum<NewEntries>(sum));
      Kokkos::single(Kokkos::PerThread(team), [&] {
        for (int d = 0; d < most_group_rows - 1; ++d) counts(row, d) = sum.after[d];
      });
    });
  }
};

template <class Exec>
void count_new_entries(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, int group_rows,
                       const NewEntriesOfRows<typename Exec::memory_space>& new_entries) {
  if (A.rows == 0) return;
  const TeamShape shape{256, lanes_for(static_cast<double>(nonzeros) / A.rows)};
  // A row for each thread of a team: few long rows, too, are many teams.
  const Ordinal team_rows = is_host_space<Exec> ? 64 : shape.lanes / shape.thread_lanes;
  Kokkos::parallel_for("Tessera::count_new_entries", teams(exec, window_count(A.rows, team_rows), 0, shape),
                       CountNewEntries<Exec>{A, group_rows, team_rows, new_entries});
}

/// Cuts a chunk of A into groups; see split_chunk().
template <class NewEntries, class Choose>
KOKKOS_INLINE_FUNCTION RowGroupCounts cut_chunk(const CsrPattern<Offset>& A, const NewEntries& new_entries,
                                                Ordinal chunk, int group_rows, const Choose& choose) {
  constexpr Ordinal chunk_rows = RowGroupsPattern::chunk_rows;
  const Ordinal first = chunk * chunk_rows, left = A.rows - first;
  const auto length = [&](Ordinal row) { return static_cast<Ordinal>(A.row_offsets[row + 1] - A.row_offsets[row]); };
  return split_chunk(length, new_entries, first, first + (left < chunk_rows ? left : chunk_rows), group_rows, choose);
}

/// Counts and heights of rows, needed until the groups are known.
template <class Memory>
struct CutMemory {
  NewEntriesOfRows<Memory> new_entries;
  Array<std::uint8_t*, Memory> heights;  ///< height of the group that begins at each row

  template <class Exec>
  CutMemory(const Exec& exec, std::size_t rows) {
    take_at_once<Memory>(exec, "Tessera::cut_rows", [&](Arena<Memory>& arena) {
      arena.take(new_entries, rows);
      arena.take(heights, rows);
    });
  }
};

/// Computes chunk_groups, first_rows and stored of an empty pattern, and allocates the offsets of columns and values.
template <class Exec, class Memory>
void cut_rows(const Exec& exec, const CsrPattern<Offset>& A, const CutMemory<Memory>& memory, int group_rows,
              RowGroups<Memory>& p) {
  const Ordinal chunks = row_group_chunks(A.rows);
  p.chunk_groups =
      allocate<decltype(p.chunk_groups)>(exec, "Tessera::RowGroups::chunk_groups", std::size_t(chunks) + 1);
  const auto new_entries = memory.new_entries;
  const auto heights = memory.heights;
  const auto chunk_groups = p.chunk_groups;
  Kokkos::parallel_reduce(
      "Tessera::cut_rows", WindowPolicy<Exec>(exec, 0, chunks),
      KOKKOS_LAMBDA(Ordinal chunk, std::size_t & sum) {
        const RowGroupCounts counts = cut_chunk(A, new_entries, chunk, group_rows, [&](Ordinal row, int height) {
          heights(row) = static_cast<std::uint8_t>(height);
        });
        chunk_groups(chunk + 1) = static_cast<Ordinal>(counts.groups);
        sum += counts.values;
      },
      p.stored);
  counts_to_offsets(exec, p.chunk_groups);
  const auto groups = static_cast<std::size_t>(read_element(exec, p.chunk_groups.data() + chunks));
  take_at_once<Memory>(exec, "Tessera::RowGroups::groups", [&](Arena<Memory>& arena) {
    arena.take(p.first_rows, groups + 1);
    arena.take_behind(p.column_offsets, groups + 1);
    arena.take_behind(p.value_offsets, groups + 1);
  });
  const auto first_rows = p.first_rows;
  Kokkos::parallel_for(
      "Tessera::list_groups", WindowPolicy<Exec>(exec, 0, chunks + 1), KOKKOS_LAMBDA(Ordinal chunk) {
        if (chunk == chunks) {
          first_rows(groups) = A.rows;
          return;
        }
        Ordinal row = chunk * RowGroupsPattern::chunk_rows;
        for (Ordinal group = chunk_groups(chunk); group < chunk_groups(chunk + 1); ++group) {
          first_rows(group) = row;
          row += heights(row);
        }
      });
}

/// Computes the offsets of columns and values.
template <class Exec, class Memory>
void offset_columns(const Exec& exec, const CsrPattern<Offset>& A, const NewEntriesOfRows<Memory>& new_entries,
                    RowGroups<Memory>& p) {
  const auto counted = p;
  Kokkos::parallel_for(
      "Tessera::offset_columns", WindowPolicy<Exec>(exec, 0, p.groups()), KOKKOS_LAMBDA(Ordinal group) {
        const Ordinal first = counted.first_rows(group), height = counted.first_rows(group + 1) - first;
        auto columns = static_cast<std::size_t>(A.row_offsets[first + 1] - A.row_offsets[first]);
        for (int r = 1; r < height; ++r) columns += static_cast<std::size_t>(new_entries(first + r, r - 1));
        columns = padded_group_columns(columns);
        counted.column_offsets(group + 1) = static_cast<Offset>(columns);
        counted.value_offsets(group + 1) = static_cast<Offset>(columns * static_cast<std::size_t>(height));
      });
  counts_to_offsets(exec, p.column_offsets);
  counts_to_offsets(exec, p.value_offsets);
}

/// Computes columns and masks of groups. The lanes of a thread share a group: each merges a range of columns, which
/// begins with a column of the group's longest row.
template <class Exec>
struct FillGroups {
  CsrPattern<Offset> A;
  RowGroups<typename Exec::memory_space> filled;
  Ordinal groups;
  Ordinal team_groups;
  Ordinal parts;  // ranges of columns

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team) const {
    const Ordinal first = team.league_rank() * team_groups, left = groups - first;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, left < team_groups ? left : team_groups), [&](Ordinal i) {
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, parts), [&](Ordinal part, Offset& place, bool is_final) {
        merge_part(first + i, part, place, is_final);
      });
    });
  }

 private:
  KOKKOS_FUNCTION Ordinal longest_row(Ordinal first, Ordinal height) const {
    Ordinal longest = first;
    for (Ordinal row = first + 1; row < first + height; ++row) {
      if (A.row_offsets[row + 1] - A.row_offsets[row] > A.row_offsets[longest + 1] - A.row_offsets[longest])
        longest = row;
    }
    return longest;
  }

  /// Returns the column with which a part begins, by the row that cuts the parts.
  KOKKOS_FUNCTION Ordinal begin_of(Ordinal row, Ordinal part) const {
    const Offset begin = A.row_offsets[row], length = A.row_offsets[row + 1] - begin;
    if (part == 0) return 0;
    if (part == parts || length == 0) return no_group_column;
    return A.column_indices[begin + static_cast<Offset>(std::int64_t(length) * part / parts)];
  }

  /// Adds the number of columns of a part to `place`, and writes them behind those of the parts before it if is_final.
  KOKKOS_FUNCTION void merge_part(Ordinal group, Ordinal part, Offset& place, bool is_final) const {
    const Ordinal first = filled.first_rows(group), height = filled.first_rows(group + 1) - first;
    const Offset before = filled.column_offsets(group);
    const auto write = [&](Ordinal column, unsigned mask) {
      filled.group_columns(before + place) = column;
      filled.column_masks(before + place) = static_cast<std::uint8_t>(mask);
    };
    const Ordinal row = longest_row(first, height);
    merge_group(A, first, height, begin_of(row, part), begin_of(row, part + 1), [&](Ordinal column, unsigned mask) {
      if (is_final) write(column, mask);
      ++place;
    });
    if (!is_final || part + 1 < parts) return;
    const Ordinal last = last_column(first, height);
    for (const Offset end = filled.column_offsets(group + 1) - before; place < end; ++place) write(last, 0);
  }

  /// Returns the greatest column of the rows of a group.
  KOKKOS_FUNCTION Ordinal last_column(Ordinal first, Ordinal height) const {
    Ordinal last = 0;
    for (Ordinal row = first; row < first + height; ++row) {
      const Offset end = A.row_offsets[row + 1];
      if (end > A.row_offsets[row] && A.column_indices[end - 1] > last) last = A.column_indices[end - 1];
    }
    return last;
  }
};

/// Allocates and computes columns and masks.
template <class Exec, class Memory>
void fill_groups(const Exec& exec, const CsrPattern<Offset>& A, RowGroups<Memory>& p) {
  const auto columns = static_cast<std::size_t>(read_element(exec, p.column_offsets.data() + p.groups()));
  take_at_once<Memory>(exec, "Tessera::RowGroups::columns", [&](Arena<Memory>& arena) {
    arena.take(p.group_columns, columns);
    arena.take_behind(p.column_masks, columns);
  });
  if (columns == 0) return;
  constexpr double lane_columns = 16;  // fewer cost more bisections than they save steps
  const TeamShape shape{256, lanes_for(static_cast<double>(columns) / p.groups() / lane_columns)};
  const Ordinal team_groups = is_host_space<Exec> ? 64 : shape.lanes / shape.thread_lanes;
  const Ordinal parts = is_host_space<Exec> ? 1 : shape.thread_lanes;
  Kokkos::parallel_for("Tessera::fill_groups", teams(exec, window_count(p.groups(), team_groups), 0, shape),
                       FillGroups<Exec>{A, p, p.groups(), team_groups, parts});
}

template <class ExecutionSpace>
RowGroupCounts count_row_groups(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                                int group_rows) {
  RowGroupCounts counts;
  group_rows = Impl::group_rows_of(group_rows);
  using Memory = typename ExecutionSpace::memory_space;
  const auto new_entries =
      Impl::allocate<Impl::NewEntriesOfRows<Memory>>(exec, "Tessera::new_entries", static_cast<std::size_t>(A.rows));
  Impl::count_new_entries(exec, A, nonzeros, group_rows, new_entries);
  Kokkos::parallel_reduce(
      "Tessera::count_row_groups", Impl::WindowPolicy<ExecutionSpace>(exec, 0, row_group_chunks(A.rows)),
      KOKKOS_LAMBDA(Ordinal chunk, std::size_t & groups, std::size_t & columns, std::size_t & values) {
        const RowGroupCounts own = Impl::cut_chunk(A, new_entries, chunk, group_rows, [](Ordinal, int) {});
        groups += own.groups;
        columns += own.columns;
        values += own.values;
      },
      Kokkos::Sum<std::size_t>(counts.groups), Kokkos::Sum<std::size_t>(counts.columns),
      Kokkos::Sum<std::size_t>(counts.values));
  exec.fence("Tessera::count_row_groups");
  return counts;
}

template <class ExecutionSpace>
BuiltRowGroups<typename ExecutionSpace::memory_space> build_row_groups(const ExecutionSpace& exec,
                                                                       const CsrPattern<Offset>& A,
                                                                       std::size_t nonzeros, int group_rows) {
  RowGroups<typename ExecutionSpace::memory_space> p;
  p.rows = A.rows;
  p.columns = A.columns;
  p.nonzeros = nonzeros;
  group_rows = Impl::group_rows_of(group_rows);
  {
    const Impl::CutMemory<typename ExecutionSpace::memory_space> memory(exec, static_cast<std::size_t>(A.rows));
    Impl::count_new_entries(exec, A, nonzeros, group_rows, memory.new_entries);
    Impl::cut_rows(exec, A, memory, group_rows, p);
    Impl::check_places("values of row groups", p.stored);
    Impl::offset_columns(exec, A, memory.new_entries, p);
  }
  Impl::fill_groups(exec, A, p);
  return {p, Impl::map_from_rows(exec, A, p.view(), nonzeros, p.places())};
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const RowGroups<typename ExecutionSpace::memory_space>& A) {
  return Impl::rows_of_format(exec, A.view(), A.nonzeros);
}

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const RowGroups<typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("row groups", Impl::row_groups_fault(exec, A));
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                          \
  template BuiltRowGroups<Exec::memory_space> build_row_groups(const Exec&, const CsrPattern<Offset>&, std::size_t, \
                                                               int);                                                \
  template RowGroupCounts count_row_groups(const Exec&, const CsrPattern<Offset>&, std::size_t, int);               \
  TESSERA_INSTANTIATE_FORMAT(RowGroups, Exec)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
