// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/parallel/Arrays.hpp>

#include "Validate.hpp"
#include "staged/StagedPacking.hpp"
#include "staged/StagedWindows.hpp"

/// The invariants of staged windows.
namespace Tessera::Impl {

/// Describes the first invalid number of a shape. Returns an empty text if all are valid.
inline std::string staged_shape_fault(const StagedShape& shape, std::size_t value_bytes) {
  std::string fault;
  const auto check = [&](bool holds, const std::string& what, auto value, const std::string& expected) {
    if (holds || !fault.empty()) return;
    fault = what + " of staged windows is " + std::to_string(value) + "; expected " + expected;
  };
  check(shape.window_rows >= 64 && shape.window_rows <= 1024 && shape.window_rows % 64 == 0, "window_rows",
        shape.window_rows, "a multiple of 64 up to 1024");
  check(shape.chunk_slots >= 1 && shape.chunk_slots <= staged_most_slots, "chunk_slots", shape.chunk_slots,
        "1 to " + std::to_string(staged_most_slots));
  check(shape.piece_chunks >= 1, "piece_chunks", shape.piece_chunks, "1 or more");
  check(shape.most_values >= 1, "most_values", shape.most_values, "1 or more");
  check(value_bytes >= 1 && value_bytes <= 16 && 16 % value_bytes == 0, "the size of values", value_bytes,
        "1, 2, 4, 8 or 16 bytes");
  return fault;
}

enum StagedChunkFault : int { staged_chunk_order, staged_chunk_tiles, staged_chunk_values };

inline std::string describe_staged_chunk(int fault) {
  static constexpr const char* texts[] = {
      "chunks does not ascend to the end of tile_data and of the values",           // staged_chunk_order
      "the first tiles of the strips do not ascend from 0 to the number of tiles",  // staged_chunk_tiles
      "first_value does not grow by the number of bits of the tiles' masks, up to the next chunk's values",
  };
  return texts[fault];
}

/// The numbers of tiles and entries of a chunk, read from its tiles.
struct StagedChunkSize {
  std::size_t tiles;
  std::size_t values;
};
KOKKOS_INLINE_FUNCTION StagedChunkSize staged_chunk_size(const StagedWindowsPattern& A, std::size_t chunk) {
  const int tiles = A.strip_tiles(chunk)[A.strips()];
  if (tiles == 0) return {0, 0};
  const StagedTile& last = A.chunk_tiles(chunk)[tiles - 1];
  return {std::size_t(tiles), std::size_t(last.first_value) + std::size_t(popcount(last.mask))};
}

/// Finds the first broken invariant within a chunk.
struct StagedChunkFaultOf {
  StagedWindowsPattern A;
  StagedChunk end;

  KOKKOS_FUNCTION int operator()(std::size_t chunk) const {
    const StagedChunk here = A.chunks[chunk], next = A.chunks[chunk + 1];
    const auto header = static_cast<std::size_t>(staged_header_bytes(A.strips()));
    if (here.tiles > next.tiles || next.tiles > end.tiles || here.values > next.values || next.values > end.values ||
        16 * std::size_t(next.tiles - here.tiles) < header)
      return staged_chunk_order;
    const std::uint16_t* strip_tiles = A.strip_tiles(chunk);
    bool ascends = strip_tiles[0] == 0;
    for (int strip = 0; strip < A.strips(); ++strip) ascends = ascends && strip_tiles[strip] <= strip_tiles[strip + 1];
    const std::size_t tiles = strip_tiles[A.strips()];
    if (!ascends || header + tiles * sizeof(StagedTile) != 16 * std::size_t(next.tiles - here.tiles))
      return staged_chunk_tiles;
    std::size_t values = 0;
    for (std::size_t t = 0; t < tiles; ++t) {
      const StagedTile& tile = A.chunk_tiles(chunk)[t];
      if (tile.first_value != values) return staged_chunk_values;
      values += std::size_t(popcount(tile.mask));
    }
    const auto granule = static_cast<std::size_t>(A.granule);
    return (values + granule - 1) / granule == std::size_t(next.values - here.values) ? no_fault : staged_chunk_values;
  }
};

enum StagedWindowFault : int { staged_columns, staged_code, staged_twice, staged_rows };

inline std::string describe_staged_window(int fault) {
  static constexpr const char* texts[] = {
      // staged_columns
      "chunk_columns does not ascend strictly within the matrix, with unused slots at the end of each chunk",
      "a code names no column of its chunk, nor of the chunk before it in its piece",  // staged_code
      "a strip has a column twice",                                                    // staged_twice
      "a mask has a bit in a row beyond the last of the matrix",                       // staged_rows
  };
  return texts[fault];
}

/// Finds the first broken invariant of a window whose chunks are in order.
struct StagedWindowFaultOf {
  StagedWindowsPattern A;

