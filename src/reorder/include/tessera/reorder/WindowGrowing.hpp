// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera {

/// An order whose windows of `rows` rows have few distinct columns, and so have those of each smaller power of two:
/// what a kernel reads of X, if it keeps the columns of a window. On grids windows become boxes. The identity where
/// there are not fewer than in the order that A has.
///
/// Rows are paired, then pairs, and so on up to `rows` (its largest power of two), as in jaccard_rows, by the columns
/// that both have over those that either has. Growing one window after the other, as is usual, would be sequential.
///
/// \param A    canonical, of any shape
/// \param rows at least 1, or std::invalid_argument is thrown; 64 to 128 is common
///
/// The same order on every backend and number of threads. Cost: that of jaccard_rows with columns for block columns.
template <class ExecutionSpace, class Offset>
Permutation<typename ExecutionSpace::memory_space> grow_windows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                                Ordinal rows);

}  // namespace Tessera
