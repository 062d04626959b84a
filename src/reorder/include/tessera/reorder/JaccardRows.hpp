// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera {

/// SMaT's order (section IV.C, after Sylos Labini et al.): rows whose sets of block columns are similar by Jaccard's
/// measure, |both| / |either|, are put into the same window of block_rows rows, so that BCSR has fewer blocks. The
/// identity where that does not save one block in twenty, as for band matrices.
///
/// The paper starts a cluster from any row and compares it with all others, which is quadratic. Here rows are paired,
/// then pairs, and so on up to block_rows (its largest power of two), and each is compared with those alone with which
/// it shares a block column. There is no threshold: a window is filled in any case, so that the best of what is left is
/// good enough.
///
/// \param A          canonical, of any shape
/// \param block_rows, block_columns at least 1, or std::invalid_argument is thrown
///
/// The same order on every backend and number of threads. Cost: for each doubling a few radix sorts of the block
/// columns of all clusters, which become fewer, and a visit to at most 48 owners for each; about 32 bytes a nonzero,
/// 64 a row and 12 a column of memory while it runs.
template <class ExecutionSpace, class Offset>
Permutation<typename ExecutionSpace::memory_space> jaccard_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                                Ordinal block_rows, Ordinal block_columns);

}  // namespace Tessera
