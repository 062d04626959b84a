// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/parallel/Array.hpp>

#include "CommunityGraph.hpp"

/// The proposals of a round of merges.
namespace Tessera::Impl {

/// Returns the gain in modularity of a merge, times 2 m^2 where m is the total weight of edges. The result is exact:
/// the degrees of two communities, and twice the weight between them, are at most total_degree < 2^32.
KOKKOS_INLINE_FUNCTION std::int64_t merge_gain(std::uint64_t total_degree, std::uint64_t weight, std::uint64_t degree,
                                               std::uint64_t other_degree) {
  return static_cast<std::int64_t>(total_degree * weight) - static_cast<std::int64_t>(degree * other_degree);
}

/// The proposals. Each community proposes to at most one other community.
template <class Exec>
struct Proposals {
  using Memory = typename Exec::memory_space;
  Array<Ordinal*, Memory> targets;  // the community itself if it does not propose
  Array<Ordinal*, Memory> weights;  // weight of the edge to the target
  Array<Ordinal*, Memory> first;    // the first candidate of each target; -1 for other communities

  /// Returns whether a community is a candidate: it proposes, and receives no proposal. Targets are not merged in this
  /// round, so nothing is merged into a merged community. The proposing community of lowest rank is always a candidate.
  KOKKOS_FUNCTION bool is_candidate(Ordinal c) const { return targets(c) != c && first(c) < 0; }

  /// Rejects the proposal of a candidate.
  KOKKOS_FUNCTION void reject(Ordinal c) const { first(c) = 0; }
};

/// Makes each community propose to the neighbour of higher rank that gains most; of several, to the one of highest
/// rank. Hence proposals form no cycle, and small communities merge into large ones.
template <class Exec>
void propose(const Exec& exec, const CommunityGraph<Exec>& graph, const Proposals<Exec>& proposals) {
  const auto targets = proposals.targets;
  const auto weights = proposals.weights;
  const auto first = proposals.first;
  const auto ranks = graph.ranks;
  const auto edges = graph.edges.keys;
  const auto before = graph.edges.slots;
  const auto edge_count = graph.edge_count;
  const std::uint64_t total = graph.total_degree;
  const int bits = graph.end_bits();
  const std::uint64_t end_mask = (std::uint64_t(1) << bits) - 1;
  Kokkos::parallel_for(
      "Tessera::propose::none", IndexPolicy<Exec>(exec, 0, graph.communities),
      KOKKOS_LAMBDA(std::size_t c) { first(c) = -1; });
  Kokkos::parallel_for(
      "Tessera::propose", WindowPolicy<Exec>(exec, 0, graph.communities), KOKKOS_LAMBDA(Ordinal c) {
        const std::uint64_t degree = degree_of_rank(ranks(c));
        std::int64_t best_gain = 0;
        std::uint64_t best_rank = 0;
        Ordinal best_weight = 0;
        Ordinal best = c;
        const auto end = static_cast<std::size_t>(edge_count(0));
        for (std::size_t e = keys_below(edges, end, std::uint64_t(c) << bits);
             e < end && static_cast<Ordinal>(edges(e) >> bits) == c; ++e) {
          const auto other = static_cast<Ordinal>(edges(e) & end_mask);
          const std::uint64_t rank = ranks(other);
          const Ordinal weight = before(e + 1) - before(e);
          const std::int64_t gain = merge_gain(total, std::uint64_t(weight), degree, degree_of_rank(rank));
          if (gain < best_gain || gain <= 0 || (gain == best_gain && rank < best_rank)) continue;
          best_gain = gain;
          best_rank = rank;
          best_weight = weight;
          best = other;
        }
        targets(c) = best;
        weights(c) = best_weight;
        if (best != c) Kokkos::atomic_store(&first(best), Ordinal(0));
      });
}

}  // namespace Tessera::Impl
