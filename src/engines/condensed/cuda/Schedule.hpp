// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>
#include <tessera/cuda/Device.hpp>
#include <vector>

namespace Tessera::Impl::Cuda {

/// Some tiles of one window. A group of warps multiplies an item by a slab of columns of X.
struct alignas(4 * sizeof(Offset)) CondensedItem {
  static constexpr int direct = -1;  ///< means no slot

  Offset first_tile;  ///< the first tile of the item
  int tiles;          ///< the number of tiles
  Ordinal window;     ///< the window
  int slot;  ///< slot of the item's sums in the workspace; `direct` for a whole window, whose sums are written to Y
};

/// A window whose tiles are split among items. Its sums are added from `slots` adjacent slots, in order.
struct CondensedSum {
  Ordinal window;  ///< the window
  int first_slot;  ///< its first slot
  int slots;       ///< number of its slots
};

/// The items that warps multiply: raw pointers to device memory that the caller owns. Each kernel for windows has its
/// own type of items.
///
/// Windows with more tiles than a limit are cut into pieces of about equal size, each within the limit. Hence a long
/// window keeps several multiprocessors busy. The cuts depend on the matrix and the limit. Pieces are summed in order,
/// so a result depends neither on the number of columns nor on the order in which items run.
template <class Item>
struct WindowSchedule {
  int item_count = 0;                  ///< number of items
  int sum_count = 0;                   ///< number of windows that are split
  int slot_count = 0;                  ///< number of slots in the workspace
  const Item* items = nullptr;         ///< the items
  const CondensedSum* sums = nullptr;  ///< the windows that are split
  int width = 0;                       ///< number of columns for which products choose a policy; 0: that of X
};

/// The arrays of a schedule, in host memory.
template <class Item>
struct HostWindowSchedule {
  std::vector<Item> items;         ///< the items
  std::vector<CondensedSum> sums;  ///< the windows that are split
  int slots = 0;                   ///< number of slots in the workspace
};

/// A schedule of condensed windows.
using CondensedSchedule = WindowSchedule<CondensedItem>;
/// A schedule of condensed windows in host memory.
using HostCondensedSchedule = HostWindowSchedule<CondensedItem>;

/// The places where a window is cut.
enum class PieceCut {
  Even,  ///< into pieces of about the same size
  Full   ///< at multiples of piece_tiles, for tiles that depend on earlier tiles of their piece (StagedView.hpp)
};

/// Chooses the upper bound on the tiles of an item, for a matrix with this number of tiles: items then make about one
/// wave of warps. If it were smaller, sums of pieces would cost more than they save; if it were larger, the last items
/// would end late. Results depend on the bound, hence on the matrix and the device, within rounding errors.
int condensed_piece_tiles(double tiles, const Device& device = {});

/// The number of windows that are split together. In the list of items, their pieces with the same number are adjacent.
/// If the windows are similar, these pieces have the same columns.
inline constexpr Ordinal schedule_group_windows = 32;

/// Returns the number of items into which a window with `tiles` tiles is cut, at least one.
TESSERA_FUNCTION int pieces_of_window(Offset tiles, int piece_tiles) {
  const auto size = static_cast<Offset>(piece_tiles);
  return tiles <= size ? 1 : static_cast<int>((tiles + size - 1) / size);
}

/// Returns the first tile of piece p of a window with `tiles` tiles that is cut into `pieces` even pieces.
TESSERA_FUNCTION Offset first_of_even_piece(Offset tiles, int pieces, int p) {
  return static_cast<Offset>(static_cast<std::uint64_t>(tiles) * static_cast<unsigned>(p) /
                             static_cast<unsigned>(pieces));
}

/// Builds a schedule from the window offsets of a pattern, windows + 1 elements in host memory.
///
/// piece_tiles > 0 is the upper bound on the tiles of an item. Windows without tiles also get an item, for beta Y.
/// Throws std::invalid_argument for piece_tiles <= 0, std::length_error for more than 2^31 - 1 items. Cost: O(items).
HostCondensedSchedule build_condensed_schedule(const Offset* window_offsets, Ordinal windows, int piece_tiles,
                                               PieceCut cut = PieceCut::Even);

/// Puts the longest items first if their lengths differ much. Otherwise the order is kept, so neighbours, which share
/// rows of X, remain together. Results do not depend on the order of the items. Cost: a sort of the items.
void put_longest_first(std::vector<CondensedItem>& items);

}  // namespace Tessera::Impl::Cuda
