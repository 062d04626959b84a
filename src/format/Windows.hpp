// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/WindowMerge.hpp>

/// Windows of adjacent rows whose distinct columns are condensed into tiles: what formats of condensed columns share.
namespace Tessera::Impl {

/// Width of a window's distinct columns, ascending, and the rows that have an entry in each: bit r for row r of the
/// window. Columns that are left over are -1, without rows.
template <int Width>
struct CondensedTile {
  Ordinal columns[Width];
  unsigned rows[Width];
};

/// Calls visit(number, tile) for the tiles of a window; the first has number 0.
template <int Height, int Width, class Offset, class Visit>
KOKKOS_INLINE_FUNCTION void for_each_tile(const CsrPattern<Offset>& A, Ordinal window, const Visit& visit) {
  CondensedTile<Width> tile;
  Offset number = 0;
  int used = 0;
  const auto close_tile = [&] {
    for (int c = used; c < Width; ++c) {
      tile.columns[c] = -1;
      tile.rows[c] = 0;
    }
    visit(number++, tile);
    used = 0;
  };
  merge_window<Height>(A, window * Height, [&](Ordinal column, unsigned rows) {
    tile.columns[used] = column;
    tile.rows[used] = rows;
    if (++used == Width) close_tile();
  });
  if (used > 0) close_tile();
}

template <int Height, int Width, class Offset>
KOKKOS_INLINE_FUNCTION Offset tiles_of_window(const CsrPattern<Offset>& A, Ordinal window) {
  const Offset columns = merge_window<Height>(A, window * Height, [](Ordinal, unsigned) {});
  return (columns + Width - 1) / Width;
}

/// The tiles of all windows.
template <int Height, int Width, class ExecutionSpace, class Offset>
static std::size_t count_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  std::size_t tiles = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_tiles", WindowPolicy<ExecutionSpace>(exec, 0, window_count(A.rows, Height)),
      KOKKOS_LAMBDA(Ordinal window, std::size_t & sum) {
        sum += std::size_t(tiles_of_window<Height, Width>(A, window));
      },
      tiles);
  exec.fence("Tessera::count_tiles");
  return tiles;
}

/// The first tile of each window; the last element is the number of tiles.
template <int Height, int Width, class ExecutionSpace, class Offset>
static Kokkos::View<Offset*, typename ExecutionSpace::memory_space> tile_offsets_of_windows(
    const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  using Offsets = Kokkos::View<Offset*, typename ExecutionSpace::memory_space>;
  const Ordinal windows = window_count(A.rows, Height);
  const auto offsets = allocate<Offsets>(exec, "Tessera::window_offsets", windows + std::size_t(1));
  Kokkos::parallel_for(
      "Tessera::tile_offsets_of_windows", WindowPolicy<ExecutionSpace>(exec, 0, windows),
      KOKKOS_LAMBDA(Ordinal window) { offsets(window + 1) = tiles_of_window<Height, Width>(A, window); });
  counts_to_offsets(exec, offsets);
  return offsets;
}

}  // namespace Tessera::Impl
