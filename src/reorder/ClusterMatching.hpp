// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "ColumnSets.hpp"

namespace Tessera::Impl {

/// Pairs clusters that share many of their columns: of each its partner, or -1 for the one that is left over if their
/// number is odd. Those that share nothing with any other that is free are paired in the order that they have.
///
/// In a pass each free cluster finds its neighbours, those with a column in common, through the inverted index, and
/// keeps the most similar; then clusters that choose each other are paired until there are none. Of a column that many
/// have, a cluster sees only those owners that are near it in an order by MinHash, so that a hub costs what another
/// column does.
///
/// Cost: a pass sorts the listed columns of all free clusters and visits at most `longest_list` owners for each.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space> match_clusters(
    const ExecutionSpace& exec, const ColumnSets<typename ExecutionSpace::memory_space>& sets, Ordinal columns);

}  // namespace Tessera::Impl
