// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ClusterMatching.hpp"

#include <cstdint>
#include <string>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "Neighbours.hpp"

namespace Tessera::Impl {

constexpr int passes = 3;       // number of passes; clusters that are still free afterwards share few columns
constexpr int rounds = 16;      // rounds of choices in a pass; most pairs form in the first few
constexpr int list_length = 8;  // candidates that a cluster keeps

/// Returns a candidate as one number. Larger numbers are more similar: similarity is the number of columns that both
/// clusters have, divided by the number that either has. On a grid most candidates are equally similar, and mutual
/// choices would be rare. Ties go to the candidate whose number differs in the lowest bits: 2 k and 2 k + 1 then choose
/// each other, and natural orders give regular boxes. Both clusters break the remaining ties in the same way.
KOKKOS_INLINE_FUNCTION std::uint64_t candidate(Ordinal cluster, Ordinal partner, std::uint64_t shared,
                                               std::uint64_t either) {
  const std::uint64_t similarity = (shared << 20) / either;  // at most 2^20
  const auto low = static_cast<std::uint32_t>(cluster < partner ? cluster : partner);
  const auto high = static_cast<std::uint32_t>(cluster < partner ? partner : cluster);
  std::uint32_t closeness = 31;
  for (std::uint32_t differing = low ^ high; differing != 0; differing >>= 1) --closeness;
  const std::uint32_t any = scramble(low ^ scramble(high)) >> 26;
  return similarity << 43 | std::uint64_t(closeness << 6 | any) << 32 | std::uint64_t(partner);
}

KOKKOS_INLINE_FUNCTION Ordinal partner_of(std::uint64_t candidate) {
  return static_cast<Ordinal>(candidate & 0x7fffffffu);
}

/// The partner, the present choice and the best candidates of each cluster.
template <class Memory>
struct ClusterMatching {
  ColumnSets<Memory> sets;
  Array<Ordinal*, Memory> partners;                        // -1 if the cluster is free
  Array<Ordinal*, Memory> choices;                         // -1 if there is none
  Array<std::uint64_t* [list_length], Memory> candidates;  // 0 if there are fewer

  KOKKOS_INLINE_FUNCTION std::uint64_t offered(Ordinal cluster, Ordinal other, Ordinal shared) const {
    const std::uint64_t both = std::uint64_t(sets.sizes(cluster)) + std::uint64_t(sets.sizes(other));
    return candidate(cluster, other, std::uint64_t(shared), both - std::uint64_t(shared));
  }

  /// Keeps a candidate if it is better than the worst candidate of the cluster.
  KOKKOS_INLINE_FUNCTION void offer(Ordinal cluster, Ordinal other, Ordinal shared) const {
    int worst = 0;
    for (int i = 1; i < list_length; ++i) {
      if (candidates(cluster, i) < candidates(cluster, worst)) worst = i;
    }
    const std::uint64_t offer = offered(cluster, other, shared);
    if (offer > candidates(cluster, worst)) candidates(cluster, worst) = offer;
  }

  KOKKOS_INLINE_FUNCTION Ordinal best_free(Ordinal cluster) const {
    std::uint64_t best = 0;
    for (int i = 0; i < list_length; ++i) {
      const std::uint64_t entry = candidates(cluster, i);
      if (entry > best && partners(partner_of(entry)) < 0) best = entry;
    }
    return best == 0 ? -1 : partner_of(best);
  }
};

template <class Exec, class Ordinals>
Ordinals free_clusters(const Exec& exec, const Ordinals& partners) {
  const std::size_t count = partners.extent(0);
  const Ordinals places = allocate<Ordinals>(exec, "Tessera::places", count + 1);
  Kokkos::parallel_for(
      "Tessera::free_clusters::count", IndexPolicy<Exec>(exec, 0, count),
      KOKKOS_LAMBDA(std::size_t cluster) { places(cluster + 1) = partners(cluster) < 0 ? 1 : 0; });
  counts_to_offsets(exec, places);
  const Ordinals clusters =
      allocate<Ordinals>(exec, "Tessera::clusters", std::size_t(read_element(exec, places.data() + count)));
  Kokkos::parallel_for(
      "Tessera::free_clusters::fill", IndexPolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(std::size_t cluster) {
        if (partners(cluster) < 0) clusters(places(cluster)) = static_cast<Ordinal>(cluster);
      });
  return clusters;
}

/// Finds the candidates of a cluster with one thread.
template <class Memory>
struct CandidatesOfCluster {
  ClusterMatching<Memory> m;
  OwnerLists<Memory> owners;

  KOKKOS_FUNCTION void operator()(Ordinal rank) const {
    const Ordinal cluster = owners.clusters(rank);
    for (int i = 0; i < list_length; ++i) m.candidates(cluster, i) = 0;
    Tally shared;
    shared.clear();
    tally_neighbours(m.sets, owners, rank, shared);
    for (const Tally::Place& place : shared.places) {
      if (place.number < 0 || place.number == rank) continue;
      m.offer(cluster, owners.clusters(place.number), place.count);
    }
  }
};

/// Finds the candidates of a cluster with a team, whose lanes count and compare in parallel.
template <class Memory>
struct CandidatesOfTeam {
  /// The scratch memory of a team.
  struct Scratch {
    Tally shared;
    ListPart parts[tally_columns];
    std::uint64_t offers[Tally::size];
  };

