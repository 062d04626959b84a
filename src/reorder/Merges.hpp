// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <tessera/parallel/Array.hpp>
#include <utility>

#include "AffinityMemory.hpp"

/// Decides which proposals of a round are accepted.
namespace Tessera::Impl {

/// The communities that propose and receive no proposal, sorted by target, then degree, then number.
template <class Exec>
struct Candidates {
  using Memory = typename Exec::memory_space;
  std::size_t count;
  Array<Ordinal*, Memory> communities;
  Array<std::uint64_t*, Memory> before;  // sum of the degrees of earlier candidates
  Array<std::uint64_t*, Memory> growth;  // count + 1 sums over earlier accepted ones: degrees << 32, plus sizes
};

/// Returns the number of candidates, and the number of bits of their largest degree.
template <class Exec>
std::pair<std::size_t, int> count_candidates(const Exec& exec, const CommunityGraph<Exec>& graph,
                                             const Proposals<Exec>& proposals) {
  const auto ranks = graph.ranks;
  std::size_t count = 0;
  std::uint64_t highest = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_candidates", IndexPolicy<Exec>(exec, 0, graph.communities),
      KOKKOS_LAMBDA(std::size_t c, std::size_t & sum, std::uint64_t & most) {
        if (!proposals.is_candidate(static_cast<Ordinal>(c))) return;
        ++sum;
        if (ranks(c) > most) most = ranks(c);
      },
      Kokkos::Sum<std::size_t>(count), Kokkos::Max<std::uint64_t>(highest));
  return {count, std::bit_width(degree_of_rank(highest))};
}

/// Lists and sorts the candidates, in the memory of the next graph. They are fewer than communities, and at most as
/// many as edges, because no two candidates propose along the same edge.
template <class Exec>
Candidates<Exec> find_candidates(const Exec& exec, const AffinityMemory<Exec>& memory) {
  const CommunityGraph<Exec>& graph = memory.graph;
  const auto proposals = memory.proposals;
  const auto [count, degree_bits] = count_candidates(exec, graph, proposals);
  KeyedSlots<Exec, Ordinal> sorted = memory.spare.edges, other(memory.spare.ranks, memory.spare.roots);
  const auto keys = sorted.keys;
  const auto slots = sorted.slots;
  const auto ranks = graph.ranks;
  const int shift = degree_bits;
  Kokkos::parallel_scan(
      "Tessera::find_candidates", IndexPolicy<Exec>(exec, 0, graph.communities),
      KOKKOS_LAMBDA(std::size_t c, std::size_t & sum, bool final) {
        if (!proposals.is_candidate(static_cast<Ordinal>(c))) return;
        if (final) {
          keys(sum) = (std::uint64_t(proposals.targets(c)) << shift) + degree_of_rank(ranks(c));
          slots(sum) = static_cast<Ordinal>(c);
        }
        ++sum;
      });
  sorted.sort_with(exec, count, degree_bits + graph.end_bits(), other, memory.scratch);
  return {count, sorted.slots, sorted.keys, other.keys};  // the memory of the sorted keys is free
}

/// Computes the sum of the degrees of earlier candidates, and the first candidate of each target.
template <class Exec>
void sum_degrees(const Exec& exec, const CommunityGraph<Exec>& graph, const Proposals<Exec>& proposals,
                 const Candidates<Exec>& candidates) {
  const auto before = candidates.before;
  const auto communities = candidates.communities;
  const auto first = proposals.first;
  const auto targets = proposals.targets;
  const auto ranks = graph.ranks;
  Kokkos::parallel_scan(
      "Tessera::sum_degrees", IndexPolicy<Exec>(exec, 0, candidates.count),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum, bool final) {
        const Ordinal c = communities(i);
        if (final) {
          before(i) = sum;
          if (i == 0 || targets(communities(i - 1)) != targets(c)) first(targets(c)) = static_cast<Ordinal>(i);
        }
        sum += degree_of_rank(ranks(c));
      });
}

