// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Csr.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

/// Orders the rows of A by length, the longest first. Equally long rows keep their order. Windows then hold rows of
/// similar length.
///
/// Cost: a radix sort of the rows.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> degree_sort(const ExecutionSpace& exec, const CsrPattern<Offset>& A);

}  // namespace Tessera::Impl
