// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/KeyedSlots.hpp>

#include "RowSegments.hpp"
#include "sorted_columns/SortedColumns.hpp"
#include "sorted_columns/cuda/Schedule.hpp"

namespace Tessera::Impl {

/// Where the sums of a product are added (see Cuda::SortedColumnsSchedule), in device memory.
template <class Memory>
struct DeviceColumnsSchedule {
  Cuda::SortedColumnsSchedule sizes;  // without pointers
  Array<Ordinal*, Memory> step_positions, long_rows;
  Array<std::uint16_t*, Memory> places, segment_ends;
  Array<Offset*, Memory> group_segments, row_offsets, row_slots;

  Cuda::SortedColumnsSchedule view() const {
    Cuda::SortedColumnsSchedule schedule = sizes;
    schedule.step_positions = step_positions.data();
    schedule.places = places.extent(0) > 0 ? places.data() : nullptr;
    schedule.group_segments = group_segments.data();
    schedule.segment_ends = segment_ends.data();
    schedule.row_offsets = row_offsets.data();
    schedule.row_slots = row_slots.data();
    schedule.long_rows = long_rows.data();
    return schedule;
  }

  std::size_t bytes() const {
    const auto of = [](const auto&... arrays) { return ((arrays.extent(0) * sizeof(*arrays.data())) + ...); };
    return of(step_positions, long_rows, places, segment_ends, group_segments, row_offsets, row_slots);
  }
};

/// Whether the element at a place, in the order of sets and rows, is the last of its segment.
struct SegmentEnd {
  const std::uint64_t* keys;
  std::size_t count;

  KOKKOS_FUNCTION bool operator()(std::size_t i) const { return i + 1 == count || keys[i] != keys[i + 1]; }
};

template <class ExecutionSpace>
static std::size_t count_segments(const ExecutionSpace& exec, const SegmentEnd& ends) {
  std::size_t count = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_segments", IndexPolicy<ExecutionSpace>(exec, 0, ends.count),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) { sum += ends(i) ? 1 : 0; }, count);
  exec.fence("Tessera::count_segments");
  return count;
}

/// Fills the position of the first column of each step.
template <class ExecutionSpace, class Memory>
static void find_step_positions(const ExecutionSpace& exec, const SortedColumnsPattern& A,
                                const Array<Ordinal*, Memory>& step_positions) {
  Kokkos::parallel_for(
      "Tessera::find_step_positions", IndexPolicy<ExecutionSpace>(exec, 0, step_positions.extent(0)),
      KOKKOS_LAMBDA(std::size_t step) {
        step_positions(step) = A.block_positions[block_of(A, static_cast<Offset>(step) * static_cast<Offset>(A.width))];
      });
}

/// Fills the segments and places of groups, and the first slots: those of segments, with their rows as keys.
///
/// \param elements [in] the regular elements, sorted by group and row
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
static void number_segments(const ExecutionSpace& exec, const SortedColumnsPattern& A,
                            const KeyedSlots<ExecutionSpace, Offset>& elements,
                            const DeviceColumnsSchedule<Memory>& out, const KeyedSlots<ExecutionSpace, Offset>& slots) {
  const SegmentEnd ends{elements.keys.data(), elements.keys.extent(0)};
  const Offset size = static_cast<Offset>(out.sizes.group_steps) * static_cast<Offset>(A.width);
  const std::uint64_t rows = (std::uint64_t(1) << key_bits(A.rows)) - 1;
  const bool has_places = out.places.extent(0) > 0;
  // The last index is that of no element, and ends the last group.
  Kokkos::parallel_scan(
      "Tessera::number_segments", IndexPolicy<ExecutionSpace>(exec, 0, ends.count + 1),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & segment, bool final) {
        const Offset group = static_cast<Offset>(i) / size, place = static_cast<Offset>(i) - group * size;
        if (final && place == 0) out.group_segments(group) = static_cast<Offset>(segment);
        if (i == ends.count) {
          if (final) out.group_segments(out.sizes.groups) = static_cast<Offset>(segment);
          return;
        }
        if (final && has_places) out.places(elements.slots(i)) = static_cast<std::uint16_t>(place);
        if (!ends(i)) return;
        if (final) {
          out.segment_ends(segment) = static_cast<std::uint16_t>(place + 1);
          slots.keys(segment) = ends.keys[i] & rows;
          slots.slots(segment) = static_cast<Offset>(segment);
        }
        ++segment;
      });
}

