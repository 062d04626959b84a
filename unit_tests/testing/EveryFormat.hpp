// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats of all engines. List.hpp, which is plain C++, only declares them.
#pragma once

#include <tessera/format/Csr.hpp>

#include "bcsr/Bcsr.hpp"
#include "brp/BlockRowPartition.hpp"
#include "condensed/CondensedFormat.hpp"
#include "row_groups/RowGroups.hpp"
#include "sorted_columns/SortedColumns.hpp"
#include "staged/StagedWindows.hpp"
