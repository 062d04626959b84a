// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "staged/StagedWindows.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/RadixSort.hpp>
#include <utility>

#include "InstantiateFormat.hpp"
#include "SortedKeys.hpp"
#include "StagedFault.hpp"
#include "StagedLayout.hpp"

namespace Tessera::Impl {

/// \throws std::invalid_argument if the shape is invalid
inline void check_staged_shape(const StagedShape& shape, std::size_t value_bytes) {
  const std::string fault = staged_shape_fault(shape, value_bytes);
  if (!fault.empty()) throw std::invalid_argument("Tessera: " + fault);
}

void check_staged_size(const StagedCounts& counts, std::size_t value_bytes, std::size_t most_places) {
  constexpr std::size_t most_bytes = 16 * std::size_t(std::numeric_limits<std::uint32_t>::max());
  check_places("bytes of tiles in staged windows", counts.tile_bytes, most_bytes);
  check_places("bytes of values in staged windows", counts.value_bytes, most_bytes);
  check_places("values in staged windows", counts.value_bytes / value_bytes, most_places);
}

/// Fills chunk_columns and chunks.
template <class Exec, class Memory>
void fill_chunks(const Exec& exec, const StagedLayout<Memory>& layout, const StagedWindows<Memory>& p) {
  const StagedLayoutPointers in = layout.pointers();
  const std::size_t chunks = layout.chunks(), slots = static_cast<std::size_t>(in.shape.chunk_slots);
  const auto chunk_columns = p.chunk_columns;
  const auto out = p.chunks;
  Kokkos::parallel_for(
      "Tessera::fill_chunks", IndexPolicy<Exec>(exec, 0, chunks * slots + 1), KOKKOS_LAMBDA(std::size_t i) {
        const std::size_t chunk = i / slots;
        if (i % slots == 0)
          out(chunk) = {static_cast<unsigned>(in.tile_offsets[chunk]), static_cast<unsigned>(in.value_offsets[chunk])};
        if (chunk == chunks) return;
        const std::size_t column = std::size_t(in.chunk_offsets[chunk]) + i % slots;
        const bool exists = column < std::size_t(in.chunk_offsets[chunk + 1]);
        chunk_columns(i) = exists ? in.columns[column] : -1;
      });
}

/// The first tile of a strip in its chunk, and the first value of that tile. For strip = strips(), the ends of both.
struct StagedPlace {
  int tile;
  std::uint32_t value;
};
KOKKOS_INLINE_FUNCTION StagedPlace staged_place(const StagedLayoutPointers& in, std::size_t chunk, int strip) {
  StagedPlace place = {0, 0};
  const std::size_t first = chunk * static_cast<std::size_t>(in.shape.strips());
  for (std::size_t part = first; part < first + static_cast<std::size_t>(strip); ++part) {
    place.tile += in.strip_columns[part].tiles();
    place.value += in.strip_values[part];
  }
  return place;
}

/// Writes the index of a strip's first tile to the chunk's header. The last strip also fills the rest of the header.
KOKKOS_INLINE_FUNCTION void write_header(const StagedLayoutPointers& in, std::size_t chunk, int strip,
                                         std::uint16_t* header) {
  const int strips = in.shape.strips();
  header[strip] = static_cast<std::uint16_t>(staged_place(in, chunk, strip).tile);
  if (strip + 1 < strips) return;
  header[strips] = static_cast<std::uint16_t>(staged_place(in, chunk, strips).tile);
  for (int i = strips + 1; i < staged_header_bytes(strips) / 2; ++i) header[i] = 0;
}

/// Fills the tiles. Each thread packs a strip of a chunk.
template <class Exec, class Memory>
void fill_tiles(const Exec& exec, const StagedLayout<Memory>& layout, const StagedWindows<Memory>& p) {
  const StagedLayoutPointers in = layout.pointers();
  const auto strips = static_cast<std::size_t>(in.shape.strips());
  const auto tile_data = p.tile_data;
  Kokkos::parallel_for(
      "Tessera::fill_tiles", IndexPolicy<Exec>(exec, 0, layout.chunks() * strips), KOKKOS_LAMBDA(std::size_t part) {
        const std::size_t chunk = part / strips;
        const int strip = static_cast<int>(part % strips);
        std::byte* data = tile_data.data() + 16 * in.tile_offsets[chunk];
        write_header(in, chunk, strip, reinterpret_cast<std::uint16_t*>(data));
        auto* tiles = reinterpret_cast<StagedTile*>(data + staged_header_bytes(in.shape.strips()));
        const StagedPlace place = staged_place(in, chunk, strip);
        pack_staged_tiles(
            in.strip_columns[part], place.value,
            [&](StagedSlot slot) { return staged_strip_rows(in.rows_of(in.column_of(chunk, slot)), strip); },
            tiles + place.tile);
      });
}

/// Fills `slots` with the canonical entry of each value. Each thread walks the tiles of a row in a chunk.
template <class Exec, class Memory>
void fill_slots(const Exec& exec, const StagedLayout<Memory>& layout, const StagedWindows<Memory>& p,
                const Array<Offset*, Memory>& slots) {
  const StagedLayoutPointers in = layout.pointers();
  const StagedWindowsPattern A = p.view();
  const auto window_rows = static_cast<std::size_t>(in.shape.window_rows);
  Kokkos::parallel_for(
      "Tessera::fill_slots", IndexPolicy<Exec>(exec, 0, layout.chunks() * window_rows), KOKKOS_LAMBDA(std::size_t i) {
        const std::size_t chunk = i / window_rows;
        const int row = static_cast<int>(i % window_rows);
        for_each_entry_of_row(A, chunk, row, [&](unsigned code, Offset place) {
          const std::size_t of = code >= 0x8000u ? i - window_rows : i;  // the row in the chunk that has the slot
          const int slot = static_cast<int>(code & 0x7fffu) / 4;
          slots(place) = in.row_entries[of] + static_cast<Offset>(popcount(in.row_slots[of] & low_bits(slot)));
        });
      });
}

template <class ExecutionSpace>
StagedCounts count_staged(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                          const StagedShape& shape, std::size_t value_bytes) {
  Impl::check_staged_shape(shape, value_bytes);
  return Impl::staged_layout(exec, A, nonzeros, shape, value_bytes).counts;
}

template <class ExecutionSpace>
BuiltStagedWindows<typename ExecutionSpace::memory_space> build_staged(const ExecutionSpace& exec,
                                                                       const CsrPattern<Offset>& A,
                                                                       std::size_t nonzeros, const StagedShape& shape,
                                                                       std::size_t value_bytes) {
  using Memory = typename ExecutionSpace::memory_space;
  Impl::check_staged_shape(shape, value_bytes);
  const auto layout = Impl::staged_layout(exec, A, nonzeros, shape, value_bytes);
  Impl::check_staged_size(layout.counts, value_bytes, Impl::most_places());
  StagedWindows<Memory> p;
  p.rows = A.rows;
  p.columns = A.columns;
  p.nonzeros = nonzeros;
  p.value_size = value_bytes;
  p.shape = shape;
  p.counts = layout.counts;
  p.window_offsets = layout.window_offsets;
  const std::size_t chunks = layout.chunks();
  Impl::take_at_once<Memory>(exec, "Tessera::StagedWindows::chunks", [&](Impl::Arena<Memory>& arena) {
    arena.take(p.tile_data, p.counts.tile_bytes);  // kernels read this and the next array 16 bytes at a time
    arena.take_behind(p.chunk_columns, chunks * static_cast<std::size_t>(shape.chunk_slots));
    arena.take_behind(p.chunks, chunks + 1);
  });
  Impl::fill_chunks(exec, layout, p);
  ValueMap<Memory> map;
  map.slots = Impl::allocate<decltype(map.slots)>(exec, "Tessera::slots", p.places());
  if (p.places() > nonzeros) Kokkos::deep_copy(exec, map.slots, ValueMap<Memory>::no_source);
  Impl::fill_tiles(exec, layout, p);
  Impl::fill_slots(exec, layout, p, map.slots);
  return {p, map};
}

/// Calls visit(row, column, place) for the entries of a strip in a chunk of its window.
template <class Visit>
KOKKOS_INLINE_FUNCTION void for_each_entry_of_strip(const StagedWindowsPattern& A, Ordinal window, int strip,
                                                    std::size_t chunk, const Visit& visit) {
  const std::uint16_t* strip_tiles = A.strip_tiles(chunk);
  const Ordinal first_row = window * A.window_rows + strip * A.strip_rows;
  for (int t = strip_tiles[strip]; t < strip_tiles[strip + 1]; ++t) {
    const StagedTile& tile = A.chunk_tiles(chunk)[t];
    Offset place = A.first_place(chunk) + static_cast<Offset>(tile.first_value);
    for (std::uint64_t bits = tile.mask; bits != 0; bits &= bits - 1) {
      const int bit = lowest_bit(bits);
      visit(first_row + bit / 8, A.column_of(chunk, tile.codes[bit % 8]), place++);
    }
  }
}

/// Computes the keys of the places that hold entries.
template <class Exec, class Memory>
void fill_place_keys(const Exec& exec, const StagedWindows<Memory>& p, const EntryKeys& set_key) {
  const StagedWindowsPattern A = p.view();
  const int strips = A.strips();
  Kokkos::parallel_for(
      "Tessera::fill_place_keys", IndexPolicy<Exec>(exec, 0, std::size_t(A.windows()) * std::size_t(strips)),
      KOKKOS_LAMBDA(std::size_t part) {
        const auto window = static_cast<Ordinal>(part / std::size_t(strips));
        const int strip = static_cast<int>(part % std::size_t(strips));
        for (int chunk = A.window_offsets[window]; chunk < A.window_offsets[window + 1]; ++chunk) {
          for_each_entry_of_strip(A, window, strip, static_cast<std::size_t>(chunk),
                                  [&](Ordinal row, Ordinal column, Offset place) { set_key(place, row, column); });
        }
      });
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const StagedWindows<typename ExecutionSpace::memory_space>& A) {
  const int column_bits = Impl::key_bits(A.columns);
  Impl::KeyedSlots<ExecutionSpace, Offset> places(exec, A.places());
  // Places without an entry have keys greater than those of all rows, and are ignored.
  Kokkos::deep_copy(exec, places.keys, static_cast<std::uint64_t>(A.rows) << column_bits);
  Kokkos::deep_copy(exec, places.slots, Offset(0));
  Impl::fill_place_keys(exec, A, Impl::EntryKeys(places, A.columns));
  places.sort(exec, 0, column_bits + Impl::key_bits(A.rows));
  const std::pair<std::size_t, std::size_t> entries(0, A.nonzeros);
  BuiltCsr<typename ExecutionSpace::memory_space> result;
  result.pattern = Impl::csr_of_sorted_keys<ExecutionSpace>(exec, A.rows, A.columns,
                                                            Impl::part_of(places.keys, entries), column_bits);
  result.values.slots = Impl::part_of(places.slots, entries);
  return result;
}

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const StagedWindows<typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("staged windows", Impl::staged_fault(exec, A));
}

