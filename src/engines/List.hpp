// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "acc_spmm/AccSpmmEngine.hpp"
#include "bcsr/BcsrEngine.hpp"
#include "bittcf/BitTcfEngine.hpp"
#include "bmat/BmatEngine.hpp"
#include "brp/BrpEngine.hpp"
#include "compact_rows/CompactRowsEngine.hpp"
#include "csr/CsrEngine.hpp"
#include "row_groups/RowGroupsEngine.hpp"
#include "sorted_columns/SortedColumnsEngine.hpp"
#include "staged/StagedEngine.hpp"
#include "voltrix/VoltrixEngine.hpp"

/// The list of all engines, in plain C++. No other list names them.
namespace Tessera::Impl {

template <class... Kind>
struct EngineList {};

/// The kinds of engines (EngineKind.hpp).
///
/// Engines that only Kernel::Published uses precede the automatic ones of their formats.
using Engines = EngineList<AccSpmmEngine, VoltrixEngine, CsrEngine, BitTcfEngine, RowGroupsEngine, StagedEngine,
                           BmatEngine, BcsrEngine, BrpEngine, SortedColumnsEngine, CompactRowsEngine>;

template <class... Kind>
constexpr bool orders_itself(Format format, EngineList<Kind...>) {
  return ((Kind::format == format && Kind::orders_itself) || ...);
}
template <class... Kind>
constexpr bool has_adjacent_columns(Format format, EngineList<Kind...>) {
  return ((Kind::format == format && Kind::has_adjacent_columns) || ...);
}
/// Returns orders_itself of the kind with this format (EngineKind.hpp); false for Format::Auto.
constexpr bool orders_itself(Format format) { return orders_itself(format, Engines()); }
/// Returns has_adjacent_columns of the kind with this format (EngineKind.hpp); false for Format::Auto.
constexpr bool has_adjacent_columns(Format format) { return has_adjacent_columns(format, Engines()); }

}  // namespace Tessera::Impl
