// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/common/RowSearch.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/parallel/TooManyPlaces.hpp>

#include "staged/ColumnsOfWindows.hpp"
#include "staged/StagedPacking.hpp"
#include "staged/StagedWindows.hpp"

/// How windows are cut into chunks, and which tiles chunks have: all sizes of staged windows before arrays are written.
namespace Tessera::Impl {

/// Pointers to the arrays of a StagedLayout, for kernels. They replace a long list of Views.
struct StagedLayoutPointers {
  StagedShape shape;
  const Offset* first_columns;  ///< the first of four arrays of ColumnsOfWindows
  const Ordinal* columns;
  const std::uint64_t* row_sets;
  const Offset* entry_offsets;
  const Offset* chunk_offsets;
  const Ordinal* chunk_windows;
  const bool* ends_piece;
  std::uint64_t* row_slots;
  Offset* row_entries;
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
  Array<Ordinal*, Memory> chunk_windows;        ///< window of each chunk
  Array<bool*, Memory> ends_piece;              ///< whether a chunk is the last of its piece
  Array<std::uint64_t*, Memory> row_slots;      ///< slots with an entry of each row, chunk by chunk
  Array<Offset*, Memory> row_entries;           ///< first entry of each row in a chunk; undefined if it has none
  Array<StagedColumns*, Memory> strip_columns;  ///< columns in the tiles of each strip, chunk by chunk
  Array<std::uint32_t*, Memory> strip_values;   ///< entries in the tiles of each strip, chunk by chunk
  Array<std::size_t*, Memory> tile_offsets;     ///< first tile of each chunk, and the end, in 16 bytes
  Array<std::size_t*, Memory> value_offsets;    ///< first value of each chunk, and the end, in 16 bytes
  StagedCounts counts;

  std::size_t chunks() const { return ends_piece.extent(0); }
  StagedLayoutPointers pointers() const {
    return {shape,
            columns.offsets.data(),
            columns.columns.data(),
            columns.row_sets.data(),
            columns.entry_offsets.data(),
            chunk_offsets.data(),
            chunk_windows.data(),
            ends_piece.data(),
            row_slots.data(),
            row_entries.data(),
            strip_columns.data(),
            strip_values.data(),
            tile_offsets.data(),
            value_offsets.data()};
  }
};

/// Cuts windows into chunks. A thread of a team works on a window, and its lanes on the columns of a chunk.
template <class Exec>
struct ChunkCutter {
  using Member = typename Teams<Exec>::member_type;
  static constexpr Ordinal team_windows = 8;

  StagedShape shape;
  Ordinal windows;
  const Offset* first_columns;  ///< first distinct column of each window, and the end
  const Offset* entry_offsets;  ///< first entry of each distinct column, column by column

  /// Returns the end of the chunk that begins at distinct column `first` of a window that ends before `last`.
  KOKKOS_FUNCTION Offset chunk_end(const Member& team, Offset first, Offset last) const {
    const Offset most = static_cast<Offset>(shape.chunk_slots), columns = last - first < most ? last - first : most;
    const Offset entry = entry_offsets[first];
    Offset more = 0;  // columns that fit behind the first
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, columns - 1),
        [&](Offset i, Offset& sum) {
          sum += entry_offsets[first + i + 2] - entry <= static_cast<Offset>(shape.most_values) ? 1 : 0;
        },
        more);
    return first + 1 + more;
  }

  /// Calls visit(number, first, end) for each chunk of a window. Returns the number of chunks.
  template <class Visit>
  KOKKOS_FUNCTION int for_each_chunk(const Member& team, Ordinal window, const Visit& visit) const {
    const Offset last = first_columns[window + 1];
    int number = 0;
    for (Offset first = first_columns[window], end; first < last; first = end) {
      end = chunk_end(team, first, last);
      visit(number++, first, end);
    }
    return number;
  }

  /// Returns the windows of a team.
  KOKKOS_FUNCTION auto range(const Member& team) const {
    const Ordinal first = team.league_rank() * team_windows, left = windows - first;
    return Kokkos::TeamThreadRange(team, first, first + (left < team_windows ? left : team_windows));
  }
};

