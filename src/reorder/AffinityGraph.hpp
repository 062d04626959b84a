// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <tessera/common/Csr.hpp>

#include "CommunityGraph.hpp"

/// The graph of data affinity for a pattern.
namespace Tessera::Impl {

/// Whether row i and column i are one vertex. If not, column j is vertex rows + j.
template <class Offset>
KOKKOS_INLINE_FUNCTION bool is_square(const CsrPattern<Offset>& A) {
  return A.rows == A.columns;
}

/// The degrees of all vertices; before(row) is the number of entries off the diagonal in the rows before.
template <class Exec, class Offset, class Degrees, class Before>
void count_edges(const Exec& exec, const CsrPattern<Offset>& A, const Degrees& degrees, const Before& before) {
  Kokkos::parallel_for(
      "Tessera::count_edges", IndexPolicy<Exec>(exec, 0, A.rows), KOKKOS_LAMBDA(std::size_t i) {
        const auto row = static_cast<Ordinal>(i);
        std::uint32_t count = 0;
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          const Ordinal column = A.column_indices[k];
          if (is_square(A) && column == row) continue;
          Kokkos::atomic_inc(&degrees(is_square(A) ? column : A.rows + column));
          ++count;
        }
        before(row + 1) = count;
        if (count > 0) Kokkos::atomic_add(&degrees(row), count);
      });
  counts_to_offsets(exec, before);
}

/// Makes the graph of a pattern, in which each vertex is a community.
template <class Exec, class Offset>
CommunityGraph<Exec> affinity_graph(const Exec& exec, const CsrPattern<Offset>& A) {
  using Memory = typename Exec::memory_space;
  const auto rows = static_cast<std::size_t>(A.rows);
  const std::size_t vertices = rows + static_cast<std::size_t>(is_square(A) ? 0 : A.columns);
  const std::size_t nonzeros = A.rows == 0 ? 0 : static_cast<std::size_t>(read_element(exec, A.row_offsets + rows));
  if (vertices >> 31 != 0 || nonzeros >> 31 != 0) {
    throw std::invalid_argument("Tessera::data_affinity: " + std::to_string(vertices) + " vertices and " +
                                std::to_string(nonzeros) + " nonzeros; expected less than 2^31 of each");
  }
  CommunityGraph<Exec> graph;
  graph.communities = static_cast<Ordinal>(vertices);
  const Kokkos::View<std::uint32_t*, Memory> degrees(Kokkos::view_alloc(exec, "Tessera::degrees"), vertices);
  const Kokkos::View<std::uint32_t*, Memory> before(Kokkos::view_alloc(exec, "Tessera::entries_before"), rows + 1);
  count_edges(exec, A, degrees, before);
  const std::size_t entries = read_element(exec, before.data() + rows);
  graph.total_degree = 2 * entries;

  graph.ranks = allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::ranks", vertices);
  graph.roots = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::roots", vertices);
  graph.sizes = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::sizes", vertices);
  const auto ranks = graph.ranks;
  const auto roots = graph.roots;
  const auto sizes = graph.sizes;
  Kokkos::parallel_for(
      "Tessera::affinity_graph::vertices", IndexPolicy<Exec>(exec, 0, vertices), KOKKOS_LAMBDA(std::size_t v) {
        ranks(v) = community_rank(degrees(v), static_cast<Ordinal>(v));
        roots(v) = static_cast<Ordinal>(v);
        sizes(v) = v < rows;
      });

  KeyedSlots<Exec, std::uint32_t> weighted(exec, entries);
  std::uint64_t* const keys = weighted.keys.data();
  std::uint32_t* const weights = weighted.slots.data();
  const int bits = graph.end_bits();
  Kokkos::parallel_for(
      "Tessera::affinity_graph::edges", IndexPolicy<Exec>(exec, 0, rows), KOKKOS_LAMBDA(std::size_t i) {
        const auto row = static_cast<Ordinal>(i);
        std::uint32_t place = before(row);
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          const Ordinal column = A.column_indices[k];
          if (is_square(A) && column == row) continue;
          keys[place] = edge_key(ranks, row, is_square(A) ? column : A.rows + column, bits);
          weights[place++] = 1;
        }
      });
  combine_edges(exec, graph, weighted);
  return graph;
}

}  // namespace Tessera::Impl
