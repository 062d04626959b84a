// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "condensed/cuda/Schedule.hpp"
#include "voltrix/WordsView.hpp"

namespace Tessera::Impl::Cuda {

/// Some tiles of one window. A block multiplies an item by some columns of X.
struct alignas(16) BmatItem {
  static constexpr int direct = -1;  ///< means no slot

  Offset first_tile;   ///< the first tile of the item
  Offset first_value;  ///< the place of its first value
  int tiles;           ///< number of tiles
  Ordinal window;      ///< the window
  int slot;  ///< the slot of the item's sums in the workspace; `direct` for a whole window, whose sums are written to Y
};

/// A position in the list of items: an item, and a fraction of its columns of X.
struct BmatPoint {
  static constexpr int fraction_bits = 16;  ///< bits of a fraction

  int item;           ///< the item
  unsigned fraction;  ///< the fraction of the item's columns, in units of 2^-16, less than 1
};

/// Number of blocks of a multiprocessor for which points are computed. A kernel with fewer blocks (a divisor of this
/// number) uses only some of the points.
inline constexpr int bmat_parts_per_multiprocessor = 24;

/// How items are shared among blocks.
enum class BmatPartition {
  EqualCost,  ///< a block multiplies everything between two points
  Dealt,      ///< block b of n has items b, b + n, ...: items that run at the same time are near each other and share X
  Best        ///< Dealt, or EqualCost if a block would get much more work than the others
};

/// The items that blocks multiply, and which block multiplies which item.
///
/// A product runs exactly the blocks that the multiprocessors hold at a time. With points, a block multiplies
/// everything between two of them: some slabs of columns of its first item, all columns of the next items, and some
/// slabs of its last item. Hence each element of Y is written by one block.
struct BmatSchedule : WindowSchedule<BmatItem> {
  int multiprocessors = 0;  ///< number of multiprocessors
  /// multiprocessors * bmat_parts_per_multiprocessor + 1 points, or null if items are dealt.
  const BmatPoint* points = nullptr;
};

/// The arrays of a schedule, in host memory.
struct HostBmatSchedule : HostWindowSchedule<BmatItem> {
  std::vector<BmatPoint> points;  ///< the points; empty if items are dealt
};

/// The predicted time of an item in tiles (Voltrix-SpMM, Eq. 1): cf_2 / cf_1 of the paper. Both terms are linear in the
/// number of columns, so one partition suits any number. cf_3, the time of the launch, has no influence.
///
/// Fitted on an H200 (bmat_pipeline: windows of 1 to 32 tiles of 24 entries; 32 and 128 columns): 6.0 to 6.6 tiles in
/// FP64, 4.4 to 5.4 in TF32x3.
struct BmatCost {
  double window = 5;  ///< time to begin an item and to write its 16 rows, in tiles
};

/// Computes points that divide the total cost equally (Voltrix-SpMM, Algorithm 1). Point i of `parts` + 1 is where the
/// fraction i / parts of the total cost is reached. A point in the first eighth of an item's columns moves to the start
/// of the item, one in the last eighth to its end.
///
/// The paper counts costs from the previous point, which has also moved, so its moves accumulate; here they do not. The
/// paper's genetic refinement is left out. Throws std::invalid_argument for parts <= 0. Cost: O(items + parts).
std::vector<BmatPoint> partition_bmat_items(const std::vector<BmatItem>& items, int parts, BmatCost cost = {});

/// Returns the imbalance if items are dealt to `blocks` blocks: the largest cost of a block over the mean. Throws
/// std::invalid_argument for blocks <= 0. Cost: O(items + blocks).
double dealt_bmat_imbalance(const std::vector<BmatItem>& items, int blocks, BmatCost cost = {});

/// Builds a schedule. window_offsets and tile_offsets of A are in host memory; no other array is read.
///
/// piece_tiles > 0 is the upper bound on the tiles of an item. Longer windows are cut into several items, as by
/// build_condensed_schedule, and a second step adds their sums in order. Results depend on piece_tiles only.
/// multiprocessors > 0 counts those of the GPU. BmatPartition::Best deals items up to an imbalance of 1.2 with 4 blocks
/// on each. On an H200 this made a mesh up to 1.5 times as fast, and only a matrix with imbalance 1.28 slower. Throws
/// std::invalid_argument for numbers <= 0, std::length_error for more than 2^31 - 1 items. Cost: O(items).
HostBmatSchedule build_bmat_schedule(const BmatWords& A, int piece_tiles, int multiprocessors,
                                     BmatPartition partition = BmatPartition::Best, BmatCost cost = {});

}  // namespace Tessera::Impl::Cuda