  ClusterMatching<Memory> m;
  OwnerLists<Memory> owners;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal rank = team.league_rank(), cluster = owners.clusters(rank);
    Scratch& s = *team_array<Scratch>(team, 1);
    tally_neighbours(team, m.sets, owners, rank, s.shared, s.parts);
    const int places = Tally::size;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, places), [&](int i) {
      const auto [number, count] = s.shared.places[i];
      s.offers[i] = number < 0 || number == rank ? 0 : m.offered(cluster, owners.clusters(number), count);
    });
    std::uint64_t last = ~std::uint64_t(0);  // offers are all different, because each has another cluster's number
    for (int best = 0; best < list_length; ++best) {
      team.team_barrier();
      std::uint64_t next = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, places),
          [&](int i, std::uint64_t& most) {
            if (s.offers[i] < last && s.offers[i] > most) most = s.offers[i];
          },
          Kokkos::Max<std::uint64_t>(next));
      Kokkos::single(Kokkos::PerTeam(team), [&] { m.candidates(cluster, best) = next; });
      last = next;
    }
  }
};

template <class Exec, class Memory, class Ordinals>
void find_candidates(const Exec& exec, const ClusterMatching<Memory>& m, const Ordinals& clusters, Ordinal columns) {
  const auto owners = list_owners(exec, m.sets, clusters, columns, longest_list);
  const auto count = static_cast<Ordinal>(clusters.extent(0));
  const std::string label = "Tessera::find_candidates";
  if constexpr (is_host_space<Exec>) {
    Kokkos::parallel_for(label, WindowPolicy<Exec>(exec, 0, count), CandidatesOfCluster<Memory>{m, owners});
  } else {
    using Candidates = CandidatesOfTeam<Memory>;
    const bool are_long = m.sets.columns.extent(0) / m.sets.sizes.extent(0) >= 2 * std::size_t(tally_columns);
    Kokkos::parallel_for(label,
                         teams(exec, count, sizeof(typename Candidates::Scratch), TeamShape{are_long ? 256 : 32, 32}),
                         Candidates{m, owners});
  }
}

/// Pairs clusters that choose each other. Returns whether any were paired.
template <class Exec, class Memory, class Ordinals>
bool pair_mutual_choices(const Exec& exec, const ClusterMatching<Memory>& m, const Ordinals& clusters) {
  Kokkos::parallel_for(
      "Tessera::pair_mutual_choices::choose", IndexPolicy<Exec>(exec, 0, clusters.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) {
        const Ordinal cluster = clusters(i);
        m.choices(cluster) = m.partners(cluster) < 0 ? m.best_free(cluster) : -1;
      });
  std::size_t paired = 0;
  Kokkos::parallel_reduce(
      "Tessera::pair_mutual_choices::pair", IndexPolicy<Exec>(exec, 0, clusters.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) {
        const Ordinal cluster = clusters(i);
        const Ordinal choice = m.choices(cluster);
        if (choice < 0 || m.choices(choice) != cluster) return;
        m.partners(cluster) = choice;
        ++sum;
      },
      paired);
  exec.fence("Tessera::pair_mutual_choices");
  return paired > 0;
}

/// Pairs the other clusters in order. Clusters that never share a column are last, because an empty row should not take
/// a place in a good window.
template <class Exec, class Memory>
void pair_leftovers(const Exec& exec, const ClusterMatching<Memory>& m) {
  const auto clusters = free_clusters(exec, m.partners);
  SlotSort<Exec, Ordinal> leftovers(exec, clusters.extent(0));
  const auto keys = leftovers.keys;
  const auto slots = leftovers.slots;
  Kokkos::parallel_for(
      "Tessera::pair_leftovers::keys", IndexPolicy<Exec>(exec, 0, clusters.extent(0)), KOKKOS_LAMBDA(std::size_t i) {
        keys(i) = m.sets.listed(clusters(i)) == 0 ? 1 : 0;
        slots(i) = clusters(i);
      });
  const auto sorted = leftovers.sort(exec, 1);
  Kokkos::parallel_for(
      "Tessera::pair_leftovers", IndexPolicy<Exec>(exec, 0, sorted.extent(0) / 2), KOKKOS_LAMBDA(std::size_t pair) {
        m.partners(sorted(2 * pair)) = sorted(2 * pair + 1);
        m.partners(sorted(2 * pair + 1)) = sorted(2 * pair);
      });
}

template <class ExecutionSpace>
Array<Ordinal*, typename ExecutionSpace::memory_space> match_clusters(
    const ExecutionSpace& exec, const ColumnSets<typename ExecutionSpace::memory_space>& sets, Ordinal columns) {
  using Memory = typename ExecutionSpace::memory_space;
  using Ordinals = Array<Ordinal*, Memory>;
  const auto count = static_cast<std::size_t>(sets.count());
  ClusterMatching<Memory> m{sets, allocate<Ordinals>(exec, "Tessera::partners", count), {}, {}};
  take_at_once<Memory>(exec, "Tessera::ClusterMatching", [&](Arena<Memory>& arena) {
    arena.take(m.candidates, count);
    arena.take(m.choices, count);
  });
  Kokkos::deep_copy(exec, m.partners, Ordinal(-1));
  for (int pass = 0; pass < passes; ++pass) {
    const auto clusters = free_clusters(exec, m.partners);
    if (clusters.extent(0) < 2) break;
    find_candidates(exec, m, clusters, columns);
    for (int round = 0; round < rounds && pair_mutual_choices(exec, m, clusters); ++round) {
    }
  }
  pair_leftovers(exec, m);
  return m.partners;
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                        \
  template Array<Ordinal*, Exec::memory_space> match_clusters(const Exec&, const ColumnSets<Exec::memory_space>&, \
                                                              Ordinal);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
