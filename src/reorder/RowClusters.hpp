// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/reorder/Permutation.hpp>

#include "ColumnSets.hpp"

namespace Tessera::Impl {

/// Puts rows with similar columns side by side: in pairs, then pairs of pairs, and so on up to `height` rows. All
/// clusters of a level have the same number of rows, a power of two, so each fills an aligned window. Windows are in
/// the order of the first rows of their first halves.
///
/// \param sets [in] the columns of each row, numbered below `columns`
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> cluster_rows(const ExecutionSpace& exec,
                                                                ColumnSets<typename ExecutionSpace::memory_space> sets,
                                                                Ordinal columns, Ordinal height);

}  // namespace Tessera::Impl
