// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/RadixSort.hpp>
#include <type_traits>

#include "condensed/cuda/WindowCuts.hpp"

namespace Tessera::Impl {

/// The items that warps multiply, in device memory.
template <class Item, class Memory>
struct DeviceSchedule {
  Array<Item*, Memory> items;
  Array<Cuda::CondensedSum*, Memory> sums;
  int slots = 0;
  int width = 0;  // WindowSchedule::width

  DeviceSchedule() = default;
  /// Copies a schedule from the host.
  template <class ExecutionSpace>
  DeviceSchedule(const ExecutionSpace& exec, const Cuda::HostWindowSchedule<Item>& host) : slots(host.slots) {
    copy_at_once(exec, "Tessera::WindowSchedule", TableCopy{host.items, items}, TableCopy{host.sums, sums});
  }

  Cuda::WindowSchedule<Item> view() const {
    return {
        static_cast<int>(items.extent(0)), static_cast<int>(sums.extent(0)), slots, items.data(), sums.data(), width};
  }
  std::size_t bytes() const { return items.extent(0) * sizeof(Item) + sums.extent(0) * sizeof(Cuda::CondensedSum); }
};

/// Returns the number of tiles of all windows. Waits for `exec`.
///
/// \param cuts [in] Cuda::WindowCuts or a type like it, with pointers to device memory
template <class ExecutionSpace, class Cuts>
static double total_tiles(const ExecutionSpace& exec, const Cuts& cuts) {
  std::int64_t tiles = 0;
  Kokkos::parallel_reduce(
      "Tessera::total_tiles", WindowPolicy<ExecutionSpace>(exec, 0, cuts.windows),
      KOKKOS_LAMBDA(Ordinal w, std::int64_t & sum) { sum += cuts.tiles(w); }, tiles);
  exec.fence("Tessera::total_tiles");
  return static_cast<double>(tiles);
}

/// Returns the ScheduleStart of each window or group of rows. The last element has the totals.
///
/// \param cuts [in] as for total_tiles()
template <class ExecutionSpace, class Cuts>
static Array<Cuda::ScheduleStart*, typename ExecutionSpace::memory_space> start_schedule(const ExecutionSpace& exec,
                                                                                         const Cuts& cuts) {
  const auto starts = allocate<Array<Cuda::ScheduleStart*, typename ExecutionSpace::memory_space>>(
      exec, "Tessera::WindowSchedule::starts", static_cast<std::size_t>(cuts.windows) + 1);
  Kokkos::parallel_scan(
      "Tessera::start_schedule", WindowPolicy<ExecutionSpace>(exec, 0, cuts.windows + 1),
      KOKKOS_LAMBDA(Ordinal w, Cuda::ScheduleStart & sum, bool final) {
        if (final) starts(w) = sum;
        if (w < cuts.windows) sum += Cuda::schedule_of_window(cuts.tiles(w), cuts.piece_tiles);
      });
  return starts;
}

/// Does the same as Cuda::build_window_schedule(), on a device.
///
/// \param cuts [in] as for total_tiles(); cuts.piece_tiles > 0
/// \throws std::length_error for more than 2^31 - 1 items
///
/// Cost: a scan of the windows and a kernel with one thread for each item. Waits for `exec`.
template <class ExecutionSpace, class Cuts>
static DeviceSchedule<typename Cuts::Item, typename ExecutionSpace::memory_space> schedule_windows(
    const ExecutionSpace& exec, const Cuts& cuts) {
  // Kernels load whole items, and nothing writes padding.
  static_assert(std::has_unique_object_representations_v<typename Cuts::Item>);
  DeviceSchedule<typename Cuts::Item, typename ExecutionSpace::memory_space> result;
  if (cuts.windows <= 0) return result;
  const auto starts = start_schedule(exec, cuts);
  const auto all = read_element(exec, starts.data() + cuts.windows);
  const std::size_t count = Cuda::expect_countable_items("schedule_windows", all);
  result.items = allocate<decltype(result.items)>(exec, "Tessera::WindowSchedule::items", count);
  result.sums =
      allocate<decltype(result.sums)>(exec, "Tessera::WindowSchedule::sums", static_cast<std::size_t>(all.sums));
  result.slots = all.slots(cuts.windows);
  const Cuda::ScheduleWriter<Cuts> writer{cuts, starts.data(), result.items.data(), result.sums.data()};
  Kokkos::parallel_for(
      "Tessera::fill_schedule", IndexPolicy<ExecutionSpace>(exec, 0, count),
      KOKKOS_LAMBDA(std::size_t i) { writer.write(static_cast<std::int64_t>(i)); });
  return result;
}

/// Schedules condensed windows.
///
/// \param offsets [in] the first tile of each window, and the end
template <class ExecutionSpace>
static auto schedule_windows(const ExecutionSpace& exec,
                             const Array<Offset*, typename ExecutionSpace::memory_space>& offsets, int piece_tiles,
                             Cuda::PieceCut cut = Cuda::PieceCut::Even) {
  const auto windows = static_cast<Ordinal>(offsets.extent(0)) - 1;
  return schedule_windows(exec, Cuda::WindowCuts{offsets.data(), windows, piece_tiles, cut});
}

/// Does the same as Cuda::put_longest_first(), on a device. Waits for `exec`.
template <class ExecutionSpace, class Item, class Memory>
static void put_longest_first(const ExecutionSpace& exec, DeviceSchedule<Item, Memory>& schedule) {
  const auto items = schedule.items;
  const IndexPolicy<ExecutionSpace> every_item(exec, 0, items.extent(0));
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
  if (most <= 0) return;
  if (!Cuda::lengths_differ(most, static_cast<double>(items.extent(0)), static_cast<double>(tiles))) return;
  auto keys = allocate<Array<std::uint64_t*, Memory>>(exec, "Tessera::put_longest_first", items.extent(0));
  const auto shortness = keys;  // relative to the longest
  Kokkos::parallel_for(
      "Tessera::put_longest_first", every_item,
      KOKKOS_LAMBDA(std::size_t i) { shortness(i) = static_cast<std::uint64_t>(most - items(i).tiles); });
  radix_sort(exec, keys, schedule.items, 0, static_cast<int>(std::bit_width(static_cast<unsigned>(most))));
}

}  // namespace Tessera::Impl