  KOKKOS_FUNCTION int operator()(std::size_t unit) const {
    const auto window = static_cast<Ordinal>(unit);
    FirstFault found;
    check_columns(window, found);
    if (found.fault != no_fault) return found.fault;
    for (int strip = 0; strip < A.strips(); ++strip) check_strip(window, strip, found);
    return found.fault;
  }

 private:
  KOKKOS_FUNCTION void check_columns(Ordinal window, FirstFault& found) const {
    Ordinal previous = -1;
    for (int chunk = A.window_offsets[window]; chunk < A.window_offsets[window + 1]; ++chunk) {
      const Ordinal* columns = A.chunk_columns + std::size_t(chunk) * std::size_t(A.chunk_slots);
      bool has_ended = false;
      for (int slot = 0; slot < A.chunk_slots; ++slot) {
        has_ended = has_ended || (columns[slot] == -1 && slot > 0);
        if (has_ended) {
          found.check(columns[slot] == -1, staged_columns);
        } else {
          found.check(columns[slot] > previous && columns[slot] < A.columns, staged_columns);
          previous = columns[slot];
        }
      }
    }
  }

  KOKKOS_FUNCTION void check_strip(Ordinal window, int strip, FirstFault& found) const {
    const Ordinal rows_left = A.rows - (window * A.window_rows + 8 * strip);
    const std::uint64_t rows = rows_left >= 8 ? ~std::uint64_t(0) : low_bits(rows_left <= 0 ? 0 : 8 * rows_left);
    const int first = A.window_offsets[window];
    std::uint64_t own_before = 0;  // slots of the previous chunk whose columns have entries in the strip
    for (int chunk = first; chunk < A.window_offsets[window + 1]; ++chunk) {
      const bool begins_piece = (chunk - first) % A.piece_chunks == 0;
      std::uint64_t own = 0, carried = 0;
      const std::uint16_t* strip_tiles = A.strip_tiles(std::size_t(chunk));
      for (int t = strip_tiles[strip]; t < strip_tiles[strip + 1]; ++t) {
        const StagedTile& tile = A.chunk_tiles(std::size_t(chunk))[t];
        found.check((tile.mask & ~rows) == 0, staged_rows);
        for (int c = 0; c < 8; ++c) {
          const unsigned code = tile.codes[c], slot = (code & 0x7fffu) / 4;
          const bool is_carried = code >= 0x8000u, is_code = (code & 0x7fffu) == 4 * slot + slot % 4 &&
                                                             slot < unsigned(A.chunk_slots) &&
                                                             !(is_carried && begins_piece);
          found.check(is_code && A.column_of(std::size_t(chunk), code) >= 0, staged_code);
          if (!is_code || (tile.mask >> c & 0x0101010101010101u) == 0) continue;
          std::uint64_t& used = is_carried ? carried : own;
          const std::uint64_t before = is_carried ? carried | own_before : own;
          found.check((before >> slot & 1u) == 0, staged_twice);
          used |= std::uint64_t(1) << slot;
        }
      }
      own_before = own;
    }
  }
};

/// Computes the counts of the arrays, and the number of entries in them. Chunks must be in order.
template <class Exec>
static StagedCounts counts_of_staged(const Exec& exec, const StagedWindows<typename Exec::memory_space>& p,
                                     std::size_t& entries) {
  const StagedWindowsPattern A = p.view();
  const std::size_t chunks = p.chunks.extent(0) - 1;
  StagedCounts counts;
  std::size_t most_tiles = 0, most_values = 0;
  Kokkos::parallel_reduce(
      "Tessera::counts_of_staged", IndexPolicy<Exec>(exec, 0, chunks),
      KOKKOS_LAMBDA(std::size_t chunk, std::size_t & tiles, std::size_t & values, std::size_t & most_chunk_tiles,
                    std::size_t & most_chunk_values) {
        const StagedChunkSize size = staged_chunk_size(A, chunk);
        const StagedChunk here = A.chunks[chunk], next = A.chunks[chunk + 1];
        tiles += size.tiles;
        values += size.values;
        if (next.tiles - here.tiles > most_chunk_tiles) most_chunk_tiles = next.tiles - here.tiles;
        if (next.values - here.values > most_chunk_values) most_chunk_values = next.values - here.values;
      },
      Kokkos::Sum<std::size_t>(counts.tiles), Kokkos::Sum<std::size_t>(entries), Kokkos::Max<std::size_t>(most_tiles),
      Kokkos::Max<std::size_t>(most_values));
  Kokkos::parallel_reduce(
      "Tessera::counts_of_staged::columns", IndexPolicy<Exec>(exec, 0, p.chunk_columns.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & columns) { columns += A.chunk_columns[i] >= 0; }, counts.columns);
  exec.fence("Tessera::counts_of_staged");
  counts.chunks = chunks;
  counts.tile_bytes = p.tile_data.extent(0);
  counts.value_bytes = p.counts.value_bytes;
  counts.most_tile_bytes = static_cast<int>(16 * most_tiles);
  counts.most_value_bytes = static_cast<int>(16 * most_values);
  return counts;
}

/// Checks the sizes of the arrays.
template <class Memory>
std::string staged_extent_fault(const StagedWindows<Memory>& A) {
  const auto windows = static_cast<std::size_t>(window_count(A.rows, A.shape.window_rows));
  if (A.window_offsets.extent(0) != windows + 1) return "window_offsets does not have an element more than windows";
  if (A.chunks.extent(0) == 0) return "chunks does not have an element more than chunks";
  if (A.chunk_columns.extent(0) != (A.chunks.extent(0) - 1) * static_cast<std::size_t>(A.shape.chunk_slots))
    return "chunk_columns does not have an element for each slot of the chunks";
  if (A.tile_data.extent(0) % 16 != 0 || A.counts.value_bytes % 16 != 0)
    return "tile_data or the values do not end at 16 bytes";
  return {};
}

template <class ExecutionSpace>
std::string staged_fault(const ExecutionSpace& exec, const StagedWindows<typename ExecutionSpace::memory_space>& A) {
  auto fault = staged_shape_fault(A.shape, A.value_size);
  if (fault.empty()) fault = staged_extent_fault(A);
  if (!fault.empty()) return fault;
  const auto windows = static_cast<std::size_t>(window_count(A.rows, A.shape.window_rows));
  const std::size_t chunks = A.chunks.extent(0) - 1;
  fault = offsets_fault(exec, "window", A.window_offsets.data(), windows, chunks, "window_offsets", "chunks");
  if (!fault.empty()) return fault;
  const StagedChunk first = read_element(exec, A.chunks.data()), last = read_element(exec, A.chunks.data() + chunks);
  if (first.tiles != 0 || first.values != 0 || 16 * std::size_t(last.tiles) != A.tile_data.extent(0) ||
      16 * std::size_t(last.values) != A.counts.value_bytes)
    return "chunks does not begin at 0, and end where tile_data and the values do";
  fault = first_fault(exec, "chunk", chunks, StagedChunkFaultOf{A.view(), last}, describe_staged_chunk);
  if (!fault.empty()) return fault;
  std::size_t entries = 0;
  if (counts_of_staged(exec, A, entries) != A.counts) return "the counts are not those of the arrays";
  if (entries != A.nonzeros) return "the masks do not have a bit for each nonzero";
  return first_fault(exec, "window", windows, StagedWindowFaultOf{A.view()}, describe_staged_window);
}

}  // namespace Tessera::Impl
