// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/RadixSort.hpp>
#include <tessera/select/MatrixStatistics.hpp>

#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Impl {

/// How much of a schedule the windows before one take.
struct ScheduleStart {
  std::int64_t items = 0;
  int slots = 0;
  int sums = 0;

  KOKKOS_INLINE_FUNCTION ScheduleStart& operator+=(const ScheduleStart& other) {
    items += other.items;
    slots += other.slots;
    sums += other.sums;
    return *this;
  }
};

/// The items that warps multiply, in the device's memory.
template <class Item>
struct CudaSchedule {
  using Memory = Kokkos::Cuda::memory_space;

  Array<Item*, Memory> items;
  Array<Cuda::CondensedSum*, Memory> sums;
  int slots = 0;
  int width = 0;  // WindowSchedule::width

  CudaSchedule() = default;
  /// A copy of a schedule that the host made.
  CudaSchedule(const Kokkos::Cuda& exec, const Cuda::HostWindowSchedule<Item>& host)
      : items(device_copy(exec, "Tessera::WindowSchedule::items", host.items)),
        sums(device_copy(exec, "Tessera::WindowSchedule::sums", host.sums)),
        slots(host.slots) {}

  Cuda::WindowSchedule<Item> view() const {
    return {
        static_cast<int>(items.extent(0)), static_cast<int>(sums.extent(0)), slots, items.data(), sums.data(), width};
  }
  std::size_t bytes() const { return items.extent(0) * sizeof(Item) + sums.extent(0) * sizeof(Cuda::CondensedSum); }
};

/// The ScheduleStart of each window; the last element has the totals.
template <class Offsets>
static Array<ScheduleStart*, Kokkos::Cuda::memory_space> start_schedule(const Kokkos::Cuda& exec,
                                                                        const Offsets& offsets, int piece_tiles) {
  const auto starts = allocate<Array<ScheduleStart*, Kokkos::Cuda::memory_space>>(
      exec, "Tessera::WindowSchedule::starts", offsets.extent(0));
  Kokkos::parallel_scan(
      "Tessera::start_schedule", IndexPolicy<Kokkos::Cuda>(exec, 0, starts.extent(0)),
      KOKKOS_LAMBDA(std::size_t w, ScheduleStart & sum, bool final) {
        if (final) starts(w) = sum;
        if (w + 1 == starts.extent(0)) return;
        const int pieces = Cuda::pieces_of_window(offsets(w + 1) - offsets(w), piece_tiles);
        sum += pieces == 1 ? ScheduleStart{1, 0, 0} : ScheduleStart{pieces, pieces, 1};
      });
  return starts;
}

/// Writes the list, a thread a window. Piece p of a window comes after all pieces of its group with lower numbers,
/// and after the pieces p of the windows before it.
template <class Offsets, class Starts, class Schedule>
static void fill_schedule(const Kokkos::Cuda& exec, const Offsets& offsets, const Starts& starts,
                          const Schedule& schedule) {
  using Offset = typename Offsets::non_const_value_type;
  const auto items = schedule.items;
  const auto sums = schedule.sums;
  const std::size_t windows = offsets.extent(0) - 1;
  Kokkos::parallel_for(
      "Tessera::fill_schedule", IndexPolicy<Kokkos::Cuda>(exec, 0, windows), KOKKOS_LAMBDA(std::size_t w) {
        constexpr std::size_t group = Cuda::schedule_group_windows;
        const std::size_t first = w / group * group, last = first + group < windows ? first + group : windows;
        const ScheduleStart start = starts(w);
        [[maybe_unused]] const auto window = static_cast<Ordinal>(w);
        const auto pieces = static_cast<int>(starts(w + 1).items - start.items);
        if (pieces > 1) sums(start.sums) = {window, start.slots, pieces};
        const Offset tiles = offsets(w + 1) - offsets(w);
        for (int p = 0; p < pieces; ++p) {
          std::int64_t place = starts(first).items;
          for (std::size_t v = first; v < last; ++v) {
            const auto others = static_cast<int>(starts(v + 1).items - starts(v).items);
            place += others < p ? others : p;
            place += v < w && others > p;
          }
          const Offset begin = Cuda::first_of_even_piece(tiles, pieces, p);
          const Offset end = Cuda::first_of_even_piece(tiles, pieces, p + 1);
          items(place) = {offsets(w) + begin, static_cast<int>(end - begin), window,
                          pieces == 1 ? Cuda::CondensedItem<Offset>::direct : start.slots + p};
        }
      });
}

/// build_condensed_schedule(), with even pieces, on the device.
///
/// \param offsets [in] the first tile of each window, and the end
/// \throws std::length_error for more than 2^31 - 1 items. Waits for `exec`.
template <class Offset>
static CudaSchedule<Cuda::CondensedItem<Offset>> cuda_schedule(
    const Kokkos::Cuda& exec, const Array<Offset*, Kokkos::Cuda::memory_space>& offsets, int piece_tiles) {
  CudaSchedule<Cuda::CondensedItem<Offset>> result;
  if (offsets.extent(0) < 2) return result;
  const auto starts = start_schedule(exec, offsets, piece_tiles);
  const ScheduleStart all = read_element(exec, starts.data() + starts.extent(0) - 1);
  if (all.items > std::numeric_limits<int>::max()) {
    throw std::length_error("cuda_schedule: " + std::to_string(all.items) + " pieces of " +
                            std::to_string(piece_tiles) + " tiles, more than an int counts");
  }
  // Zeros first: kernels load an item with its padding, which nothing else writes.
  result.items = allocate_zeros<decltype(result.items)>(exec, "Tessera::WindowSchedule::items",
                                                        static_cast<std::size_t>(all.items));
  result.sums =
      allocate<decltype(result.sums)>(exec, "Tessera::WindowSchedule::sums", static_cast<std::size_t>(all.sums));
  result.slots = all.slots;
  fill_schedule(exec, offsets, starts, result);
  return result;
}

/// Cuda::put_longest_first() on the device. Waits for `exec`.
template <class Item>
static void put_longest_first(const Kokkos::Cuda& exec, CudaSchedule<Item>& schedule) {
  const auto items = schedule.items;
  const IndexPolicy<Kokkos::Cuda> every_item(exec, 0, items.extent(0));
  std::int64_t tiles = 0;
  int most = 0;
  Kokkos::parallel_reduce(
      "Tessera::put_longest_first", every_item,
      KOKKOS_LAMBDA(std::size_t i, std::int64_t & sum, int& longest) {
        sum += items(i).tiles;
        longest = items(i).tiles > longest ? items(i).tiles : longest;
      },
      Kokkos::Sum<std::int64_t>(tiles), Kokkos::Max<int>(most));
  exec.fence("Tessera::put_longest_first");
  if (most <= 0 || 2.0 * most * static_cast<double>(items.extent(0)) <= 3.0 * static_cast<double>(tiles)) return;
  auto keys =
      allocate<Array<std::uint64_t*, Kokkos::Cuda::memory_space>>(exec, "Tessera::put_longest_first", items.extent(0));
  const auto shortness = keys;  // than the longest
  Kokkos::parallel_for(
      "Tessera::put_longest_first", every_item,
      KOKKOS_LAMBDA(std::size_t i) { shortness(i) = static_cast<std::uint64_t>(most - items(i).tiles); });
  radix_sort(exec, keys, schedule.items, 0, static_cast<int>(std::bit_width(static_cast<unsigned>(most))));
  exec.fence("Tessera::put_longest_first");  // the keys go
}

}  // namespace Tessera::Impl
