// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// Orders the columns of A by number of entries, in ascending order (Swift, section IV). Equally long columns keep
/// their order. Blocks of adjacent columns then hold columns of about the same length. The format SortedColumns
/// computes this order itself.
///
/// Cost: one atomic increment for each entry, and a radix sort of the columns.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> column_sort(const ExecutionSpace& exec, const CsrPattern<Offset>& A);

}  // namespace Tessera::Impl
