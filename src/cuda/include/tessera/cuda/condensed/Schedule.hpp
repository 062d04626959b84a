// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>
#include <tessera/cuda/Device.hpp>
#include <vector>

namespace Tessera::Cuda {

/// Some tiles of one window, which one group of warps multiplies with a slab of columns.
template <class Offset>
struct alignas(4 * sizeof(Offset)) CondensedItem {
  static constexpr int direct = -1;

  Offset first_tile;
  int tiles;
  Ordinal window;
  int slot;  // where in the workspace its sums go; direct: the item is a whole window, and they go to Y
};

/// A window whose tiles are split among items: its sums are those of `slots` adjacent slots, in order.
struct CondensedSum {
  Ordinal window;
  int first_slot;
  int slots;
};

/// Who multiplies what: raw pointers to device memory that somebody else owns.
///
/// Windows with more than a given number of tiles are cut into pieces of about the same size, at most that many, so
/// that one of them keeps more than one multiprocessor busy. Where they are cut depends on the matrix and that number,
/// and pieces are summed in order: a result depends neither on the number of columns nor on who runs first.
template <class Offset>
struct CondensedSchedule {
  int item_count = 0;
  int sum_count = 0;
  int slot_count = 0;
  const CondensedItem<Offset>* items = nullptr;
  const CondensedSum* sums = nullptr;
};

/// The arrays of a schedule, in host memory.
template <class Offset>
struct HostCondensedSchedule {
  std::vector<CondensedItem<Offset>> items;
  std::vector<CondensedSum> sums;
  int slots = 0;
};

/// Where windows are cut.
enum class PieceCut {
  Even,  ///< into pieces of about the same size
  Full   ///< at multiples of piece_tiles: for tiles that need those before them in a piece (StagedView.hpp)
};

/// The most tiles of an item that make about one wave of warps on a device of a matrix with so many tiles, neither so
/// few that sums of pieces cost more than they save nor so many that the last ones keep the others waiting. Results
/// depend on it, to within roundoff: on the matrix and the device.
int condensed_piece_tiles(double tiles, const Device& device = {});

/// Windows that are split together: their pieces lie side by side in the list of items, those of the same number next
/// to each other. A column of a matrix whose windows are alike is in pieces of the same number.
inline constexpr Ordinal schedule_group_windows = 32;

/// How many items a window with so many tiles becomes, at least one.
template <class Offset>
TESSERA_FUNCTION int pieces_of_window(Offset tiles, int piece_tiles) {
  const auto size = static_cast<Offset>(piece_tiles);
  return tiles <= size ? 1 : static_cast<int>((tiles + size - 1) / size);
}

/// Of a window with `tiles` tiles in `pieces` even pieces, the first tile of piece p.
template <class Offset>
TESSERA_FUNCTION Offset first_of_even_piece(Offset tiles, int pieces, int p) {
  return static_cast<Offset>(static_cast<std::uint64_t>(tiles) * static_cast<unsigned>(p) /
                             static_cast<unsigned>(pieces));
}

/// Builds a schedule from the window offsets of a pattern, in host memory (windows + 1 of them).
///
/// piece_tiles: the most tiles of an item, > 0. Windows without tiles get an item too, for beta Y. Throws
/// std::invalid_argument for piece_tiles <= 0, std::length_error for more than 2^31 - 1 items. Cost: O(items).
template <class Offset>
HostCondensedSchedule<Offset> build_condensed_schedule(const Offset* window_offsets, Ordinal windows, int piece_tiles,
                                                       PieceCut cut = PieceCut::Even);

/// Puts the longest items first where they differ much; otherwise neighbours stay together, which share rows of X.
/// Which is first is nothing to the results. Cost: a sort of the items.
template <class Offset>
void put_longest_first(std::vector<CondensedItem<Offset>>& items);

}  // namespace Tessera::Cuda
