// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CommunityGraph.hpp"

/// The proposals of a round of merges.
namespace Tessera::Impl {

/// The gain of a merge in modularity, times 2 m^2 for the weight m of all edges. It is exact: the degrees of two
/// communities, and twice the weight between them, do not exceed total_degree < 2^32.
KOKKOS_INLINE_FUNCTION std::int64_t merge_gain(std::uint64_t total_degree, std::uint64_t weight, std::uint64_t degree,
                                               std::uint64_t other_degree) {
  return static_cast<std::int64_t>(total_degree * weight) - static_cast<std::int64_t>(degree * other_degree);
}

/// The proposals: each community proposes to at most one other.
template <class Exec>
struct Proposals {
  using Memory = typename Exec::memory_space;
  Kokkos::View<Ordinal*, Memory> targets;        // the community itself if it does not propose
  Kokkos::View<std::uint32_t*, Memory> weights;  // weight of the edge to the target
  Kokkos::View<int*, Memory> received;           // whether a community is a target

  Proposals(const Exec& exec, std::size_t communities)
      : targets(allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::Proposals::targets", communities)),
        weights(allocate<Kokkos::View<std::uint32_t*, Memory>>(exec, "Tessera::Proposals::weights", communities)),
        received(Kokkos::view_alloc(exec, "Tessera::Proposals::received"), communities) {}

  /// Whether a community is a candidate: it proposes, and nobody proposes to it. Targets stay in this round, so that
  /// nothing is merged into a community that is itself merged. The proposer of lowest rank is always a candidate.
  KOKKOS_FUNCTION bool is_candidate(Ordinal c) const { return targets(c) != c && received(c) == 0; }
};

/// Each community proposes to the neighbour of higher rank with which it gains most; of equals, to that of highest
/// rank. Proposals then form no circle, and small communities merge into large ones.
template <class Exec>
Proposals<Exec> propose(const Exec& exec, const CommunityGraph<Exec>& graph) {
  const Proposals<Exec> result(exec, static_cast<std::size_t>(graph.communities));
  const auto targets = result.targets;
  const auto weights = result.weights;
  const auto received = result.received;
  const auto ranks = graph.ranks;
  const auto edges = graph.edges;
  const auto before = graph.before;
  const auto first_edge = graph.first_edge;
  const std::uint64_t total = graph.total_degree;
  const std::uint64_t end_mask = (std::uint64_t(1) << graph.end_bits()) - 1;
  Kokkos::parallel_for(
      "Tessera::propose", WindowPolicy<Exec>(exec, 0, graph.communities), KOKKOS_LAMBDA(Ordinal c) {
        const std::uint64_t degree = degree_of_rank(ranks(c));
        std::int64_t best_gain = 0;
        std::uint64_t best_rank = 0;
        std::uint32_t best_weight = 0;
        Ordinal best = c;
        for (Ordinal e = first_edge(c); e < first_edge(c + 1); ++e) {
          const auto other = static_cast<Ordinal>(edges(e) & end_mask);
          const std::uint64_t rank = ranks(other);
          const std::uint32_t weight = before(e + 1) - before(e);
          const std::int64_t gain = merge_gain(total, weight, degree, degree_of_rank(rank));
          if (gain < best_gain || gain <= 0 || (gain == best_gain && rank < best_rank)) continue;
          best_gain = gain;
          best_rank = rank;
          best_weight = weight;
          best = other;
        }
        targets(c) = best;
        weights(c) = best_weight;
        if (best != c) Kokkos::atomic_store(&received(best), 1);
      });
  return result;
}

}  // namespace Tessera::Impl
