// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/TooManyPlaces.hpp>

#include "ColumnsOfWindows.hpp"
#include "staged/StagedPacking.hpp"
#include "staged/StagedWindows.hpp"

/// How windows are cut into chunks, and which tiles chunks have: all sizes of staged windows before arrays are written.
namespace Tessera::Impl {

/// Pointers to the arrays of a StagedLayout, for kernels. They replace a long list of Views.
struct StagedLayoutPointers {
  StagedShape shape;
  const Ordinal* column_indices;  ///< the first of four arrays of ColumnsOfWindows
  const Offset* entry_offsets;
  const Offset* entries;
  const std::uint64_t* row_sets;
  const Offset* chunk_offsets;
  const bool* ends_piece;
  StagedColumns* strip_columns;
  std::uint32_t* strip_values;
  const std::size_t* tile_offsets;
  const std::size_t* value_offsets;

  /// Returns the distinct column in a slot of a chunk, or of the previous chunk.
  KOKKOS_INLINE_FUNCTION Offset column_of(std::size_t chunk, StagedSlot slot) const {
    return chunk_offsets[slot.carried ? chunk - 1 : chunk] + static_cast<Offset>(slot.slot);
  }
  KOKKOS_INLINE_FUNCTION const std::uint64_t* rows_of(Offset column) const {
    return row_sets + std::size_t(column) * std::size_t(shape.row_words());
  }
};

template <class Memory>
struct StagedLayout {
  StagedShape shape;
  ColumnsOfWindows<Memory> columns;
  Array<int*, Memory> window_offsets;           ///< first chunk of each window, and the end
  Array<Offset*, Memory> chunk_offsets;         ///< first distinct column of each chunk, and the end
  Array<bool*, Memory> ends_piece;              ///< whether a chunk is the last of its piece
  Array<StagedColumns*, Memory> strip_columns;  ///< columns in the tiles of each strip, chunk by chunk
  Array<std::uint32_t*, Memory> strip_values;   ///< entries in the tiles of each strip, chunk by chunk
  Array<std::size_t*, Memory> tile_offsets;     ///< first tile of each chunk, and the end, in 16 bytes
  Array<std::size_t*, Memory> value_offsets;    ///< first value of each chunk, and the end, in 16 bytes
  StagedCounts counts;

