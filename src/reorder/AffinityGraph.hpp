// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <tessera/common/Csr.hpp>

#include "AffinityMemory.hpp"

/// The graph of data affinity for a pattern.
namespace Tessera::Impl {

/// Returns whether row i and column i are the same vertex. If not, column j is vertex rows + j.
KOKKOS_INLINE_FUNCTION bool is_square(const CsrPattern<Offset>& A) { return A.rows == A.columns; }

/// Adds the degrees of all vertices to their ranks. before(row) is the number of off-diagonal entries in earlier rows.
template <class Exec, class Ranks, class Before>
void count_edges(const Exec& exec, const CsrPattern<Offset>& A, const Ranks& ranks, const Before& before) {
  Kokkos::parallel_for(
      "Tessera::count_edges", IndexPolicy<Exec>(exec, 0, A.rows), KOKKOS_LAMBDA(std::size_t i) {
        const auto row = static_cast<Ordinal>(i);
        Ordinal count = 0;
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          const Ordinal column = A.column_indices[k];
          if (is_square(A) && column == row) continue;
          Kokkos::atomic_add(&ranks(is_square(A) ? column : A.rows + column), rank_of_degree(1));
          ++count;
        }
        before(row + 1) = count;
        if (count > 0) Kokkos::atomic_add(&ranks(row), rank_of_degree(std::uint64_t(count)));
      });
  counts_to_offsets(exec, before);
}

/// Allocates the graph of a pattern. The graphs of all later rounds use its memory.
template <class Exec>
AffinityMemory<Exec> affinity_memory_for(const Exec& exec, const CsrPattern<Offset>& A) {
  const auto rows = static_cast<std::size_t>(A.rows);
  const std::size_t vertices = rows + static_cast<std::size_t>(is_square(A) ? 0 : A.columns);
  const std::size_t nonzeros = A.rows == 0 ? 0 : static_cast<std::size_t>(read_element(exec, A.row_offsets + rows));
  if (vertices >> 31 != 0 || nonzeros >> 31 != 0) {
    throw std::invalid_argument("Tessera::data_affinity: " + std::to_string(vertices) + " vertices and " +
                                std::to_string(nonzeros) + " nonzeros; expected less than 2^31 of each");
  }
  return {exec, vertices, nonzeros};
}

/// Makes the graph of a pattern. Each vertex is a community.
template <class Exec>
void start_graph(const Exec& exec, const CsrPattern<Offset>& A, AffinityMemory<Exec>& memory) {
  CommunityGraph<Exec>& graph = memory.graph;
  const std::size_t rows = static_cast<std::size_t>(A.rows), vertices = graph.ranks.extent(0);
  const auto ranks = graph.ranks;
  const auto roots = graph.roots;
  const auto sizes = graph.sizes;
  Kokkos::parallel_for(
      "Tessera::start_graph::vertices", IndexPolicy<Exec>(exec, 0, vertices), KOKKOS_LAMBDA(std::size_t v) {
        ranks(v) = community_rank(0, static_cast<Ordinal>(v));
        roots(v) = static_cast<Ordinal>(v);
        sizes(v) = v < rows;
      });
  const auto before = memory.labels.share(memory.labels.data(), rows + 1);
  count_edges(exec, A, ranks, before);
  const auto entries = static_cast<std::size_t>(read_element(exec, before.data() + rows));
  graph.communities = static_cast<Ordinal>(vertices);
  graph.total_degree = 2 * entries;

  const auto keys = graph.edges.keys;
  const auto weights = graph.edges.slots;
  const int bits = graph.end_bits();
  Kokkos::parallel_for(
      "Tessera::start_graph::edges", IndexPolicy<Exec>(exec, 0, rows), KOKKOS_LAMBDA(std::size_t i) {
        const auto row = static_cast<Ordinal>(i);
        Ordinal place = before(row);
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          const Ordinal column = A.column_indices[k];
          if (is_square(A) && column == row) continue;
          keys(place) = edge_key(ranks, row, is_square(A) ? column : A.rows + column, bits);
          weights(place++) = 1;
        }
      });
  combine_edges(exec, graph, entries, memory.spare.edges, memory.scratch);
}

}  // namespace Tessera::Impl
