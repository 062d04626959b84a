// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "brp/BrpView.hpp"
#include "condensed/cuda/Schedule.hpp"
#include "condensed/cuda/WindowCuts.hpp"

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
TESSERA_FUNCTION Offset brp_window_work(const BrpPattern& A, Ordinal window) {
  constexpr Offset width = BrpPattern::tile_width;
  const Offset residuals =
      A.residual_offsets[A.window_residuals[window + 1]] - A.residual_offsets[A.window_residuals[window]];
  return (A.window_groups[window + 1] - A.window_groups[window]) * static_cast<Offset>(A.g) +
         (residuals + width - 1) / width;
}

/// Windows of a block-row partition, and how they are cut into items: like condensed windows with one tile for each
/// unit of work (see WindowCuts). Reads only the pattern's sizes, window_groups, window_residuals, residual_rows and
/// residual_offsets.
struct BrpWindowCuts {
  using Item = BrpItem;  ///< the type of items

  BrpPattern A;         ///< the partition
  int piece_tiles = 0;  ///< upper bound on the work of an item: condensed_piece_tiles() of that of all windows
  Ordinal windows = A.windows();  ///< number of windows

  /// Returns the work of a window.
  TESSERA_FUNCTION Offset tiles(Ordinal window) const { return brp_window_work(A, window); }

  /// Returns piece p of a window that is cut into `pieces` pieces, without a slot.
  TESSERA_FUNCTION BrpItem piece(Ordinal window, int pieces, int p) const {
    const Offset first_group = A.window_groups[window], groups = A.window_groups[window + 1] - first_group;
    const Offset begin = first_of_even_piece(groups, pieces, p), end = first_of_even_piece(groups, pieces, p + 1);
    const Offset first_listed = A.window_residuals[window];
    unsigned residual_rows = 0;
    for (Offset listed = first_listed; listed < A.window_residuals[window + 1]; ++listed)
      residual_rows |= 1u << A.residual_rows[listed] % A.tile_rows;
    return {first_group + begin,
            first_listed,
            static_cast<int>(end - begin),
            window,
            BrpItem::direct,
            residual_rows,
            p,
            pieces};
  }
};

/// Builds a schedule from a pattern in host memory.
///
/// piece_tiles is that of BrpWindowCuts. Windows without entries also get an item, for beta Y. Throws
/// std::invalid_argument for piece_tiles <= 0, std::length_error for more than 2^31 - 1 items. Cost: O(items + residual
/// rows).
inline HostBrpSchedule build_brp_schedule(const BrpPattern& A, int piece_tiles) {
  return build_window_schedule("build_brp_schedule", BrpWindowCuts{A, piece_tiles});
}

}  // namespace Tessera::Impl::Cuda
