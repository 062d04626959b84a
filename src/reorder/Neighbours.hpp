// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/parallel/Teams.hpp>

#include "OwnerLists.hpp"

/// Finds the clusters that share a column with a given cluster.
namespace Tessera::Impl {

constexpr std::size_t longest_list = 48;  // a longer list of a column's owners is visited in part
constexpr std::size_t reach = 8;          // number of owners visited on each side, in a longer list

/// Counts occurrences of numbers. When three quarters of the table are in use, numbers that are not in it are ignored.
struct Tally {
  static constexpr int bits = 8;
  static constexpr int size = 1 << bits;
  static constexpr int most = 3 * size / 4;
  struct Place {
    Ordinal number, count;
  };
  Place places[size];
  int used;

  KOKKOS_INLINE_FUNCTION void clear() {
    for (Place& place : places) place = {-1, 0};
    used = 0;
  }

  KOKKOS_INLINE_FUNCTION static int first_place(Ordinal number) {
    return static_cast<int>((static_cast<std::uint32_t>(number) * 0x9e3779b9u) >> (32 - bits));
  }

  KOKKOS_INLINE_FUNCTION void add(Ordinal number) {
    int i = first_place(number);
    while (places[i].number != number) {
      if (places[i].number == -1) {
        if (used == most) return;
        ++used;
        places[i].number = number;
        break;
      }
      i = (i + 1) % size;
    }
    ++places[i].count;
  }

  /// Adds a number; lanes of a device may do so concurrently. The table must be full, or have room for the numbers of
  /// all lanes.
  KOKKOS_INLINE_FUNCTION void add_side_by_side(Ordinal number, bool is_full) {
    for (int i = first_place(number);; i = (i + 1) % size) {
      Ordinal found = Kokkos::atomic_load(&places[i].number);
      if (found == -1) {
        if (is_full) return;
        found = Kokkos::atomic_compare_exchange(&places[i].number, Ordinal(-1), number);
        if (found == -1) Kokkos::atomic_inc(&used);
      }
      if (found != -1 && found != number) continue;
      Kokkos::atomic_inc(&places[i].count);
      return;
    }
  }
};

/// The elements of an ascending list of ranks that are near a given rank.
struct ListPart {
  std::size_t begin, end;
};
template <class Ranks>
KOKKOS_INLINE_FUNCTION ListPart part_around(const Ranks& ranks, ListPart list, Ordinal rank) {
  std::size_t low = list.begin, high = list.end;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (ranks(middle) < rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {low > list.begin + reach ? low - reach : list.begin, list.end > low + reach ? low + reach : list.end};
}

/// Returns the owners of a column that the owner of this rank visits: all, or the nearby ones if the list is long.
template <class Memory>
KOKKOS_INLINE_FUNCTION ListPart owners_to_visit(const OwnerLists<Memory>& owners, Ordinal column, Ordinal rank) {
  const ListPart list{owners.offsets(column), owners.offsets(column + 1)};
  return list.end - list.begin > longest_list ? part_around(owners.ranks, list, rank) : list;
}

/// Counts the columns that the cluster with this rank shares with each other cluster. The table's numbers are ranks.
template <class Memory>
KOKKOS_INLINE_FUNCTION void tally_neighbours(const ColumnSets<Memory>& sets, const OwnerLists<Memory>& owners,
                                             Ordinal rank, Tally& shared) {
  const Ordinal cluster = owners.clusters(rank);
  for (const Ordinal* column = sets.begin(cluster); column < sets.end(cluster); ++column) {
    const ListPart list = owners_to_visit(owners, *column, rank);
    for (std::size_t i = list.begin; i < list.end; ++i) shared.add(owners.ranks(i));
  }
}

/// Number of columns whose lists are found in parallel.
constexpr int tally_columns = 32;

/// Adds a list with the lanes of a team. Gives the same result as a single lane, even if the table becomes full.
template <class Member, class Ranks>
KOKKOS_INLINE_FUNCTION void add_list(const Member& team, const Ranks& ranks, ListPart list, Tally& shared) {
  const auto size = static_cast<int>(list.end - list.begin);
  const int used = shared.used;
  team.team_barrier();  // all lanes have read `used` before any adds
  if (used == Tally::most || used + size <= Tally::most) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size), [&](int i) {
      shared.add_side_by_side(ranks(list.begin + std::size_t(i)), used == Tally::most);
    });
  } else {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (std::size_t i = list.begin; i < list.end; ++i) shared.add(ranks(i));
    });
  }
  team.team_barrier();
}

/// Adds the lists of columns, one on each lane, to a full table. No new number is inserted, hence the order does not
/// matter.
template <class Member, class Memory>
KOKKOS_INLINE_FUNCTION void add_to_full(const Member& team, const OwnerLists<Memory>& owners, Ordinal rank,
                                        const Ordinal* columns, const Ordinal* end, Tally& shared) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<std::size_t>(end - columns)), [&](std::size_t i) {
    const ListPart list = owners_to_visit(owners, columns[i], rank);
    for (std::size_t k = list.begin; k < list.end; ++k) shared.add_side_by_side(owners.ranks(k), true);
  });
  team.team_barrier();
}

/// Counts with the lanes of a team. `parts` is scratch memory of the team for tally_columns lists.
template <class Member, class Memory>
KOKKOS_INLINE_FUNCTION void tally_neighbours(const Member& team, const ColumnSets<Memory>& sets,
                                             const OwnerLists<Memory>& owners, Ordinal rank, Tally& shared,
                                             ListPart* parts) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(Tally::size)), [&](int i) { shared.places[i] = {-1, 0}; });
  Kokkos::single(Kokkos::PerTeam(team), [&] { shared.used = 0; });
  team.team_barrier();
  const Ordinal cluster = owners.clusters(rank);
  const Ordinal* const end = sets.end(cluster);
  for (const Ordinal* column = sets.begin(cluster); column < end; column += tally_columns) {
    const bool is_full = shared.used == Tally::most;
    team.team_barrier();
    if (is_full) return add_to_full(team, owners, rank, column, end, shared);
    const int count = end - column < tally_columns ? static_cast<int>(end - column) : tally_columns;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count),
                         [&](int i) { parts[i] = owners_to_visit(owners, column[i], rank); });
    team.team_barrier();
    for (int i = 0; i < count; ++i) add_list(team, owners.ranks, parts[i], shared);
  }
}

}  // namespace Tessera::Impl
