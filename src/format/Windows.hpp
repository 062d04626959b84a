// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/WindowMerge.hpp>
#include <type_traits>

#include "WindowParts.hpp"

/// The common code of formats that condense the distinct columns of a window (adjacent rows) into tiles.
namespace Tessera::Impl {

/// A policy over parts of windows. It is dynamic because parts are whole windows on hosts, and their costs differ.
template <class ExecutionSpace>
using PartPolicy =
    Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::size_t>>;

template <int Height, int Width>
KOKKOS_INLINE_FUNCTION Offset tiles_of_window(const CsrPattern<Offset>& A, Ordinal window) {
  const Offset columns = merge_window<Height>(A, window * Height, [](Ordinal, unsigned) {});
  return (columns + Width - 1) / Width;
}

/// Counts the tiles of all windows.
template <int Height, int Width, class ExecutionSpace>
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

/// Windows and the distinct columns that fill their tiles in ascending order.
template <int Height, class Memory>
struct CondensedWindows {
  static_assert(Height <= 16);
  using Rows = std::conditional_t<Height <= 8, std::uint8_t, std::uint16_t>;

  Array<Offset*, Memory> window_offsets;  // first tile of each window; the last element is the number of tiles
  Array<Ordinal*, Memory> columns;        // columns of the tiles; -1 in unused slots of a window's last tile
  Array<Rows*, Memory> rows;              // rows with an entry in each column: bit r for row r of the window
};

/// Returns the number of distinct columns before each part. Parts are in the order of windows and columns.
template <int Height, class Exec>
static Array<Offset*, typename Exec::memory_space> count_columns(const Exec& exec,
                                                                 const WindowParts<Height, Exec>& parts) {
  const auto places =
      allocate<Array<Offset*, typename Exec::memory_space>>(exec, "Tessera::places_of_parts", parts.count + 1);
  Kokkos::parallel_for(
      "Tessera::count_columns", PartPolicy<Exec>(exec, 0, parts.count), KOKKOS_LAMBDA(std::size_t number) {
        const auto part = parts(number);
        const Offset columns = merge_rows<Height>(parts.A.column_indices, part.rows, [](Ordinal, unsigned) {});
        places(parts.first_of(part.window) + part.rank + 1) = columns;
      });
  counts_to_offsets(exec, places);
  return places;
}

/// Returns the first tile of each window; the last element is the number of tiles.
template <int Width, int Height, class Exec, class Places>
static Places tile_offsets_of_windows(const Exec& exec, const WindowParts<Height, Exec>& parts, const Places& places,
                                      Ordinal windows) {
  const auto offsets = allocate<Places>(exec, "Tessera::window_offsets", windows + std::size_t(1));
  Kokkos::parallel_for(
      "Tessera::tile_offsets_of_windows", IndexPolicy<Exec>(exec, 0, windows), KOKKOS_LAMBDA(std::size_t i) {
        const auto window = static_cast<Ordinal>(i);
        const Offset columns = places(parts.first_of(window + 1)) - places(parts.first_of(window));
        offsets(i + 1) = (columns + Offset(Width - 1)) / Offset(Width);
      });
  counts_to_offsets(exec, offsets);
  return offsets;
}

/// Writes the columns of all parts, and -1 in the unused slots of each window's last tile.
template <int Width, int Height, class Exec, class Places>
static void write_columns(const Exec& exec, const WindowParts<Height, Exec>& parts, const Places& places,
                          const CondensedWindows<Height, typename Exec::memory_space>& windows) {
  using Rows = typename CondensedWindows<Height, typename Exec::memory_space>::Rows;
  Kokkos::parallel_for(
      "Tessera::write_columns", PartPolicy<Exec>(exec, 0, parts.count), KOKKOS_LAMBDA(std::size_t number) {
        const auto part = parts(number);
        const Offset first = parts.first_of(part.window), next = parts.first_of(part.window + 1);
        std::size_t place = std::size_t(windows.window_offsets(part.window)) * Width +
                            std::size_t(places(first + part.rank) - places(first));
        merge_rows<Height>(parts.A.column_indices, part.rows, [&](Ordinal column, unsigned rows) {
          windows.columns(place) = column;
          windows.rows(place++) = static_cast<Rows>(rows);
        });
        if (part.rank + 1 < next - first) return;
        for (; place < std::size_t(windows.window_offsets(part.window + 1)) * Width; ++place) {
          windows.columns(place) = -1;
          windows.rows(place) = 0;
        }
      });
}

/// Condenses the distinct columns of each window into tiles.
///
/// \param take_columns [in] take_columns(tiles) allocates the array of the tiles' columns, 8 per tile, and may allocate
///                          other arrays of the caller in the same block
///
/// Cost: two merges of all windows.
template <int Height, int Width, class Exec, class TakeColumns>
static CondensedWindows<Height, typename Exec::memory_space> condense_windows(const Exec& exec,
                                                                              const CsrPattern<Offset>& A,
                                                                              const TakeColumns& take_columns) {
  CondensedWindows<Height, typename Exec::memory_space> result;
  const Ordinal windows = window_count(A.rows, Height);
  const auto parts = parts_of_windows<Height>(exec, A, windows);
  const auto places = count_columns(exec, parts);
  result.window_offsets = tile_offsets_of_windows<Width>(exec, parts, places, windows);
  const auto tiles = static_cast<std::size_t>(read_element(exec, result.window_offsets.data() + windows));
  result.columns = take_columns(tiles);
  result.rows = allocate<decltype(result.rows)>(exec, "Tessera::rows_of_columns", tiles * Width);
  write_columns<Width>(exec, parts, places, result);
  return result;
}

}  // namespace Tessera::Impl
