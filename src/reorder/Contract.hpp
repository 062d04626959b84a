// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Merges.hpp"

/// The graph after a round of merges.
namespace Tessera::Impl {

/// New numbers for the communities that are left, in their order. labels(c) is the number of the community that c now
/// belongs to.
template <class Exec>
CommunityGraph<Exec> contract_communities(const Exec& exec, const CommunityGraph<Exec>& graph,
                                          const Merges<Exec>& merges,
                                          const Kokkos::View<Ordinal*, typename Exec::memory_space>& labels) {
  using Memory = typename Exec::memory_space;
  CommunityGraph<Exec> result;
  result.communities = graph.communities - merges.count;
  result.total_degree = graph.total_degree;
  const auto communities = static_cast<std::size_t>(result.communities);
  result.ranks = allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::ranks", communities);
  result.roots = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::roots", communities);
  result.sizes = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::sizes", communities);
  const auto into = merges.into;
  const auto from = graph;
  const auto to = result;
  Kokkos::parallel_scan(
      "Tessera::contract::communities", IndexPolicy<Exec>(exec, 0, graph.communities),
      KOKKOS_LAMBDA(std::size_t i, Ordinal & sum, bool final) {
        const auto c = static_cast<Ordinal>(i);
        if (into(c) != c) return;
        if (final) {
          labels(c) = sum;
          to.ranks(sum) = from.ranks(c);
          to.roots(sum) = from.roots(c);
          to.sizes(sum) = from.sizes(c);
        }
        ++sum;
      });
  Kokkos::parallel_for(
      "Tessera::contract::labels", IndexPolicy<Exec>(exec, 0, graph.communities), KOKKOS_LAMBDA(std::size_t i) {
        const auto c = static_cast<Ordinal>(i);
        if (into(c) != c) labels(c) = labels(into(c));
      });
  return result;
}

/// The edges between communities that are left, with their weights. Their order is any, and equal ones are not yet
/// combined.
template <class Exec>
KeyedSlots<Exec, std::uint32_t> contract_edges(const Exec& exec, const CommunityGraph<Exec>& graph,
                                               const CommunityGraph<Exec>& result,
                                               const Kokkos::View<Ordinal*, typename Exec::memory_space>& labels) {
  const auto ranks = result.ranks;
  const auto edges = graph.edges;
  const auto before = graph.before;
  const int bits = graph.end_bits();
  const int new_bits = result.end_bits();
  const std::uint64_t end_mask = (std::uint64_t(1) << bits) - 1;
  std::size_t left = 0;
  Kokkos::parallel_reduce(
      "Tessera::contract::count", IndexPolicy<Exec>(exec, 0, edges.extent(0)),
      KOKKOS_LAMBDA(std::size_t e, std::size_t & sum) {
        sum += labels(edges(e) >> bits) != labels(edges(e) & end_mask);
      },
      left);
  exec.fence("Tessera::contract");
  KeyedSlots<Exec, std::uint32_t> weighted(exec, left);
  const auto keys = weighted.keys;
  const auto weights = weighted.slots;
  Kokkos::parallel_scan(
      "Tessera::contract::edges", IndexPolicy<Exec>(exec, 0, edges.extent(0)),
      KOKKOS_LAMBDA(std::size_t e, std::size_t & sum, bool final) {
        const Ordinal a = labels(edges(e) >> bits);
        const Ordinal b = labels(edges(e) & end_mask);
        if (a == b) return;
        if (final) {
          keys(sum) = edge_key(ranks, a, b, new_bits);
          weights(sum) = before(e + 1) - before(e);
        }
        ++sum;
      });
  return weighted;
}

/// Makes the graph of the communities that are left, in the memory of the old graph.
template <class Exec>
CommunityGraph<Exec> contract(const Exec& exec, CommunityGraph<Exec>& graph, const Merges<Exec>& merges) {
  const auto labels = allocate<Kokkos::View<Ordinal*, typename Exec::memory_space>>(
      exec, "Tessera::labels", static_cast<std::size_t>(graph.communities));
  auto result = contract_communities(exec, graph, merges, labels);
  auto weighted = contract_edges(exec, graph, result, labels);
  graph = {};
  combine_edges(exec, result, weighted);
  return result;
}

}  // namespace Tessera::Impl
