// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <utility>

#include "Dendrogram.hpp"
#include "Proposals.hpp"

/// Which of the proposals of a round are accepted.
namespace Tessera::Impl {

/// Communities that propose and are not targets, sorted by target, then degree, then number.
template <class Exec>
struct Candidates {
  using Memory = typename Exec::memory_space;
  Kokkos::View<Ordinal*, Memory> communities;
  Kokkos::View<Ordinal*, Memory> first;         // the first candidate of each target; not defined for other communities
  Kokkos::View<std::uint64_t*, Memory> growth;  // count + 1 sums over those accepted before: degrees << 32, plus sizes
  std::size_t count() const { return communities.extent(0); }
};

/// The number of candidates, and the number of bits of their degrees.
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
  exec.fence("Tessera::count_candidates");
  return {count, std::bit_width(degree_of_rank(highest))};
}

template <class Exec>
Candidates<Exec> find_candidates(const Exec& exec, const CommunityGraph<Exec>& graph,
                                 const Proposals<Exec>& proposals) {
  const auto [count, degree_bits] = count_candidates(exec, graph, proposals);
  KeyedSlots<Exec, Ordinal> sorted(exec, count);
  const auto keys = sorted.keys;
  const auto slots = sorted.slots;
  const auto targets = proposals.targets;
  const auto ranks = graph.ranks;
  const int shift = degree_bits;
  Kokkos::parallel_scan(
      "Tessera::find_candidates", IndexPolicy<Exec>(exec, 0, graph.communities),
      KOKKOS_LAMBDA(std::size_t c, std::size_t & sum, bool final) {
        if (!proposals.is_candidate(static_cast<Ordinal>(c))) return;
        if (final) {
          keys(sum) = (std::uint64_t(targets(c)) << shift) + degree_of_rank(ranks(c));
          slots(sum) = static_cast<Ordinal>(c);
        }
        ++sum;
      });
  sorted.sort(exec, 0, degree_bits + graph.end_bits());
  Candidates<Exec> result;
  result.communities = sorted.slots;
  return result;
}

/// For each candidate, the sum of the degrees before it; for each target, its first candidate.
template <class Exec>
Kokkos::View<std::uint64_t*, typename Exec::memory_space> sum_degrees(const Exec& exec,
                                                                      const CommunityGraph<Exec>& graph,
                                                                      const Proposals<Exec>& proposals,
                                                                      Candidates<Exec>& candidates) {
  using Memory = typename Exec::memory_space;
  const auto before =
      allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::degrees_before", candidates.count());
  const auto first = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::Candidates::first",
                                                              static_cast<std::size_t>(graph.communities));
  const auto communities = candidates.communities;
  const auto targets = proposals.targets;
  const auto ranks = graph.ranks;
  Kokkos::parallel_scan(
      "Tessera::sum_degrees", IndexPolicy<Exec>(exec, 0, candidates.count()),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum, bool final) {
        const Ordinal c = communities(i);
        if (final) {
          before(i) = sum;
          if (i == 0 || targets(communities(i - 1)) != targets(c)) first(targets(c)) = static_cast<Ordinal>(i);
        }
        sum += degree_of_rank(ranks(c));
      });
  candidates.first = first;
  return before;
}