/// Counts the chunks of windows.
template <class Exec>
struct CountChunks {
  ChunkCutter<Exec> cutter;
  int* of_windows;

  KOKKOS_FUNCTION void operator()(const typename ChunkCutter<Exec>::Member& team, std::size_t& chunks) const {
    std::size_t of_team = 0;
    Kokkos::parallel_reduce(
        cutter.range(team),
        [&](Ordinal window, std::size_t& sum) {
          const int count = cutter.for_each_chunk(team, window, [](int, Offset, Offset) {});
          sum += std::size_t(count);
          Kokkos::single(Kokkos::PerThread(team), [&] { of_windows[window] = count; });
        },
        of_team);
    Kokkos::single(Kokkos::PerTeam(team), [&] { chunks += of_team; });
  }
};

/// Fills in where chunks begin, and which ones end a piece.
template <class Exec>
struct FillChunks {
  ChunkCutter<Exec> cutter;
  const int* window_offsets;
  Offset* chunk_offsets;
  Ordinal* chunk_windows;
  bool* ends_piece;

  KOKKOS_FUNCTION void operator()(const typename ChunkCutter<Exec>::Member& team) const {
    Kokkos::parallel_for(cutter.range(team), [&](Ordinal window) {
      cutter.for_each_chunk(team, window, [&](int number, Offset first, Offset end) {
        Kokkos::single(Kokkos::PerThread(team), [&] {
          const int chunk = window_offsets[window] + number;
          if (chunk == 0) chunk_offsets[0] = first;
          chunk_offsets[chunk + 1] = end;
          chunk_windows[chunk] = window;
          const bool is_full = (number + 1) % cutter.shape.piece_chunks == 0;
          ends_piece[chunk] = is_full || end == cutter.first_columns[window + 1];
        });
      });
    });
  }
};

/// Cuts windows into chunks.
/// \throws TooManyPlaces if there are 2^31 chunks or more
template <class Exec, class Memory>
void cut_chunks(const Exec& exec, StagedLayout<Memory>& layout) {
  using Cutter = ChunkCutter<Exec>;
  const StagedShape shape = layout.shape;
  const std::size_t windows = layout.columns.offsets.extent(0) - 1;
  const Cutter cutter{shape, static_cast<Ordinal>(windows), layout.columns.offsets.data(),
                      layout.columns.entry_offsets.data()};
  const auto policy = teams(exec, window_count(cutter.windows, Cutter::team_windows));
  layout.window_offsets =
      allocate<decltype(layout.window_offsets)>(exec, "Tessera::StagedWindows::window_offsets", windows + 1);
  std::size_t chunks = 0;
  if (windows > 0) {
    Kokkos::parallel_reduce("Tessera::count_chunks", policy,
                            CountChunks<Exec>{cutter, layout.window_offsets.data() + 1}, chunks);
    exec.fence("Tessera::count_chunks");
  }
  check_places("chunks of staged windows", chunks, static_cast<std::size_t>(std::numeric_limits<int>::max()));
  counts_to_offsets(exec, layout.window_offsets);
  const std::size_t parts = chunks * static_cast<std::size_t>(shape.strips());
  take_at_once<Memory>(exec, "Tessera::StagedLayout", [&](Arena<Memory>& arena) {
    arena.take(layout.chunk_offsets, chunks + 1);
    arena.take(layout.chunk_windows, chunks);
    arena.take(layout.ends_piece, chunks);
    arena.take(layout.row_slots, parts * StagedPattern::strip_rows);
    arena.take(layout.row_entries, parts * StagedPattern::strip_rows);
    arena.take(layout.strip_columns, parts);
    arena.take(layout.strip_values, parts);
    arena.take(layout.tile_offsets, chunks + 1);
    arena.take(layout.value_offsets, chunks + 1);
  });
  if (windows == 0) return;
  Kokkos::parallel_for("Tessera::cut_chunks", policy,
                       FillChunks<Exec>{cutter, layout.window_offsets.data(), layout.chunk_offsets.data(),
                                        layout.chunk_windows.data(), layout.ends_piece.data()});
}

