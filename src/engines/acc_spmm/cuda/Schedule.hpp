// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// The tiles of a BitTCF matrix that a thread block multiplies: raw pointers to device memory that somebody else owns.
///
/// Block b has the items block_items[b], ..., block_items[b + 1] - 1. There is at least one. Items are whole windows or
/// pieces of them, and their tiles are adjacent. Results depend on the schedule as described at CondensedSchedule.
struct BitTcfSchedule {
  CondensedSchedule pieces;          ///< items, sums and slots
  int block_count = 0;               ///< number of blocks of threads
  const int* block_items = nullptr;  ///< block_count + 1 offsets, counted in items
};

/// The arrays of a schedule, in host memory.
struct HostBitTcfSchedule {
  HostCondensedSchedule pieces;  ///< items, sums and slots
  std::vector<int> block_items;  ///< block_count() + 1 offsets, counted in items

  int block_count() const { return static_cast<int>(block_items.size()) - 1; }  ///< number of blocks of threads
};

/// When blocks of threads get about equal work; otherwise each gets one window.
enum class BitTcfBalance {
  Never,     ///< for no matrix
  Adaptive,  ///< for matrices with a tile_imbalance() of more than balanced_imbalance
  Always     ///< for every matrix
};

/// Returns Acc-SpMM's imbalance (section 3.5, Eq. 3): the mean absolute deviation of the number of tiles of a
/// window. It is 0 for no windows. Cost: O(windows).
double tile_imbalance(const Offset* window_offsets, Ordinal windows);

/// The imbalance above which the paper balances.
inline constexpr double balanced_imbalance = 8;

/// Returns the seconds that a thread block needs for each column of X, by the model of the paper (section 3.5, Eq. 4).
///
/// It deviates where Eq. 4 contradicts itself: the time of multiplications grows with the number of tiles, as that of
/// the loads does; elements of X and Y have scalar_bytes; the time of writing grows with the number of windows. N
/// multiplies all terms, hence windows are cut alike for every N. The rates are those of the data sheet of an H200.
double bittcf_block_time(double tiles, double windows, int scalar_bytes);

/// Chooses the most tiles of a block so that a matrix with this number of tiles has enough blocks for the device. It is
/// 32, as in the paper, for all but small matrices. Results depend on it, to within roundoff.
int bittcf_block_tiles(double tiles, const Device& device = {});

/// Builds a schedule from the window offsets of a pattern, in host memory (windows + 1 of them).
///
/// Without balance, a block has one window. With balance, windows of more than block_tiles > 0 tiles are cut into even
/// pieces of at most block_tiles tiles. A block takes adjacent pieces up to block_tiles tiles, and up to the time of
/// one window with block_tiles tiles. Windows without tiles belong to a block too, for beta Y. scalar_bytes is the size
/// of an element of X.
///
/// Deviation from the paper: it fills each block and cuts windows where the block is full. Here a window that fits into
/// a block is not cut, because pieces cost memory and a second step with its launch.
///
/// Throws std::invalid_argument for block_tiles <= 0 or scalar_bytes <= 0, std::length_error for more than 2^31 - 1
/// items. Cost: O(items log items).
HostBitTcfSchedule build_bittcf_schedule(const Offset* window_offsets, Ordinal windows, int block_tiles,
                                         int scalar_bytes, BitTcfBalance balance = BitTcfBalance::Adaptive);

}  // namespace Tessera::Impl::Cuda
