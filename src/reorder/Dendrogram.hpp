// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/parallel/Array.hpp>

#include "CommunityGraph.hpp"

namespace Tessera::Impl {

/// Records which community was merged into which. A community is named by its root. In depth-first order, a community
/// precedes the communities that were merged into it, which are in the order of the merges.
template <class Exec>
struct Dendrogram {
  using Memory = typename Exec::memory_space;

  Array<Ordinal*, Memory> parents;  // the vertex itself if it has not been merged
  Array<Ordinal*, Memory> offsets;  // number of rows of A in the parent when this community was merged
};

/// Starts a dendrogram of vertices that are not merged.
template <class Exec>
void start_dendrogram(const Exec& exec, const Dendrogram<Exec>& dendrogram) {
  const auto parents = dendrogram.parents;
  const auto offsets = dendrogram.offsets;
  Kokkos::parallel_for(
      "Tessera::start_dendrogram", IndexPolicy<Exec>(exec, 0, parents.extent(0)), KOKKOS_LAMBDA(std::size_t v) {
        parents(v) = static_cast<Ordinal>(v);
        offsets(v) = 0;
      });
}

/// Replaces the offsets of the roots by the places of the remaining communities. The largest community comes first,
/// equally large ones in the order of their roots, and communities without neighbours last.
///
/// \param order   [in] memory for the communities
/// \param other   [in] memory of the same size; may be that of the graph's ranks, which are no longer needed
/// \param scratch [in] memory for sorts
template <class Exec, class Scratch>
void place_roots(const Exec& exec, const CommunityGraph<Exec>& graph, const Dendrogram<Exec>& dendrogram, Ordinal rows,
                 KeyedSlots<Exec, Ordinal> order, KeyedSlots<Exec, Ordinal> other, const Scratch& scratch) {
  const auto communities = static_cast<std::size_t>(graph.communities);
  const auto ranks = graph.ranks;
  const auto sizes = graph.sizes;
  const auto keys = order.keys;
  const auto slots = order.slots;
  Kokkos::parallel_for(
      "Tessera::place_roots::keys", IndexPolicy<Exec>(exec, 0, communities), KOKKOS_LAMBDA(std::size_t c) {
        keys(c) = static_cast<std::uint64_t>(degree_of_rank(ranks(c)) > 0 ? rows - sizes(c) : rows);
        slots(c) = static_cast<Ordinal>(c);
      });
  order.sort_with(exec, communities, key_bits(rows), other, scratch);
  const auto sorted = order.slots;
  const auto roots = graph.roots;
  const auto offsets = dendrogram.offsets;
  Kokkos::parallel_scan(
      "Tessera::place_roots", IndexPolicy<Exec>(exec, 0, communities),
      KOKKOS_LAMBDA(std::size_t i, Ordinal & sum, bool final) {
        const Ordinal c = sorted(i);
        if (final) offsets(roots(c)) = sum;
        sum += sizes(c);
      });
}

/// Orders the rows depth-first. Each row finds its place independently, on a path of at most one step per round.
template <class Exec>
Array<Ordinal*, typename Exec::memory_space> leaf_order(const Exec& exec, const Dendrogram<Exec>& dendrogram,
                                                        Ordinal rows) {
  const auto order = allocate<Array<Ordinal*, typename Exec::memory_space>>(exec, "Tessera::Permutation::order",
                                                                            static_cast<std::size_t>(rows));
  const auto parents = dendrogram.parents;
  const auto offsets = dendrogram.offsets;
  Kokkos::parallel_for(
      "Tessera::leaf_order", IndexPolicy<Exec>(exec, 0, rows), KOKKOS_LAMBDA(std::size_t i) {
        auto vertex = static_cast<Ordinal>(i);
        Ordinal place = offsets(vertex);
        while (parents(vertex) != vertex) {
          vertex = parents(vertex);
          place += offsets(vertex);
        }
        order(place) = static_cast<Ordinal>(i);
      });
  return order;
}

}  // namespace Tessera::Impl
