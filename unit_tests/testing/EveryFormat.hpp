// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes the formats of all engines. List.hpp is plain C++ and only declares them.
#pragma once

#include <tessera/format/Csr.hpp>

#include "bcsr/Bcsr.hpp"
#include "brp/Brp.hpp"
#include "compact_rows/CompactRows.hpp"
#include "condensed/CondensedFormat.hpp"
#include "row_groups/RowGroups.hpp"
#include "sorted_columns/SortedColumns.hpp"
#include "staged/StagedWindows.hpp"
