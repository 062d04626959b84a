// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/Array.hpp>
#include <tessera/parallel/KeyedSlots.hpp>
#include <utility>

#include "Scramble.hpp"

/// The graph in which data affinity finds communities. Initially each vertex is a community.
namespace Tessera::Impl {

KOKKOS_INLINE_FUNCTION std::uint64_t rank_of_degree(std::uint64_t degree) { return degree << 32; }
/// Returns a number that orders communities by degree, and equal degrees at random. No two are equal.
KOKKOS_INLINE_FUNCTION std::uint64_t community_rank(std::uint64_t degree, Ordinal root) {
  return rank_of_degree(degree) + scramble(static_cast<std::uint32_t>(root));
}
KOKKOS_INLINE_FUNCTION std::uint64_t degree_of_rank(std::uint64_t rank) { return rank >> 32; }

/// Communities and the weights of the edges between them. An edge is stored once, at its end of lower rank. Hence no
/// community stores more edges than the square root of total_degree, however many neighbours it has. The arrays fit the
/// first graph, which is the largest.
template <class Exec>
struct CommunityGraph {
  using Memory = typename Exec::memory_space;

  Ordinal communities = 0;
  std::uint64_t total_degree = 0;       // the sum of the degrees of the first graph, below 2^32
  std::size_t most_edges = 0;           // upper bound on edge_count; the host knows it without waiting
  Array<std::uint64_t*, Memory> ranks;  // by degree; a community's degree is the sum over its members
  Array<Ordinal*, Memory> roots;        // the vertex that each community began with, ascending
  Array<Ordinal*, Memory> sizes;        // rows of A in each community
  Array<Ordinal*, Memory> edge_count;   // a single number
  // Keys are (lower << end_bits) + higher, ascending. Slots are edge_count + 1 prefix sums of the edges' weights.
  KeyedSlots<Exec, Ordinal> edges;

  int end_bits() const { return key_bits(communities); }
};

/// Returns the key of the edge between a and b, in either order.
template <class Ranks>
KOKKOS_INLINE_FUNCTION std::uint64_t edge_key(const Ranks& ranks, Ordinal a, Ordinal b, int end_bits) {
  const bool a_first = ranks(a) < ranks(b);
  return (std::uint64_t(a_first ? a : b) << end_bits) + std::uint64_t(a_first ? b : a);
}

/// Makes edges from `size` keys with weights, in any order. Equal keys become one edge with the sum of weights.
///
/// \param graph   [in,out] its edges hold keys and weights on entry
/// \param other   [in,out] memory of the same size, which may be swapped with that of the graph
/// \param scratch [in]     memory for sorts
template <class Exec, class Scratch>
void combine_edges(const Exec& exec, CommunityGraph<Exec>& graph, std::size_t size, KeyedSlots<Exec, Ordinal>& other,
                   const Scratch& scratch) {
  graph.edges.sort_with(exec, size, 2 * graph.end_bits(), other, scratch);
  const auto keys = graph.edges.keys;
  const auto weights = graph.edges.slots;
  const auto edges = other.keys;
  const auto before = other.slots;
  const auto edge_count = graph.edge_count;
  // The upper half of a sum counts edges, the lower half adds weights: neither exceeds the total weight.
  Kokkos::parallel_scan(
      "Tessera::combine_edges", IndexPolicy<Exec>(exec, 0, size + 1),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum, bool final) {
        const bool distinct_key = i == size || i == 0 || keys(i) != keys(i - 1);
        if (final && distinct_key) {
          before(sum >> 32) = static_cast<Ordinal>(sum & 0xffffffffu);
          if (i < size) {
            edges(sum >> 32) = keys(i);
          } else {
            edge_count(0) = static_cast<Ordinal>(sum >> 32);
          }
        }
        if (i < size) sum += (std::uint64_t(distinct_key) << 32) + std::uint64_t(weights(i));
      });
  graph.most_edges = size;
  std::swap(graph.edges, other);
}

}  // namespace Tessera::Impl
