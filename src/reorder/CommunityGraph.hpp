// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/KeyedSlots.hpp>

#include "Scramble.hpp"

/// The graph in which data affinity finds communities. At first each vertex is a community.
namespace Tessera::Impl {

/// Orders communities by their degrees, and equal degrees at random; no two are equal.
KOKKOS_INLINE_FUNCTION std::uint64_t community_rank(std::uint64_t degree, Ordinal root) {
  return (degree << 32) + scramble(static_cast<std::uint32_t>(root));
}
KOKKOS_INLINE_FUNCTION std::uint64_t degree_of_rank(std::uint64_t rank) { return rank >> 32; }

/// Communities and the weights between them. An edge is stored once, at its end of lower rank. No community then stores
/// more edges than the square root of total_degree, however many neighbours it has.
template <class Exec>
struct CommunityGraph {
  using Memory = typename Exec::memory_space;

  Ordinal communities = 0;
  std::uint64_t total_degree = 0;               // the sum of the degrees of the first graph, below 2^32
  Kokkos::View<std::uint64_t*, Memory> ranks;   // the degree of a community is the sum over its members
  Kokkos::View<Ordinal*, Memory> roots;         // the vertex that each community grew from, in ascending order
  Kokkos::View<Ordinal*, Memory> sizes;         // rows of A in each community
  Kokkos::View<std::uint64_t*, Memory> edges;   // (lower << end_bits) + higher, ascending
  Kokkos::View<std::uint32_t*, Memory> before;  // edges + 1 numbers: the sum of the weights of the edges before
  Kokkos::View<Ordinal*, Memory>
      first_edge;  // communities + 1 offsets: the first edge with this community as its lower end

  int end_bits() const { return key_bits(communities); }
};

/// The key of an edge, for its ends in any order.
template <class Ranks>
KOKKOS_INLINE_FUNCTION std::uint64_t edge_key(const Ranks& ranks, Ordinal a, Ordinal b, int end_bits) {
  const bool a_first = ranks(a) < ranks(b);
  return (std::uint64_t(a_first ? a : b) << end_bits) + std::uint64_t(a_first ? b : a);
}

/// Makes first_edge from sorted edges.
template <class Exec>
void find_first_edges(const Exec& exec, CommunityGraph<Exec>& graph) {
  graph.first_edge = allocate<Kokkos::View<Ordinal*, typename Exec::memory_space>>(
      exec, "Tessera::first_edge", static_cast<std::size_t>(graph.communities) + 1);
  offsets_of_sorted_keys(exec, graph.edges, graph.end_bits(), graph.first_edge);
}

/// Makes edges from keys in any order. Equal keys become one edge with the sum of their weights.
template <class Exec>
void combine_edges(const Exec& exec, CommunityGraph<Exec>& graph, KeyedSlots<Exec, std::uint32_t>& weighted) {
  using Memory = typename Exec::memory_space;
  weighted.sort(exec, 0, 2 * graph.end_bits());
  const auto keys = weighted.keys;
  const auto weights = weighted.slots;
  const std::size_t size = keys.extent(0);
  std::size_t distinct = 0;
  Kokkos::parallel_reduce(
      "Tessera::combine_edges::count", IndexPolicy<Exec>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) { sum += i == 0 || keys(i) != keys(i - 1); }, distinct);
  exec.fence("Tessera::combine_edges");
  const auto edges = allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::edges", distinct);
  const auto before = allocate<Kokkos::View<std::uint32_t*, Memory>>(exec, "Tessera::weights_before", distinct + 1);
  // Counts edges in the upper half of a sum and weights in the lower: neither exceeds the weight of all.
  Kokkos::parallel_scan(
      "Tessera::combine_edges", IndexPolicy<Exec>(exec, 0, size + 1),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum, bool final) {
        const bool distinct_key = i == size || i == 0 || keys(i) != keys(i - 1);
        if (final && distinct_key) {
          before(sum >> 32) = static_cast<std::uint32_t>(sum);
          if (i < size) edges(sum >> 32) = keys(i);
        }
        if (i < size) sum += (std::uint64_t(distinct_key) << 32) + weights(i);
      });
  graph.edges = edges;
  graph.before = before;
  find_first_edges(exec, graph);
}

}  // namespace Tessera::Impl