/// Accepts the candidates of each target, in their order, that still gain with the degree that the target then has.
/// That degree counts refused candidates as well; they may try again in the next round. Returns the target of each
/// accepted community, and the community itself for others.
template <class Exec>
Kokkos::View<Ordinal*, typename Exec::memory_space> accept(const Exec& exec, const CommunityGraph<Exec>& graph,
                                                           const Proposals<Exec>& proposals,
                                                           Candidates<Exec>& candidates) {
  using Memory = typename Exec::memory_space;
  const auto degrees_before = sum_degrees(exec, graph, proposals, candidates);
  const std::size_t count = candidates.count();
  const auto into = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::merged_into",
                                                             static_cast<std::size_t>(graph.communities));
  const auto growth = allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::Candidates::growth", count + 1);
  Kokkos::parallel_for(
      "Tessera::accept::none", IndexPolicy<Exec>(exec, 0, into.extent(0)),
      KOKKOS_LAMBDA(std::size_t c) { into(c) = static_cast<Ordinal>(c); });
  const auto communities = candidates.communities;
  const auto first = candidates.first;
  const auto targets = proposals.targets;
  const auto weights = proposals.weights;
  const auto ranks = graph.ranks;
  const auto sizes = graph.sizes;
  const std::uint64_t total = graph.total_degree;
  Kokkos::parallel_scan(
      "Tessera::accept", IndexPolicy<Exec>(exec, 0, count + 1),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum, bool final) {
        if (final) growth(i) = sum;
        if (i == count) return;
        const Ordinal c = communities(i);
        const Ordinal target = targets(c);
        const std::uint64_t degree = degree_of_rank(ranks(c));
        const std::uint64_t grown = degree_of_rank(ranks(target)) + degrees_before(i) - degrees_before(first(target));
        if (merge_gain(total, weights(c), degree, grown) <= 0) return;
        sum += (degree << 32) + std::uint64_t(sizes(c));
        if (final) into(c) = target;
      });
  candidates.growth = growth;
  return into;
}

/// Enters the accepted merges into the dendrogram. Returns their number.
template <class Exec>
Ordinal record(const Exec& exec, const CommunityGraph<Exec>& graph, const Candidates<Exec>& candidates,
               const Kokkos::View<Ordinal*, typename Exec::memory_space>& into, const Dendrogram<Exec>& dendrogram) {
  const auto roots = graph.roots;
  const auto sizes = graph.sizes;
  Ordinal merged = 0;
  Kokkos::parallel_reduce(
      "Tessera::record", IndexPolicy<Exec>(exec, 0, candidates.count()),
      KOKKOS_LAMBDA(std::size_t i, Ordinal & sum) {
        const Ordinal c = candidates.communities(i);
        const Ordinal target = into(c);
        if (target == c) return;
        const std::uint64_t growth = candidates.growth(i) - candidates.growth(candidates.first(target));
        dendrogram.parents(roots(c)) = roots(target);
        dendrogram.offsets(roots(c)) = sizes(target) + static_cast<Ordinal>(growth & 0xffffffffu);
        ++sum;
      },
      merged);
  exec.fence("Tessera::record");
  return merged;
}

/// Adds degrees and sizes of accepted candidates to their targets. The last candidate of each target has the sums.
template <class Exec>
void grow(const Exec& exec, const CommunityGraph<Exec>& graph, const Proposals<Exec>& proposals,
          const Candidates<Exec>& candidates) {
  const auto communities = candidates.communities;
  const auto targets = proposals.targets;
  const auto ranks = graph.ranks;
  const auto sizes = graph.sizes;
  const std::size_t count = candidates.count();
  Kokkos::parallel_for(
      "Tessera::grow", IndexPolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(std::size_t i) {
        const Ordinal target = targets(communities(i));
        if (i + 1 < count && targets(communities(i + 1)) == target) return;
        const std::uint64_t growth = candidates.growth(i + 1) - candidates.growth(candidates.first(target));
        ranks(target) += growth >> 32 << 32;
        sizes(target) += static_cast<Ordinal>(growth & 0xffffffffu);
      });
}

template <class Exec>
struct Merges {
  Kokkos::View<Ordinal*, typename Exec::memory_space> into;  // the community itself if it stays
  Ordinal count = 0;
};

/// Merges communities whose proposals are accepted. Edges stay as they are.
template <class Exec>
Merges<Exec> merge(const Exec& exec, const CommunityGraph<Exec>& graph, const Proposals<Exec>& proposals,
                   const Dendrogram<Exec>& dendrogram) {
  auto candidates = find_candidates(exec, graph, proposals);
  Merges<Exec> result;
  if (candidates.count() == 0) return result;
  result.into = accept(exec, graph, proposals, candidates);
  result.count = record(exec, graph, candidates, result.into, dendrogram);
  grow(exec, graph, proposals, candidates);
  return result;
}

}  // namespace Tessera::Impl