/// Finds which columns of its chunk a strip has, and the entries of its rows in them.
KOKKOS_INLINE_FUNCTION void find_rows(const CsrPattern<Offset>& A, const StagedLayoutPointers& in, std::size_t part) {
  constexpr int strip_rows = StagedPattern::strip_rows;
  const auto strips = static_cast<std::size_t>(in.shape.strips()), chunk = part / strips;
  const int strip = static_cast<int>(part % strips);
  const Offset first = in.chunk_offsets[chunk];
  std::uint64_t slots[strip_rows] = {}, own = 0;
  staged_row_slots(in.shape, in.rows_of(first), static_cast<int>(in.chunk_offsets[chunk + 1] - first), strip, slots);
  for (int r = 0; r < strip_rows; ++r) {
    const std::size_t i = part * strip_rows + std::size_t(r);
    own |= slots[r];
    in.row_slots[i] = slots[r];
    if (slots[r] == 0) continue;
    const Ordinal row = in.chunk_windows[chunk] * in.shape.window_rows + strip * strip_rows + r;
    in.row_entries[i] = first_from(A, A.row_offsets[row], A.row_offsets[row + 1], in.columns[first]);
  }
  in.strip_columns[part] = {0, own};
}

/// Finds the columns in the tiles of each strip. These are first the columns of the chunk. Then, along each piece, each
/// chunk passes its surplus columns to the next.
template <class Exec, class Memory>
void pack_strips(const Exec& exec, const CsrPattern<Offset>& A, StagedLayout<Memory>& layout) {
  const std::size_t strips = static_cast<std::size_t>(layout.shape.strips()), parts = layout.chunks() * strips;
  const auto in = layout.pointers();
  Kokkos::parallel_for(
      "Tessera::pack_strips::columns", IndexPolicy<Exec>(exec, 0, parts),
      KOKKOS_LAMBDA(std::size_t part) { find_rows(A, in, part); });
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
        int values = 0;
        for (std::size_t r = 0; r < StagedPattern::strip_rows; ++r) {
          values += popcount(in.row_slots[part * StagedPattern::strip_rows + r] & columns.own);
          if (columns.carried == 0) continue;
          values += popcount(in.row_slots[(part - strips) * StagedPattern::strip_rows + r] & columns.carried);
        }
        in.strip_values[part] = static_cast<std::uint32_t>(values);
      });
}

/// Computes where the tiles and values of chunks begin, and the totals.
template <class Exec, class Memory>
void count_chunks(const Exec& exec, StagedLayout<Memory>& layout, std::size_t value_bytes) {
  const std::size_t chunks = layout.chunks(), strips = static_cast<std::size_t>(layout.shape.strips());
  const std::size_t header = static_cast<std::size_t>(staged_header_bytes(layout.shape.strips())) / 16;
  const std::size_t tile_size = sizeof(StagedTile);
  const auto tile_offsets = layout.tile_offsets;
  const auto value_offsets = layout.value_offsets;
  const auto in = layout.pointers();
  std::size_t all_tiles = 0, all_values = 0, most_tiles = 0, most_values = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_chunks", IndexPolicy<Exec>(exec, 0, chunks),
      KOKKOS_LAMBDA(std::size_t chunk, std::size_t & sum, std::size_t & sum_of_values, std::size_t & most_chunk_tiles,
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
        sum_of_values += values;
        if (tiles > most_chunk_tiles) most_chunk_tiles = tiles;
        if (values > most_chunk_values) most_chunk_values = values;
      },
      Kokkos::Sum<std::size_t>(all_tiles), Kokkos::Sum<std::size_t>(all_values), Kokkos::Max<std::size_t>(most_tiles),
      Kokkos::Max<std::size_t>(most_values));
  exec.fence("Tessera::count_chunks");
  counts_to_offsets(exec, tile_offsets);
  counts_to_offsets(exec, value_offsets);
  layout.counts.columns = layout.columns.columns.extent(0);
  layout.counts.chunks = chunks;
  layout.counts.tiles = all_tiles;
  layout.counts.tile_bytes = 16 * header * chunks + tile_size * all_tiles;
  layout.counts.value_bytes = 16 * all_values;
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
  pack_strips(exec, A, layout);
  count_chunks(exec, layout, value_bytes);
  return layout;
}

}  // namespace Tessera::Impl