  std::size_t chunks() const { return ends_piece.extent(0); }
  StagedLayoutPointers pointers() const {
    return {shape,
            columns.columns.column_indices.data(),
            columns.entry_offsets.data(),
            columns.entries.data(),
            columns.row_sets.data(),
            chunk_offsets.data(),
            ends_piece.data(),
            strip_columns.data(),
            strip_values.data(),
            tile_offsets.data(),
            value_offsets.data()};
  }
};

/// Calls visit(number, first, end) for each chunk of a window whose distinct columns are [first, last). Returns the
/// number of chunks.
template <class Visit>
KOKKOS_INLINE_FUNCTION int for_each_chunk(const StagedShape& shape, const Offset* entry_offsets, Offset first,
                                          Offset last, const Visit& visit) {
  int number = 0;
  for (Offset end; first < last; first = end) {
    end = staged_chunk_end(shape, entry_offsets, first, last);
    visit(number++, first, end);
  }
  return number;
}

/// Cuts windows into chunks.
/// \throws TooManyPlaces if there are 2^31 chunks or more
template <class Exec, class Memory>
void cut_chunks(const Exec& exec, StagedLayout<Memory>& layout) {
  const StagedShape shape = layout.shape;
  const CsrPattern<Offset> columns = layout.columns.columns.view();
  const auto entry_offsets = layout.columns.entry_offsets;
  const auto window_offsets = allocate<decltype(layout.window_offsets)>(exec, "Tessera::StagedWindows::window_offsets",
                                                                        columns.rows + std::size_t(1));
  std::size_t chunks = 0;
  Kokkos::parallel_reduce(
      "Tessera::cut_chunks::count", WindowPolicy<Exec>(exec, 0, columns.rows),
      KOKKOS_LAMBDA(Ordinal window, std::size_t & sum) {
        const int count = for_each_chunk(shape, entry_offsets.data(), columns.row_offsets[window],
                                         columns.row_offsets[window + 1], [](int, Offset, Offset) {});
        window_offsets(window + 1) = count;
        sum += static_cast<std::size_t>(count);
      },
      chunks);
  exec.fence("Tessera::cut_chunks");
  check_places("chunks of staged windows", chunks, static_cast<std::size_t>(std::numeric_limits<int>::max()));
  counts_to_offsets(exec, window_offsets);
  const std::size_t parts = chunks * static_cast<std::size_t>(shape.strips());
  take_at_once<Memory>(exec, "Tessera::StagedLayout", [&](Arena<Memory>& arena) {
    arena.take(layout.chunk_offsets, chunks + 1);
    arena.take(layout.ends_piece, chunks);
    arena.take(layout.strip_columns, parts);
    arena.take(layout.strip_values, parts);
    arena.take(layout.tile_offsets, chunks + 1);
    arena.take(layout.value_offsets, chunks + 1);
  });
  const auto chunk_offsets = layout.chunk_offsets;
  const auto ends_piece = layout.ends_piece;
  Kokkos::parallel_for(
      "Tessera::cut_chunks", WindowPolicy<Exec>(exec, 0, columns.rows), KOKKOS_LAMBDA(Ordinal window) {
        const Offset last = columns.row_offsets[window + 1];
        for_each_chunk(shape, entry_offsets.data(), columns.row_offsets[window], last,
                       [&](int number, Offset first, Offset end) {
                         const int chunk = window_offsets(window) + number;
                         if (chunk == 0) chunk_offsets(0) = first;
                         chunk_offsets(chunk + 1) = end;
                         ends_piece(chunk) = end == last || (number + 1) % shape.piece_chunks == 0;
                       });
      });
  layout.window_offsets = window_offsets;
}

/// Finds the columns in the tiles of each strip. These are first the columns of the chunk. Then, along each piece, each
/// chunk passes its surplus columns to the next.
template <class Exec, class Memory>
void pack_strips(const Exec& exec, StagedLayout<Memory>& layout) {
  const std::size_t strips = static_cast<std::size_t>(layout.shape.strips()), parts = layout.chunks() * strips;
  const auto in = layout.pointers();
  Kokkos::parallel_for(
      "Tessera::pack_strips::columns", IndexPolicy<Exec>(exec, 0, parts), KOKKOS_LAMBDA(std::size_t part) {
        const std::size_t chunk = part / strips;
        const Offset first = in.chunk_offsets[chunk];
        const int strip = static_cast<int>(part % strips),
                  columns = static_cast<int>(in.chunk_offsets[chunk + 1] - first);
        in.strip_columns[part] = {0, staged_strip_slots(in.shape, in.rows_of(first), columns, strip)};
      });
  Kokkos::parallel_for(
      "Tessera::pack_strips::carry", IndexPolicy<Exec>(exec, 0, parts), KOKKOS_LAMBDA(std::size_t part) {
        std::size_t chunk = part / strips;
        if (chunk > 0 && !in.ends_piece[chunk - 1]) return;
        for (; !in.ends_piece[chunk]; ++chunk, part += strips) {
          const std::uint64_t rest = in.strip_columns[part].rest();
          in.strip_columns[part].own ^= rest;
          in.strip_columns[part + strips].carried = rest;
        }
      });
  Kokkos::parallel_for(
      "Tessera::pack_strips::values", IndexPolicy<Exec>(exec, 0, parts), KOKKOS_LAMBDA(std::size_t part) {
        const StagedColumns columns = in.strip_columns[part];
        std::uint32_t values = 0;
        const auto add = [&](std::uint64_t slots, bool carried) {
          for (; slots != 0; slots &= slots - 1) {
            const Offset column = in.column_of(part / strips, {lowest_bit(slots), carried});
            const unsigned rows = staged_strip_rows(in.rows_of(column), static_cast<int>(part % strips));
            values += static_cast<std::uint32_t>(popcount(rows));
          }
        };
        add(columns.carried, true);
        add(columns.own, false);
        in.strip_values[part] = values;
      });
}

/// Computes where chunks begin, and the totals.
template <class Exec, class Memory>
void count_chunks(const Exec& exec, StagedLayout<Memory>& layout, std::size_t value_bytes) {
  const std::size_t chunks = layout.chunks(), strips = static_cast<std::size_t>(layout.shape.strips());
  const std::size_t header = static_cast<std::size_t>(staged_header_bytes(layout.shape.strips())) / 16;
  const std::size_t tile_size = sizeof(StagedTile);
  const auto tile_offsets = layout.tile_offsets;
  const auto value_offsets = layout.value_offsets;
  const auto in = layout.pointers();
  std::size_t all_tiles = 0, most_tiles = 0, most_values = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_chunks", IndexPolicy<Exec>(exec, 0, chunks),
      KOKKOS_LAMBDA(std::size_t chunk, std::size_t & sum, std::size_t & most_chunk_tiles,
                    std::size_t & most_chunk_values) {
        std::size_t tiles = 0, values = 0;
        for (std::size_t part = chunk * strips; part < (chunk + 1) * strips; ++part) {
          tiles += static_cast<std::size_t>(in.strip_columns[part].tiles());
          values += in.strip_values[part];
        }
        sum += tiles;
        tiles = header + tiles * (tile_size / 16);
        values = (values * value_bytes + 15) / 16;
        tile_offsets(chunk + 1) = tiles;
        value_offsets(chunk + 1) = values;
        if (tiles > most_chunk_tiles) most_chunk_tiles = tiles;
        if (values > most_chunk_values) most_chunk_values = values;
      },
      Kokkos::Sum<std::size_t>(all_tiles), Kokkos::Max<std::size_t>(most_tiles), Kokkos::Max<std::size_t>(most_values));
  counts_to_offsets(exec, tile_offsets);
  counts_to_offsets(exec, value_offsets);
  layout.counts.columns = layout.columns.columns.nonzeros;
  layout.counts.chunks = chunks;
  layout.counts.tiles = all_tiles;
  layout.counts.tile_bytes = 16 * read_element(exec, tile_offsets.data() + chunks);
  layout.counts.value_bytes = 16 * read_element(exec, value_offsets.data() + chunks);
  layout.counts.most_tile_bytes = static_cast<int>(16 * most_tiles);
  layout.counts.most_value_bytes = static_cast<int>(16 * most_values);
}

template <class Exec>
StagedLayout<typename Exec::memory_space> staged_layout(const Exec& exec, const CsrPattern<Offset>& A,
                                                        std::size_t nonzeros, const StagedShape& shape,
                                                        std::size_t value_bytes) {
  StagedLayout<typename Exec::memory_space> layout;
  layout.shape = shape;
  layout.columns = columns_of_windows(exec, A, nonzeros, shape.window_rows);
  cut_chunks(exec, layout);
  pack_strips(exec, layout);
  count_chunks(exec, layout, value_bytes);
  return layout;
}

}  // namespace Tessera::Impl
