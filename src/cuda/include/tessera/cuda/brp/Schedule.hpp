// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BlockRowPartitionView.hpp>
#include <tessera/cuda/condensed/Schedule.hpp>
#include <vector>

namespace Tessera::Cuda {

/// Some groups and some residual entries of one window, which a warp multiplies with a slab of columns. It knows which
/// rows have residual entries, so that reading them need not wait for the list of rows.
template <class Offset>
struct alignas(16) BrpItem {
  static constexpr int direct = CondensedItem<Offset>::direct;

  Offset first_group;
  Offset first_listed;  // residual row of the window
  int groups;
  Ordinal window;
  int slot;                // where in the workspace its sums go; direct: the item is a whole window, and they go to Y
  unsigned residual_rows;  // bit r is set if row r of the window is listed
  int piece, pieces;       // it has this one of so many even pieces of the residual entries, numbered from 0
};

/// Who multiplies what: raw pointers to device memory that somebody else owns. See CondensedSchedule: windows with much
/// work are cut into pieces, each with its share of the groups and of the residual entries, and pieces are summed in
/// order.
template <class Offset>
struct BrpSchedule {
  int item_count = 0;
  int sum_count = 0;
  int slot_count = 0;
  const BrpItem<Offset>* items = nullptr;
  const CondensedSum* sums = nullptr;
};

/// The arrays of a schedule, in host memory.
template <class Offset>
struct HostBrpSchedule {
  std::vector<BrpItem<Offset>> items;
  std::vector<CondensedSum> sums;
  int slots = 0;
};

/// What a window costs, in tiles: those of its groups, and as many as its residual entries would make.
template <class Offset>
Offset brp_window_work(const BlockRowPartitionPattern<Offset>& A, Ordinal window);

/// Builds a schedule from a pattern in host memory: its sizes, window_groups, window_residuals, residual_rows and
/// residual_offsets; the other arrays are not read.
///
/// piece_tiles: the most work of an item, > 0 (condensed_piece_tiles of the work of all windows). Windows without
/// entries get an item too, for beta Y. Throws std::invalid_argument for piece_tiles <= 0, std::length_error for more
/// than 2^31 - 1 items. Cost: O(items + residual rows).
template <class Offset>
HostBrpSchedule<Offset> build_brp_schedule(const BlockRowPartitionPattern<Offset>& A, int piece_tiles);

}  // namespace Tessera::Cuda
