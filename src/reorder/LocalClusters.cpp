// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Batches.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/reorder/LocalClusters.hpp>
#include <vector>

#include "LocalGroups.hpp"
#include "LocalStrips.hpp"

namespace Tessera::Impl {

/// Chooses the entries of each group that are used to compare its rows.
template <class Exec>
struct ChooseEntries {
  using Groups = LocalGroups<Exec>;
  Groups groups;

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team) const {
    const auto& A = groups.A;
    const Ordinal group = team.league_rank(), first = groups.first_row(group);
    const auto begin = static_cast<std::size_t>(A.row_offsets[first]);
    const std::size_t entries = static_cast<std::size_t>(A.row_offsets[first + groups.rows_of(group)]) - begin;
    int zeros = 0;
    while (most_group_entries << zeros < entries) ++zeros;
    std::size_t chosen = entries;
    for (; zeros > 0; ++zeros) {
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, entries),
          [&](std::size_t k, std::size_t& sum) { sum += Groups::is_chosen(A.column_indices[begin + k], zeros); },
          chosen);
      if (chosen <= most_group_entries) break;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      groups.zeros(group) = zeros;
      groups.before(group + 1) = chosen;
    });
  }
};

/// Returns the groups of A, without tables and lists.
template <class Exec>
LocalGroups<Exec> choose_entries(const Exec& exec, const CsrPattern<Offset>& A) {
  using Memory = typename Exec::memory_space;
  const Ordinal count = window_count(A.rows, local_group_rows);
  LocalGroups<Exec> groups;
  groups.A = A;
  take_at_once<Memory>(exec, "Tessera::LocalGroups", [&](Arena<Memory>& arena) {
    arena.take(groups.zeros, std::size_t(count));
    arena.take(groups.before, std::size_t(count) + 1);
  });
  Kokkos::parallel_for("Tessera::local_clusters::choose", teams(exec, count), ChooseEntries<Exec>{groups});
  counts_to_offsets(exec, groups.before);
  return groups;
}

/// Returns the shape of a team for groups whose rows have this mean length. Lanes wait at barriers if rows are short,
/// and larger teams wait longer. A thread reads rows and shorter lists of rows, so it has at most 16 lanes.
inline TeamShape shape_for_groups(double mean_length) {
  const int lanes = mean_length < 4 ? 32 : mean_length < 16 ? 128 : mean_length < 128 ? 256 : 512;
  return {lanes, std::min(lanes_for(mean_length), 16)};
}

/// Allocates tables and lists of groups for this number of entries, unless they are large enough.
template <class Exec>
void make_room(const Exec& exec, std::size_t entries, LocalGroups<Exec>& groups) {
  if (groups.places.extent(0) >= entries) return;
  groups.table = {};  // freed before larger ones are allocated
  groups.columns = {};
  groups.places = {};
  groups.rows = {};
  using Memory = typename Exec::memory_space;
  take_at_once<Memory>(exec, "Tessera::LocalGroups::tables", [&](Arena<Memory>& arena) {
    arena.take(groups.table, 2 * entries);
    arena.take(groups.columns, 2 * entries);
    arena.take(groups.places, entries);
    arena.take(groups.rows, entries);
  });
}

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> local_clusters(const ExecutionSpace& exec,
                                                                  const CsrPattern<Offset>& A) {
  using Strips = Impl::LocalStrips<ExecutionSpace>;
  Permutation<typename ExecutionSpace::memory_space> result;
  if (A.rows == 0) return result;
  const auto order =
      Impl::allocate<decltype(result.order)>(exec, "Tessera::Permutation::order", static_cast<std::size_t>(A.rows));
  auto groups = Impl::choose_entries(exec, A);
  const std::vector<std::size_t> before = Impl::host_copy(exec, groups.before);
  const std::size_t most = Impl::entries_of_batch<ExecutionSpace>(before.back(), Impl::least_local_batch);
  const Impl::TeamShape shape = Impl::shape_for_groups(static_cast<double>(before.back()) / A.rows);
  std::size_t moved = 0;
  for (std::size_t group = 0; group + 1 < before.size();) {
    const std::size_t next = Impl::end_of_batch(before, group, most);
    Impl::make_room(exec, before[next] - before[group], groups);
    groups.first_group = static_cast<Ordinal>(group);
    std::size_t of_batch = 0;
    Kokkos::parallel_reduce(
        "Tessera::local_clusters",
        Impl::teams(exec, static_cast<Ordinal>(next - group), sizeof(typename Strips::Scratch), shape),
        Strips{groups, order}, of_batch);
    exec.fence("Tessera::local_clusters");
    moved += of_batch;
    group = next;
  }
  if (moved > 0) result.order = order;
  return result;
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template Permutation<Exec::memory_space> local_clusters(const Exec&, const CsrPattern<Offset>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
