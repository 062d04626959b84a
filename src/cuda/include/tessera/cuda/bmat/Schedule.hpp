// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BmatView.hpp>
#include <tessera/cuda/condensed/Schedule.hpp>
#include <vector>

namespace Tessera::Cuda {

/// Some tiles of one window, which a block multiplies with some columns of X.
template <class Offset>
struct alignas(16) BmatItem {
  static constexpr int direct = -1;

  Offset first_tile;
  Offset first_value;
  int tiles;
  Ordinal window;
  int slot;  // where in the workspace its sums go; direct: the item is a whole window, and they go to Y
};

/// A place in the items laid end to end, each as long as X has columns: a fraction of the columns of an item.
struct BmatPoint {
  static constexpr int fraction_bits = 16;

  int item;
  unsigned fraction;  // in 2^-16, less than 1
};

/// The points are made for this many blocks of a multiprocessor; kernels with a divisor of it skip some.
inline constexpr int bmat_parts_per_multiprocessor = 24;

/// How items are shared among blocks.
enum class BmatPartition {
  EqualCost,  ///< a block has what lies between two points
  Dealt,      ///< blocks have every so-manieth item: at any time all blocks are near each other, and read the same X
  Best        ///< dealt where no block gets much more than the others that way, otherwise parts of equal cost
};

/// Who multiplies what: raw pointers to device memory that somebody else owns.
///
/// Products have as many blocks as the multiprocessors hold at a time. With points, a block has what lies between two
/// of them: some slabs of columns of its first item, all columns of the next ones, some slabs of its last one. So each
/// element of Y is written by one block.
template <class Offset>
struct BmatSchedule {
  int item_count = 0;
  int sum_count = 0;
  int slot_count = 0;
  int multiprocessors = 0;
  const BmatItem<Offset>* items = nullptr;
  const CondensedSum* sums = nullptr;
  /// multiprocessors * bmat_parts_per_multiprocessor + 1, or null: items are dealt
  const BmatPoint* points = nullptr;
};

/// The arrays of a schedule, in host memory.
template <class Offset>
struct HostBmatSchedule {
  std::vector<BmatItem<Offset>> items;
  std::vector<CondensedSum> sums;
  std::vector<BmatPoint> points;  // empty: items are dealt
  int slots = 0;
};

/// What items are predicted to cost (Voltrix-SpMM, Eq. 1), in tiles: cf_2 / cf_1 of the paper. Both terms are linear in
/// the number of columns, so that a partition serves any; cf_3, of the launch, has no influence on it.
///
/// Fitted on an H200 (bmat_pipeline: windows of 1 to 32 tiles of 24 entries; 32 and 128 columns): 6.0 to 6.6 tiles in
/// FP64, 4.4 to 5.4 in TF32x3.
struct BmatCost {
  double window = 5;  // to begin an item and to write its 16 rows
};

/// Points between which costs are equal (Voltrix-SpMM, Algorithm 1): the i-th of `parts` + 1 lies where i / parts of
/// all costs are reached, is moved to the item's begin within the first eighth of its columns, and to its end within
/// the last.
///
/// The paper counts costs from the point before, which moved too, so that what points are moved by adds up; here it
/// does not. Its genetic refinement is left out. Throws std::invalid_argument for parts <= 0. Cost: O(items + parts).
template <class Offset>
std::vector<BmatPoint> partition_bmat_items(const std::vector<BmatItem<Offset>>& items, int parts, BmatCost cost = {});

/// The most that one of `blocks` blocks gets, over the mean, where items are dealt. Throws std::invalid_argument for
/// blocks <= 0. Cost: O(items + blocks).
template <class Offset>
double dealt_bmat_imbalance(const std::vector<BmatItem<Offset>>& items, int blocks, BmatCost cost = {});

/// Builds a schedule. A's arrays are in host memory; tile_columns is not read, tile_words where windows are split only.
///
/// piece_tiles: the most tiles of an item, > 0: longer windows become several items, by the rule of
/// build_condensed_schedule, whose sums are added in order in a second step. Results depend on it, and on nothing else
/// here. multiprocessors: of the GPU, > 0. BmatPartition::Best deals up to an imbalance of 1.2 with 4 blocks of a
/// multiprocessor: on an H200 a mesh was up to 1.5 times as fast so, and only a matrix with 1.28 slower. Throws
/// std::invalid_argument for numbers <= 0, std::length_error for more than 2^31 - 1 items. Cost: O(items + tiles of
/// split windows).
template <class Offset>
HostBmatSchedule<Offset> build_bmat_schedule(const BmatPattern<Offset>& A, int piece_tiles, int multiprocessors,
                                             BmatPartition partition = BmatPartition::Best, BmatCost cost = {});

}  // namespace Tessera::Cuda
