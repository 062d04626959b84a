// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// Number of rows of a group. local_clusters() exchanges rows only within a group.
inline constexpr Ordinal local_group_rows = 256;

/// Number of rows of a strip, which local_clusters() puts side by side.
inline constexpr Ordinal local_strip_rows = 8;

/// Upper bound on the entries of a group that local_clusters() reads.
inline constexpr std::size_t most_group_entries = std::size_t(1) << 16;

/// Orders the rows of A such that windows of 8 rows have few distinct columns, without moving a row far. Rows are
/// exchanged only within groups of 256 neighbouring rows, hence the order of groups, and its locality, remain.
///
/// In each group, strips of 8 rows are built one after the other. A strip begins with a long row; lengths are compared
/// by their numbers of binary digits. Hence strips of the longest rows come first, and neighbouring strips have rows of
/// about the same length. Among rows with equally many digits, the first row of a strip is the one most similar to the
/// previous strip, so strips that share columns are side by side. Each of the next seven rows is the row most similar
/// to all rows of the strip together. If no row shares a column with the strip, the next row is the one that a new
/// strip would begin with. Similarity is Jaccard's measure of columns, |intersection| / |union|, rounded down to a
/// multiple of 2^-16. Of equally good rows, the first is taken. A group keeps its order unless more than one in 16
/// distinct columns of its windows of 8 rows is saved.
///
/// In a group with more than 65,536 entries, rows are compared, and the group is judged, by a sample: the columns whose
/// hash begins with z zero bits. z is the least number from log2(entries / 65,536) on for which the sample has at most
/// 65,536 entries.
///
/// \param exec [in] the instance to run on
/// \param A    [in] a canonical pattern of any shape
///
/// The order is the same on every backend and for any number of threads. Cost: each entry is inserted into a hash table
/// of its group. For each of its columns, a strip then increments the counts of all rows of the group that have the
/// column. A column that k rows of a group have is in at most min(k, 32) strips: at most 32 increments per entry, and
/// 2^21 per group. The next row is searched among the rows that share columns with the strip, at most 256. On hosts
/// this takes about as long as ten products with 32 columns. Memory: the order, and 29 bytes per nonzero for an eighth
/// of the nonzeros or, if that is more, for 2^18 nonzeros (2^23 on devices).
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> local_clusters(const ExecutionSpace& exec,
                                                                  const CsrPattern<Offset>& A);

}  // namespace Tessera::Impl
