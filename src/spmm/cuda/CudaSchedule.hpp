// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/cuda/CondensedSchedule.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <vector>

namespace Tessera::Impl {

/// Who multiplies which tiles of windows, or chunks, in the device's memory.
template <class Offset>
struct CudaSchedule {
  using Memory = Kokkos::Cuda::memory_space;

  Kokkos::View<Cuda::CondensedItem<Offset>*, Memory> items;
  Kokkos::View<Cuda::CondensedSum*, Memory> sums;
  int slots = 0;

  CudaSchedule() = default;

  /// \param offsets [in] the first tile of each window, and the end. Cost: the host makes the list, window by window
  CudaSchedule(const Kokkos::Cuda& exec, const std::vector<Offset>& offsets, int piece_tiles,
               Cuda::PieceCut cut = Cuda::PieceCut::Even) {
    const auto windows = static_cast<Ordinal>(offsets.empty() ? 0 : offsets.size() - 1);
    auto host = Cuda::build_condensed_schedule(offsets.data(), windows, piece_tiles, cut);
    // Few blocks take staged windows: if the longest of them came last, the others would wait.
    if (cut == Cuda::PieceCut::Full) Cuda::put_longest_first(host.items);
    items = device_copy(exec, "Tessera::CondensedSchedule::items", host.items);
    sums = device_copy(exec, "Tessera::CondensedSchedule::sums", host.sums);
    slots = host.slots;
  }

  Cuda::CondensedSchedule<Offset> view() const {
    return {static_cast<int>(items.extent(0)), static_cast<int>(sums.extent(0)), slots, items.data(), sums.data()};
  }
  std::size_t bytes() const {
    return items.extent(0) * sizeof(Cuda::CondensedItem<Offset>) + sums.extent(0) * sizeof(Cuda::CondensedSum);
  }
};

}  // namespace Tessera::Impl
