// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// The number of rows of a group: local_clusters() exchanges rows only within a group.
inline constexpr Ordinal local_group_rows = 256;

/// The number of rows that local_clusters() puts side by side.
inline constexpr Ordinal local_strip_rows = 8;

/// Upper bound on the entries of a group that local_clusters() reads.
inline constexpr std::size_t most_group_entries = std::size_t(1) << 16;

/// Orders the rows of A to give windows of 8 rows few distinct columns, without moving a row far. Rows are exchanged
/// only within groups of 256 neighbouring rows, which keeps the locality that the order of A has among groups.
///
/// In each group, strips of 8 rows grow one after the other. A strip begins with a long row: rows are compared by the
/// number of binary digits of their lengths. Strips of the longest rows thus come first, and neighbouring strips have
/// rows of about the same length. Among rows of equal digits, the first is the one most similar to the strip before,
/// which keeps strips that share columns side by side. The next seven rows are always the one most similar to all rows
/// of the strip together. If no row shares a column with them, it is the row that a new strip would begin with.
/// Similarity is Jaccard's measure, |intersection| / |union|, of columns, rounded down to a multiple of 2^-16. Of
/// equals, the first row is taken. A group keeps its order unless that saves more than one in 16 distinct columns of
/// its windows of 8 rows.
///
/// In a group with more than 65,536 entries, only columns whose hash begins with z zeros count: a sample serves to
/// compare rows and to judge the group. z is the least number from log2(entries / 65,536) on that leaves at most 65,536
/// entries.
///
/// \param exec [in] the instance to run on
/// \param A    [in] a canonical pattern of any shape
///
/// The order is the same on every backend and for any number of threads. Cost: each entry is entered in a hash table of
/// its group. A strip then counts each of its columns for all rows of the group that have it. A column that k rows of a
/// group have is in at most min(k, 32) strips: that is at most 32 increments an entry, and 2^21 increments a group. The
/// next row is searched among those that share columns with the strip, at most 256. On hosts all this takes about as
/// long as ten products with 32 columns. Memory: 37 bytes for an eighth of the nonzeros, or for 2^18 (2^22 on devices)
/// if that is more; and the order.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> local_clusters(const ExecutionSpace& exec,
                                                                  const CsrPattern<Offset>& A);

}  // namespace Tessera::Impl