/// Accepts candidates whose merge still increases modularity, given the degree that the target has after its earlier
/// candidates. That degree includes rejected candidates, which may propose again in the next round.
template <class Exec>
void accept(const Exec& exec, const CommunityGraph<Exec>& graph, const Proposals<Exec>& proposals,
            const Candidates<Exec>& candidates) {
  const auto communities = candidates.communities;
  const auto degrees_before = candidates.before;
  const auto growth = candidates.growth;
  const auto ranks = graph.ranks;
  const auto sizes = graph.sizes;
  const std::uint64_t total = graph.total_degree;
  const std::size_t count = candidates.count;
  Kokkos::parallel_scan(
      "Tessera::accept", IndexPolicy<Exec>(exec, 0, count + 1),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum, bool final) {
        if (final) growth(i) = sum;
        if (i == count) return;
        const Ordinal c = communities(i);
        const Ordinal target = proposals.targets(c);
        const std::uint64_t degree = degree_of_rank(ranks(c)), weight = std::uint64_t(proposals.weights(c));
        const std::uint64_t grown =
            degree_of_rank(ranks(target)) + degrees_before(i) - degrees_before(proposals.first(target));
        if (merge_gain(total, weight, degree, grown) > 0) {
          sum += (degree << 32) + std::uint64_t(sizes(c));
        } else if (final) {
          proposals.reject(c);
        }
      });
}

/// Records the accepted merges in the dendrogram.
template <class Exec>
void record(const Exec& exec, const CommunityGraph<Exec>& graph, const Proposals<Exec>& proposals,
            const Candidates<Exec>& candidates, const Dendrogram<Exec>& dendrogram) {
  const auto communities = candidates.communities;
  const auto growths = candidates.growth;
  const auto roots = graph.roots;
  const auto sizes = graph.sizes;
  Kokkos::parallel_for(
      "Tessera::record", IndexPolicy<Exec>(exec, 0, candidates.count), KOKKOS_LAMBDA(std::size_t i) {
        const Ordinal c = communities(i);
        if (!proposals.is_candidate(c)) return;
        const Ordinal target = proposals.targets(c);
        const std::uint64_t growth = growths(i) - growths(proposals.first(target));
        dendrogram.parents(roots(c)) = roots(target);
        dendrogram.offsets(roots(c)) = sizes(target) + static_cast<Ordinal>(growth & 0xffffffffu);
      });
}

/// Adds the degrees and sizes of accepted candidates to their targets. A target's sums are at its last candidate.
template <class Exec>
void grow(const Exec& exec, const CommunityGraph<Exec>& graph, const Proposals<Exec>& proposals,
          const Candidates<Exec>& candidates) {
  const auto communities = candidates.communities;
  const auto growths = candidates.growth;
  const auto targets = proposals.targets;
  const auto first = proposals.first;
  const auto ranks = graph.ranks;
  const auto sizes = graph.sizes;
  const std::size_t count = candidates.count;
  Kokkos::parallel_for(
      "Tessera::grow", IndexPolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(std::size_t i) {
        const Ordinal target = targets(communities(i));
        if (i + 1 < count && targets(communities(i + 1)) == target) return;
        const std::uint64_t growth = growths(i + 1) - growths(first(target));
        ranks(target) += growth >> 32 << 32;
        sizes(target) += static_cast<Ordinal>(growth & 0xffffffffu);
      });
}

/// Merges the communities whose proposals are accepted. They remain candidates. Edges are not changed. Returns whether
/// any community was merged. The first candidate of a target is always accepted.
template <class Exec>
bool merge(const Exec& exec, const AffinityMemory<Exec>& memory) {
  const auto candidates = find_candidates(exec, memory);
  if (candidates.count == 0) return false;
  sum_degrees(exec, memory.graph, memory.proposals, candidates);
  accept(exec, memory.graph, memory.proposals, candidates);
  record(exec, memory.graph, memory.proposals, candidates, memory.dendrogram);
  grow(exec, memory.graph, memory.proposals, candidates);
  return true;
}

}  // namespace Tessera::Impl
