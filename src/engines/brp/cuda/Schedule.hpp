// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "brp/BrpView.hpp"
#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// Some groups and some residual entries of one window. A warp multiplies an item by a slab of columns of X. The item
/// names the rows with residual entries, so the warp can read the entries before it has the list of rows.
struct alignas(16) BrpItem {
  static constexpr int direct = CondensedItem::direct;  ///< means no slot

  Offset first_group;   ///< the first group of the item
  Offset first_listed;  ///< the first residual row of the window
  int groups;           ///< number of groups
  Ordinal window;       ///< the window
  int slot;  ///< the slot of the item's sums in the workspace; `direct` for a whole window, whose sums are written to Y
  unsigned residual_rows;  ///< bit r is set if row r of the window has residual entries
  int piece;               ///< index of the item's piece of the residual entries, from 0
  int pieces;              ///< number of equal pieces of the residual entries
};

/// A schedule of a block-row partition. Each piece of a window has its share of the groups and of the residual entries.
using BrpSchedule = WindowSchedule<BrpItem>;
/// A schedule of a block-row partition in host memory.
using HostBrpSchedule = HostWindowSchedule<BrpItem>;

/// Returns the work of a window in tiles: the tiles of its groups, and those that its residual entries would fill.
Offset brp_window_work(const BrpPattern& A, Ordinal window);

/// Builds a schedule from a pattern in host memory. Reads only the pattern's sizes, window_groups, window_residuals,
/// residual_rows and residual_offsets.
///
/// piece_tiles > 0 is the upper bound on the work of an item (condensed_piece_tiles() of the work of all windows).
/// Windows without entries also get an item, for beta Y. Throws std::invalid_argument for piece_tiles <= 0,
/// std::length_error for more than 2^31 - 1 items. Cost: O(items + residual rows).
HostBrpSchedule build_brp_schedule(const BrpPattern& A, int piece_tiles);

}  // namespace Tessera::Impl::Cuda
