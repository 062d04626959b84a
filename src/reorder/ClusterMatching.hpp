// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/parallel/Array.hpp>

#include "ColumnSets.hpp"

namespace Tessera::Impl {

/// Pairs clusters that share many of their columns. Returns the partner of each cluster; if their number is odd, one
/// cluster has partner -1. Clusters that share no column with a free cluster are paired in their present order.
///
/// In a pass, each free cluster finds its neighbours (clusters with a common column) through the inverted index, and
/// keeps the most similar ones. Clusters that choose each other are then paired until no two do. If many clusters have
/// a column, each visits only the owners of the column that are near it in a MinHash order. Hence a hub costs no more
/// than any other column.
///
/// Cost: a pass sorts the listed columns of all free clusters and visits at most `longest_list` owners for each.
template <class ExecutionSpace>
Array<Ordinal*, typename ExecutionSpace::memory_space> match_clusters(
    const ExecutionSpace& exec, const ColumnSets<typename ExecutionSpace::memory_space>& sets, Ordinal columns);

}  // namespace Tessera::Impl
