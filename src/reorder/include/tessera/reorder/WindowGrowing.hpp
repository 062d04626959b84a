// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// Orders the rows of A such that windows of `rows` rows, and of each smaller power of two, have few distinct columns.
/// A kernel that gathers the rows of X of a window then reads fewer rows. On grids, windows become boxes. The result is
/// the identity if windows would not have fewer columns than in the present order.
///
/// Rows are matched in pairs, then pairs are matched, and so on up to the largest power of two in `rows`, as by
/// jaccard_rows(). Growing one window after the other, which is common, would be sequential.
///
/// \param exec [in] the instance to run on
/// \param A    [in] a canonical pattern of any shape
/// \param rows [in] rows of a window, at least 1; 64 to 128 is common
/// \throws std::invalid_argument if `rows` is less than 1
///
/// The order is the same on every backend and for any number of threads. Cost: that of jaccard_rows(), with columns
/// instead of block columns.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> grow_windows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                                Ordinal rows);

}  // namespace Tessera::Impl