template <class ExecutionSpace>
Impl::Array<Offset*, typename ExecutionSpace::memory_space> tile_counts(
    const ExecutionSpace& exec, const StagedWindows<typename ExecutionSpace::memory_space>& A) {
  using Offsets = Impl::Array<Offset*, typename ExecutionSpace::memory_space>;
  const StagedWindowsPattern in = A.view();
  const auto offsets = Impl::allocate<Offsets>(exec, "Tessera::tile_counts", A.window_offsets.extent(0));
  Kokkos::parallel_for(
      "Tessera::tile_counts", Impl::WindowPolicy<ExecutionSpace>(exec, 0, in.windows()), KOKKOS_LAMBDA(Ordinal window) {
        Offset tiles = 0;
        for (int chunk = in.window_offsets[window]; chunk < in.window_offsets[window + 1]; ++chunk)
          tiles += static_cast<Offset>(in.strip_tiles(std::size_t(chunk))[in.strips()]);
        offsets(window + 1) = tiles;
      });
  Impl::counts_to_offsets(exec, offsets);
  return offsets;
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                          \
  template StagedCounts count_staged(const Exec&, const CsrPattern<Offset>&, std::size_t, const StagedShape&,       \
                                     std::size_t);                                                                  \
  template BuiltStagedWindows<Exec::memory_space> build_staged(const Exec&, const CsrPattern<Offset>&, std::size_t, \
                                                               const StagedShape&, std::size_t);                    \
  template Impl::Array<Offset*, Exec::memory_space> tile_counts(const Exec&,                                        \
                                                                const StagedWindows<Exec::memory_space>&);          \
  TESSERA_INSTANTIATE_FORMAT(StagedWindows, Exec)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
