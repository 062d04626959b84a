// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// The tiles of a BitTCF matrix that each thread block multiplies: raw pointers to memory that the caller owns.
///
/// Block b has the items block_items[b], ..., block_items[b + 1] - 1, at least one. Items are whole windows or pieces
/// of them, and their tiles are adjacent. Results depend on the schedule as described at CondensedSchedule.
struct BitTcfSchedule {
  CondensedSchedule pieces;          ///< items, sums and slots
  int block_count = 0;               ///< number of thread blocks
  const int* block_items = nullptr;  ///< block_count + 1 offsets, counted in items
};

/// The arrays of a schedule, in host memory.
struct HostBitTcfSchedule {
  HostCondensedSchedule pieces;  ///< items, sums and slots
  std::vector<int> block_items;  ///< block_count() + 1 offsets, counted in items

  int block_count() const { return static_cast<int>(block_items.size()) - 1; }  ///< number of thread blocks
};

/// The matrices for which thread blocks get about equal work. For others, each thread block gets one window.
enum class BitTcfBalance {
  Never,     ///< for no matrix
  Adaptive,  ///< for matrices with a tile_imbalance() of more than balanced_imbalance
  Always     ///< for every matrix
};

/// Returns Acc-SpMM's imbalance (section 3.5, Eq. 3): the mean absolute deviation of the number of tiles per window.
/// Without windows it is 0. Cost: O(windows).
double tile_imbalance(const Offset* window_offsets, Ordinal windows);

/// The imbalance above which the paper balances the work.
inline constexpr double balanced_imbalance = 8;

/// Returns the seconds that a thread block needs for each column of X, by the model of the paper (section 3.5, Eq. 4).
///
/// This deviates where Eq. 4 contradicts itself: the time of multiplications grows with the number of tiles, like that
/// of the loads; elements of X and Y have scalar_bytes; the time of writing grows with the number of windows. N
/// multiplies all terms, hence windows are cut in the same way for every N. The rates are from an H200's data sheet.
double bittcf_block_time(double tiles, double windows, int scalar_bytes);

/// Chooses the upper bound on tiles of a block such that a matrix with this number of tiles has enough blocks for the
/// device: 32 tiles, as in the paper, except for small matrices. Results depend on it within rounding errors.
int bittcf_block_tiles(double tiles, const Device& device = {});

/// Builds a schedule from the window offsets of a pattern, windows + 1 elements in host memory.
///
/// Without balance, a block has one window. With balance, windows of more than block_tiles > 0 tiles are cut into even
/// pieces of at most block_tiles tiles. A block gets adjacent pieces up to block_tiles tiles, and up to the time of one
/// window with block_tiles tiles. Windows without tiles also belong to a block, for beta Y. scalar_bytes is the size of
/// an element of X.
///
/// Deviation from the paper: it fills each block and cuts windows where the block is full. Here a window that fits into
/// a block is not cut, because pieces cost memory and a second kernel.
///
/// Throws std::invalid_argument for block_tiles <= 0 or scalar_bytes <= 0, std::length_error for more than 2^31 - 1
/// items. Cost: O(items log items).
HostBitTcfSchedule build_bittcf_schedule(const Offset* window_offsets, Ordinal windows, int block_tiles,
                                         int scalar_bytes, BitTcfBalance balance = BitTcfBalance::Adaptive);

}  // namespace Tessera::Impl::Cuda
