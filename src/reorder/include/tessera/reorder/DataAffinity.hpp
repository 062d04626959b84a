// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// Upper bound on the rounds of merges of data_affinity().
inline constexpr int most_affinity_rounds = 32;

/// Orders the rows of a canonical pattern A such that rows with many common columns are neighbours. This is the
/// data-affinity-based reordering of Acc-SpMM, section 3.2, algorithm 1.
///
/// For a square A, the graph has one vertex for row i and column i. The edge between i and j has weight 2 if A has both
/// A(i, j) and A(j, i), and 1 if it has one of them. For other shapes the graph is bipartite: rows and columns are
/// vertices, nonzeros are edges, and rows keep the order that they have among all vertices.
///
/// Step I finds communities. The paper visits vertices one by one in ascending order of degree, and merges each into
/// the neighbour that increases modularity most. Here all communities are merged in parallel, in rounds, until no merge
/// increases modularity. Each community proposes to the neighbour of higher degree that increases modularity most.
/// Communities that receive no proposal are then merged, in ascending order of degree, if modularity still increases
/// with the degree that the target has at that point. Unlike in the paper, a community that has grown proposes again.
/// Vertices are then listed in depth-first order of the dendrogram: the members that a community began with, then those
/// of the communities merged into it. The largest community comes first; rows without neighbours come last.
///
/// Step II puts common neighbours side by side. It starts with the first row; the next row is the row that has the most
/// columns in common with the last one. The paper searches all remaining rows, at quadratic cost. Here the search is
/// within blocks of 256 rows in the order of step I.
///
/// All sums and comparisons are exact, and a hash of the vertex number breaks ties. Hence the order is the same on
/// every backend and for any number of threads. It depends on the initial order of rows, but not on the values.
///
/// Not every matrix gains. If long rows share more columns with short rows than with each other, they are separated:
/// each is placed with its short rows.
///
/// Cost: in each round, a radix sort of the remaining edges between communities; then, for each nonzero, a few
/// operations on sets of rows. Most matrices take about ten rounds, of which the first few matter. Equal rows, or
/// degrees that ascend along a path, would take one round per vertex; they stop after most_affinity_rounds rounds with
/// the communities found so far. The host waits twice per round. Memory for all rounds, allocated once: 24 bytes per
/// nonzero, 56 per vertex, 4 per row, and the memory of the sort. Then 72 bytes per nonzero for an eighth of the
/// nonzeros, or for all of them if 256 rows hold most of them or, on devices, if there are at most 16 million.
///
/// \throws std::invalid_argument if A has 2^31 or more nonzeros, or 2^31 or more rows and columns together
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> data_affinity(const ExecutionSpace& exec,
                                                                 const CsrPattern<Offset>& A);

}  // namespace Tessera::Impl
