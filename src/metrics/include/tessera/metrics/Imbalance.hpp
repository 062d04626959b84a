// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace Tessera {

/// How unevenly units share what they hold: the mean of |count(u) - mean count| over all units u, where
/// count(u) = offsets(u + 1) - offsets(u). For the tiles of windows this is the IBD of Acc-SpMM, Eq. 3, which takes a
/// matrix with more than 8 for highly imbalanced.
///
/// \param offsets [in] units + 1 elements; 0 or 1 element stand for no units, whose imbalance is 0
///
/// Cost: a pass over the offsets; waits for `exec`.
template <class ExecutionSpace, class Offset>
double imbalance(const ExecutionSpace& exec,
                 const Kokkos::View<Offset*, typename ExecutionSpace::memory_space>& offsets);

}  // namespace Tessera
