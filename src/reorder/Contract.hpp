// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "AffinityMemory.hpp"

/// The graph after a round of merges.
namespace Tessera::Impl {

/// Numbers the remaining communities, in order. labels(c) becomes the number of the community that contains c now.
template <class Exec>
void contract_communities(const Exec& exec, const AffinityMemory<Exec>& memory) {
  const auto from = memory.graph;
  const auto to = memory.spare;
  const auto proposals = memory.proposals;
  const auto labels = memory.labels;
  const auto left = memory.left;
  Kokkos::parallel_scan(
      "Tessera::contract::communities", IndexPolicy<Exec>(exec, 0, from.communities),
      KOKKOS_LAMBDA(std::size_t i, Ordinal & sum, bool final) {
        const auto c = static_cast<Ordinal>(i);
        if (!proposals.is_candidate(c)) {
          if (final) {
            labels(c) = sum;
            to.ranks(sum) = from.ranks(c);
            to.roots(sum) = from.roots(c);
            to.sizes(sum) = from.sizes(c);
          }
          ++sum;
        }
        if (final && c + 1 == from.communities) left(0) = sum;
      });
  Kokkos::parallel_for(
      "Tessera::contract::labels", IndexPolicy<Exec>(exec, 0, from.communities), KOKKOS_LAMBDA(std::size_t i) {
        const auto c = static_cast<Ordinal>(i);
        if (proposals.is_candidate(c)) labels(c) = labels(proposals.targets(c));
      });
}

/// Lists the edges between remaining communities with their weights, in any order. Equal edges are still separate.
template <class Exec>
void contract_edges(const Exec& exec, const AffinityMemory<Exec>& memory) {
  const auto ranks = memory.spare.ranks;
  const auto keys = memory.spare.edges.keys;
  const auto weights = memory.spare.edges.slots;
  const auto edges = memory.graph.edges.keys;
  const auto before = memory.graph.edges.slots;
  const auto edge_count = memory.graph.edge_count;
  const auto labels = memory.labels;
  const auto left = memory.left;
  const std::size_t most = memory.graph.most_edges;
  const int bits = memory.graph.end_bits();
  const std::uint64_t end_mask = (std::uint64_t(1) << bits) - 1;
  Kokkos::parallel_scan(
      "Tessera::contract::edges", IndexPolicy<Exec>(exec, 0, most),
      KOKKOS_LAMBDA(std::size_t e, Ordinal & sum, bool final) {
        if (e < static_cast<std::size_t>(edge_count(0))) {
          const Ordinal a = labels(edges(e) >> bits);
          const Ordinal b = labels(edges(e) & end_mask);
          if (a != b) {
            if (final) {
              keys(sum) = edge_key(ranks, a, b, key_bits(left(0)));
              weights(sum) = before(e + 1) - before(e);
            }
            ++sum;
          }
        }
        if (final && e + 1 == most) left(1) = sum;
      });
}

/// Makes the graph of the remaining communities.
template <class Exec>
void contract(const Exec& exec, AffinityMemory<Exec>& memory) {
  contract_communities(exec, memory);
  contract_edges(exec, memory);
  const auto left = host_copy(exec, memory.left);
  memory.spare.total_degree = memory.graph.total_degree;
  memory.spare.communities = left[0];
  std::swap(memory.graph, memory.spare);
  combine_edges(exec, memory.graph, static_cast<std::size_t>(left[1]), memory.spare.edges, memory.scratch);
}

}  // namespace Tessera::Impl
