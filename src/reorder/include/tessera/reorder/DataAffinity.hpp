// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera {

/// Rounds of merges, at most: see data_affinity().
inline constexpr int most_affinity_rounds = 32;

/// The rows of a canonical pattern A so that rows with many columns in common become neighbours: data-affinity-based
/// reordering, Acc-SpMM section 3.2, algorithm 1.
///
/// The graph. Of a square A: vertices are rows and columns alike, and an edge weighs as many as there are of A(i, j)
/// and A(j, i), i != j. Otherwise the graph is bipartite: rows and columns are vertices, nonzeros edges, and the order
/// of the rows is read off that of all.
///
/// Step I, communities. The paper visits vertices one by one in ascending order of degree, and merges each into the
/// neighbour with which modularity gains most. Here all communities do so at once, in rounds that end when nobody gains
/// any more: each proposes to the neighbour of higher degree with which it gains most; one that nobody has proposed to
/// is merged, as long as it gains with the degree that its target has by then, in ascending order of degree. Unlike in
/// the paper, a community that has grown is asked again. The leaves of the dendrogram in the order of a depth-first
/// search: a community as it was, then what was merged into it; the largest community first; rows without neighbours
/// last.
///
/// Step II, common neighbours. From the first row on, the next is the one with the most columns in common. The paper
/// looks among all rows that are left, which is quadratic; here among those in the same block of 256 rows of step I.
///
/// All sums and comparisons are exact, and equal ones are told apart by a hash of their number: the order is the same
/// on every backend and number of threads. It does not depend on the values, but on the order that A has.
///
/// Not every matrix gains. Rows with thousands of columns each, that share them with short rows more than with each
/// other, are taken apart, each to its short rows.
///
/// Cost: for each round a radix sort of the edges that are left between communities. There are about ten rounds for
/// most matrices, of which the first few matter, and never more than most_affinity_rounds: rows that are all equal, or
/// degrees that ascend along a path, would take a round a column or a row, and are left as they are by then.
/// Afterwards, for each nonzero, a few operations on sets of rows. Memory: about 40 bytes a nonzero; 72 where 256 rows
/// hold most of the nonzeros, and on devices up to 16 million of them.
///
/// \throws std::invalid_argument if A has 2^31 nonzeros or more, or as many rows and columns together.
template <class ExecutionSpace, class Offset>
Permutation<typename ExecutionSpace::memory_space> data_affinity(const ExecutionSpace& exec,
                                                                 const CsrPattern<Offset>& A);

}  // namespace Tessera
