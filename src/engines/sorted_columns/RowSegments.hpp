// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/KeyedSlots.hpp>

namespace Tessera::Impl {

/// Sets of regular elements, each sorted by row.
template <class Memory>
struct Segments {
  Array<std::uint16_t*, Memory> position_indices;
  Array<std::int16_t*, Memory> segment_lengths;
};

/// Returns the regular elements, each with its set and row as a key, sorted by them. Equal keys have the order of the
/// elements. The row is in the lowest key_bits(rows) bits of a key.
template <class ExecutionSpace, class Memory>
static KeyedSlots<ExecutionSpace, Offset> sorted_sets(const ExecutionSpace& exec,
                                                      const Array<Ordinal*, Memory>& row_indices, std::size_t regular,
                                                      Ordinal rows, std::size_t set_size) {
  const int row_bits = key_bits(rows);
  auto elements = KeyedSlots<ExecutionSpace, Offset>::together(exec, regular);
  std::uint64_t* const keys = elements.keys.data();
  Offset* const slots = elements.slots.data();
  Kokkos::parallel_for(
      "Tessera::sorted_sets", IndexPolicy<ExecutionSpace>(exec, 0, regular), KOKKOS_LAMBDA(std::size_t i) {
        keys[i] = (std::uint64_t(i / set_size) << row_bits) + std::uint64_t(row_indices(i));
        slots[i] = static_cast<Offset>(i);
      });
  elements.sort_together(exec, 0, row_bits + static_cast<int>(std::bit_width(regular / set_size)));
  return elements;
}

template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
static Segments<Memory> segments_of_sets(const ExecutionSpace& exec, const Array<Ordinal*, Memory>& row_indices,
                                         std::size_t regular, Ordinal rows, std::size_t set_size) {
  const auto sorted = sorted_sets(exec, row_indices, regular, rows, set_size);
  Segments<Memory> out;
  take_at_once<Memory>(exec, "Tessera::SortedColumns::segments", [&](Arena<Memory>& arena) {
    arena.take(out.position_indices, regular);
    arena.take_behind(out.segment_lengths, regular);
  });
  Kokkos::parallel_for(
      "Tessera::segments_of_sets", IndexPolicy<ExecutionSpace>(exec, 0, regular), KOKKOS_LAMBDA(std::size_t i) {
        out.position_indices(sorted.slots(i)) = static_cast<std::uint16_t>(i % set_size);
        const std::uint64_t key = sorted.keys(i);
        out.segment_lengths(i) = 0;
        if (i > 0 && sorted.keys(i - 1) == key) return;
        std::size_t end = i + 1;
        while (end < regular && sorted.keys(end) == key) ++end;
        out.segment_lengths(i) = end == i + 1 ? std::int16_t(-1) : static_cast<std::int16_t>(end - i - 1);
      });
  return out;
}

}  // namespace Tessera::Impl
