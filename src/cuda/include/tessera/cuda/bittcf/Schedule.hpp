// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/condensed/Schedule.hpp>

namespace Tessera::Cuda {

/// Which tiles of a BitTCF matrix a block of threads multiplies: raw pointers to device memory that somebody else owns.
///
/// Block b has the items block_items[b], ..., block_items[b + 1] - 1, at least one: whole windows or pieces of them,
/// whose tiles are adjacent. What CondensedSchedule says of results holds here.
template <class Offset>
struct BitTcfSchedule {
  CondensedSchedule<Offset> pieces;
  int block_count = 0;
  const int* block_items = nullptr;  // block_count + 1
};

/// The arrays of a schedule, in host memory.
template <class Offset>
struct HostBitTcfSchedule {
  HostCondensedSchedule<Offset> pieces;
  std::vector<int> block_items;

  int block_count() const { return static_cast<int>(block_items.size()) - 1; }
};

/// Whether blocks of threads get about the same work, or a window each.
enum class BitTcfBalance {
  Never,
  Adaptive,  ///< where windows differ by more than balanced_imbalance
  Always
};

/// Acc-SpMM's measure of imbalance (section 3.5, Eq. 3): the mean absolute deviation of the tiles of a window, in
/// tiles. 0 for no windows. Cost: O(windows).
template <class Offset>
double tile_imbalance(const Offset* window_offsets, Ordinal windows);

/// The imbalance beyond which the paper balances.
inline constexpr double balanced_imbalance = 8;

/// How long a block of threads takes, in seconds for each column of X: the model of the paper (section 3.5, Eq. 4).
///
/// Deviations, where Eq. 4 contradicts itself: the time of multiplications grows with the tiles as that of the loads
/// does, rows of X and Y have elements of scalar_bytes, and what is written grows with the windows. N multiplies all
/// terms, so that windows are cut alike for every N. Rates are an H200's by its data sheet.
double bittcf_block_time(double tiles, double windows, int scalar_bytes);

/// The most tiles of a block that still give a device enough blocks of a matrix with so many tiles; the paper's 32 for
/// all but small ones. Results depend on it, to within roundoff.
int bittcf_block_tiles(double tiles, const Device& device = {});

/// Builds a schedule from the window offsets of a pattern, in host memory (windows + 1 of them).
///
/// Unbalanced, a block has one window. Balanced, windows of more than block_tiles (> 0) tiles are cut into even pieces
/// of at most as many, and a block takes adjacent pieces as long as it has no more tiles and takes no longer than a
/// block of one window with so many tiles. Windows without tiles are some block's, too, for beta Y. scalar_bytes: of an
/// element of X.
///
/// Deviation from the paper, which fills each block and cuts windows where it is full: a window that fits into a block
/// is not cut, for pieces cost room, a second step and its launch.
///
/// Throws std::invalid_argument for block_tiles <= 0 or scalar_bytes <= 0, std::length_error for more than 2^31 - 1
/// items. Cost: O(items log items).
template <class Offset>
HostBitTcfSchedule<Offset> build_bittcf_schedule(const Offset* window_offsets, Ordinal windows, int block_tiles,
                                                 int scalar_bytes, BitTcfBalance balance = BitTcfBalance::Adaptive);

}  // namespace Tessera::Cuda