/// Fills the slots of irregular elements, which follow those of segments, with their rows as keys.
template <class ExecutionSpace, class Memory>
static void number_irregular_elements(const ExecutionSpace& exec, const Array<Ordinal*, Memory>& row_indices,
                                      std::size_t regular, std::size_t segments,
                                      const KeyedSlots<ExecutionSpace, Offset>& slots) {
  Kokkos::parallel_for(
      "Tessera::number_irregular_elements", IndexPolicy<ExecutionSpace>(exec, regular, row_indices.extent(0)),
      KOKKOS_LAMBDA(std::size_t element) {
        const std::size_t slot = segments + (element - regular);
        slots.keys(slot) = std::uint64_t(row_indices(element));
        slots.slots(slot) = static_cast<Offset>(slot);
      });
}

/// Returns the rows with more than sorted_columns_long_row_slots slots.
template <class ExecutionSpace, class Memory>
static Array<Ordinal*, Memory> rows_with_many_slots(const ExecutionSpace& exec,
                                                    const Array<Offset*, Memory>& row_offsets) {
  constexpr Offset few = Cuda::sorted_columns_long_row_slots;
  const IndexPolicy<ExecutionSpace> every_row(exec, 0, row_offsets.extent(0) - 1);
  std::size_t count = 0;
  Kokkos::parallel_reduce(
      "Tessera::rows_with_many_slots::count", every_row,
      KOKKOS_LAMBDA(std::size_t row, std::size_t & sum) {
        sum += row_offsets(row + 1) - row_offsets(row) > few ? 1 : 0;
      },
      count);
  exec.fence("Tessera::rows_with_many_slots");
  const auto rows = allocate<Array<Ordinal*, Memory>>(exec, "Tessera::SortedColumnsSchedule::long_rows", count);
  if (count == 0) return rows;
  Kokkos::parallel_scan(
      "Tessera::rows_with_many_slots", every_row, KOKKOS_LAMBDA(std::size_t row, std::size_t & sum, bool final) {
        if (row_offsets(row + 1) - row_offsets(row) <= few) return;
        if (final) rows(sum) = static_cast<Ordinal>(row);
        ++sum;
      });
  return rows;
}

/// Returns the schedule of groups of `group_steps` steps, which have at most sorted_columns_most_elements elements. It
/// is the same on every backend and for any number of threads.
///
/// Cost: two radix sorts, of the regular elements by group and row, and of the slots by row; 24 bytes of memory a
/// nonzero while they run. Waits for `exec`.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
static DeviceColumnsSchedule<Memory> schedule_columns(const ExecutionSpace& exec, const SortedColumns<Memory>& format,
                                                      int group_steps, Cuda::SegmentRule rule) {
  const SortedColumnsPattern A = format.view();
  const auto regular = static_cast<std::size_t>(A.regular), width = static_cast<std::size_t>(A.width);
  const std::size_t size = static_cast<std::size_t>(group_steps) * width, groups = (regular + size - 1) / size;
  const bool sums_rows = rule == Cuda::SegmentRule::Rows;
  auto elements = sorted_sets(exec, format.row_indices, regular, A.rows, sums_rows ? size : 1);
  const std::size_t segments = count_segments(exec, SegmentEnd{elements.keys.data(), regular});
  const std::size_t slot_count = segments + (format.nonzeros - regular);
  DeviceColumnsSchedule<Memory> out;
  take_at_once<Memory>(exec, "Tessera::SortedColumnsSchedule", [&](Arena<Memory>& arena) {
    arena.take(out.group_segments, groups + 1);
    arena.take_behind(out.row_offsets, static_cast<std::size_t>(A.rows) + 1);
    arena.take_behind(out.step_positions, regular / width);
    arena.take_behind(out.places, sums_rows && group_steps == A.steps_of_set ? 0 : regular);
    arena.take_behind(out.segment_ends, segments);
  });
  out.sizes.group_steps = group_steps;
  out.sizes.groups = static_cast<Offset>(groups);
  out.sizes.segments = static_cast<Offset>(segments);
  out.sizes.slot_count = static_cast<Offset>(slot_count);
  find_step_positions(exec, A, out.step_positions);
  KeyedSlots<ExecutionSpace, Offset> slots(exec, slot_count);
  number_segments(exec, A, elements, out, slots);
  number_irregular_elements(exec, format.row_indices, regular, segments, slots);
  elements = {};  // frees memory before the next sort
  slots.sort(exec, 0, key_bits(A.rows));
  out.row_slots = slots.slots;
  offsets_of_sorted_keys(exec, slots.keys, 0, out.row_offsets);
  out.long_rows = rows_with_many_slots(exec, out.row_offsets);
  out.sizes.long_row_count = static_cast<Ordinal>(out.long_rows.extent(0));
  return out;
}

}  // namespace Tessera::Impl
