// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// Upper bound on the rounds of merges of data_affinity().
inline constexpr int most_affinity_rounds = 32;

/// Orders the rows of a canonical pattern A to make rows with many common columns neighbours. This is the
/// data-affinity-based reordering of Acc-SpMM, section 3.2, algorithm 1.
///
/// The graph of a square A has one vertex for each row and the column of the same number. The edge between i and j
/// weighs 2 if A has both A(i, j) and A(j, i), and 1 if it has one of them. For other shapes the graph is bipartite:
/// rows and columns are vertices, nonzeros are edges, and the rows keep the order that they have among all vertices.
///
/// Step I finds communities. The paper visits vertices one by one in ascending order of degree, and merges each into
/// the neighbour that increases modularity most. Here all communities do so at once, in rounds that end when no merge
/// increases modularity. Each community proposes to the neighbour of higher degree that increases modularity most. A
/// community that received no proposal is then merged, in ascending order of degree, if modularity still increases with
/// the degree that its target has by then. Unlike in the paper, a community that has grown proposes again. The vertices
/// are then listed in depth-first order of the dendrogram: a community as it was, then what was merged into it. The
/// largest community comes first, rows without neighbours come last.
///
/// Step II puts common neighbours side by side. It starts with the first row; the next row is the one that has the most
/// columns in common with the last. The paper searches all rows that are left, which is quadratic. Here the search is
/// within blocks of 256 rows of step I.
///
/// All sums and comparisons are exact, and a hash of the vertex number breaks ties. The order is therefore the same on
/// every backend and for any number of threads. It depends on the order that A has, but not on the values.
///
/// Not every matrix gains. Long rows that share more columns with short rows than with each other are separated: each
/// is placed with its short rows.
///
/// Cost: for each round, a radix sort of the remaining edges between communities; then, for each nonzero, a few
/// operations on sets of rows. Most matrices take about ten rounds, of which the first few matter. There are at most
/// most_affinity_rounds: equal rows, or degrees that ascend along a path, would take one round a vertex, and keep the
/// result of the last round. The host waits twice a round. Memory, which is allocated once for all rounds: 24 bytes a
/// nonzero, 56 a vertex, 4 a row, and the memory of the sort; then 72 bytes a nonzero for an eighth of the nonzeros, or
/// for all if 256 rows hold most of them, and on devices for matrices with up to 16 million nonzeros.
///
/// \throws std::invalid_argument if A has 2^31 nonzeros or more, or 2^31 rows and columns together or more
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> data_affinity(const ExecutionSpace& exec,
                                                                 const CsrPattern<Offset>& A);

}  // namespace Tessera::Impl
