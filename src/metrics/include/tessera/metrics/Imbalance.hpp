// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/Array.hpp>

namespace Tessera::Impl {

/// Returns how unevenly elements are distributed over units: the mean of |count(u) - mean count| over all units u,
/// where count(u) = offsets(u + 1) - offsets(u). For the tiles of windows this is the IBD of Acc-SpMM, Eq. 3. That
/// paper calls a matrix with an IBD above 8 highly imbalanced.
///
/// \param exec    [in] the instance to run on
/// \param offsets [in] units + 1 elements; with 0 or 1 element there are no units, and the result is 0
///
/// Cost: a pass over the offsets; waits for `exec`.
template <class ExecutionSpace>
double imbalance(const ExecutionSpace& exec,
                 const Impl::Array<Offset*, typename ExecutionSpace::memory_space>& offsets);

}  // namespace Tessera::Impl
