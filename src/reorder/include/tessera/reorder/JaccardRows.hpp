// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// Orders the rows of A as SMaT does (section IV.C, after Sylos Labini et al.). Rows with similar sets of block columns
/// are put in the same window of block_rows rows, hence BCSR has fewer blocks. Similarity is Jaccard's measure,
/// |intersection| / |union|. The result is the identity if less than one block in twenty would be saved, as for band
/// matrices.
///
/// The paper starts a cluster from any row and compares it with all other rows, at quadratic cost. Here rows are
/// matched in pairs, then pairs are matched, and so on up to the largest power of two in block_rows. A cluster is
/// compared only with clusters that share a block column with it. There is no threshold, because a window must be
/// filled in any case.
///
/// \param exec          [in] the instance to run on
/// \param A             [in] a canonical pattern of any shape
/// \param block_rows    [in] rows of a block, at least 1
/// \param block_columns [in] columns of a block, at least 1
/// \throws std::invalid_argument if block_rows or block_columns is less than 1
///
/// The order is the same on every backend and for any number of threads. Cost: for each doubling, a few radix sorts of
/// the block columns of all clusters, whose number falls, and a visit to at most 48 clusters for each block column.
/// Memory: about 32 bytes per nonzero, 64 bytes per row and 12 bytes per column.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> jaccard_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                                Ordinal block_rows, Ordinal block_columns);

}  // namespace Tessera::Impl
