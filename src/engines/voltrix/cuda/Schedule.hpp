// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "condensed/cuda/Schedule.hpp"
#include "voltrix/WordsView.hpp"

namespace Tessera::Cuda {

/// Some tiles of one window, which a block multiplies with some columns of X.
struct alignas(16) BmatItem {
  static constexpr int direct = -1;  ///< stands for no slot

  Offset first_tile;   ///< its first tile
  Offset first_value;  ///< its first value
  int tiles;           ///< number of tiles
  Ordinal window;      ///< the window
  int slot;  ///< the slot of its sums in the workspace; `direct` if the item is a whole window, whose sums go to Y
};

/// A place in the items, which are laid end to end: an item, and a fraction of its columns of X.
struct BmatPoint {
  static constexpr int fraction_bits = 16;  ///< bits of a fraction

  int item;           ///< the item
  unsigned fraction;  ///< the fraction of its columns, in units of 2^-16, less than 1
};

/// The number of blocks of a multiprocessor that points are made for. Kernels whose blocks are a divisor of it skip
/// some points.
inline constexpr int bmat_parts_per_multiprocessor = 24;

/// How items are shared among blocks.
enum class BmatPartition {
  EqualCost,  ///< a block has what lies between two points
  Dealt,      ///< block b of n has the items b, b + n, ...: at any time all blocks are near each other and share X
  Best        ///< Dealt, unless a block would get much more than the others; then EqualCost
};

/// The items that blocks multiply, and who multiplies which.
///
/// Products have as many blocks as the multiprocessors hold at a time. With points, a block has what lies between two
/// of them: some slabs of columns of its first item, all columns of the next items, and some slabs of its last item.
/// Each element of Y is then written by one block.
struct BmatSchedule : WindowSchedule<BmatItem> {
  int multiprocessors = 0;  ///< number of multiprocessors
  /// multiprocessors * bmat_parts_per_multiprocessor + 1 points, or null if items are dealt.
  const BmatPoint* points = nullptr;
};

/// The arrays of a schedule, in host memory.
struct HostBmatSchedule : HostWindowSchedule<BmatItem> {
  std::vector<BmatPoint> points;  ///< the points; empty if items are dealt
};

/// The predicted time of an item, counted in tiles (Voltrix-SpMM, Eq. 1): cf_2 / cf_1 of the paper. Both terms are
/// linear in the number of columns, so that one partition serves all. cf_3, the time of the launch, has no influence.
///
/// Fitted on an H200 (bmat_pipeline: windows of 1 to 32 tiles of 24 entries; 32 and 128 columns): 6.0 to 6.6 tiles in
/// FP64, 4.4 to 5.4 in TF32x3.
struct BmatCost {
  double window = 5;  ///< tiles whose time it takes to begin an item and to write its 16 rows
};

/// Computes points between which costs are equal (Voltrix-SpMM, Algorithm 1). The i-th of `parts` + 1 points lies where
/// i / parts of all costs are reached. In the first eighth of an item's columns it moves to the item's begin, in the
/// last eighth to its end.
///
/// The paper counts costs from the point before, which has moved too, so that moves add up; here they do not. The
/// paper's genetic refinement is left out. Throws std::invalid_argument for parts <= 0. Cost: O(items + parts).
std::vector<BmatPoint> partition_bmat_items(const std::vector<BmatItem>& items, int parts, BmatCost cost = {});

/// The imbalance if items are dealt to `blocks` blocks: the largest cost of a block over the mean. Throws
/// std::invalid_argument for blocks <= 0. Cost: O(items + blocks).
double dealt_bmat_imbalance(const std::vector<BmatItem>& items, int blocks, BmatCost cost = {});

/// Builds a schedule. window_offsets and tile_offsets of A are in host memory; no other array is read.
///
/// piece_tiles > 0 is the most tiles of an item. Longer windows become several items, as by build_condensed_schedule,
/// and a second step adds their sums in order. Results depend on piece_tiles, and on nothing else here. multiprocessors
/// > 0 is that of the GPU. BmatPartition::Best deals items up to an imbalance of 1.2 with 4 blocks of a multiprocessor.
/// On an H200 this made a mesh up to 1.5 times as fast; only a matrix with an imbalance of 1.28 became slower. Throws
/// std::invalid_argument for numbers <= 0, std::length_error for more than 2^31 - 1 items. Cost: O(items).
HostBmatSchedule build_bmat_schedule(const BmatWords& A, int piece_tiles, int multiprocessors,
                                     BmatPartition partition = BmatPartition::Best, BmatCost cost = {});

}  // namespace Tessera::Cuda
