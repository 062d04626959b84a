// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/RadixSort.hpp>

/// Pairs of numbers as keys, (major << minor bits) + minor. Sorted keys are compressed rows.
namespace Tessera::Impl {

/// The number of bits of the numbers below `end`.
inline int key_bits(Ordinal end) { return std::bit_width(static_cast<unsigned>(end)); }

/// Keys, each with the slot that it came from. Sorting may replace both arrays; copies made before keep the old ones.
template <class Exec, class Offset>
struct KeyedSlots {
  using Memory = typename Exec::memory_space;
  Kokkos::View<std::uint64_t*, Memory> keys;
  Kokkos::View<Offset*, Memory> slots;

  KeyedSlots(const Exec& exec, std::size_t size)
      : keys(allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::keys", size)),
        slots(allocate<Kokkos::View<Offset*, Memory>>(exec, "Tessera::slots", size)) {}

  /// Sorts by the bits [first, last) of the keys; stable.
  void sort(const Exec& exec, int first_bit, int last_bit) { radix_sort(exec, keys, slots, first_bit, last_bit); }
};

/// Sets offsets(u) to the number of sorted keys below u << shift, for u = 0 ... units.
template <class ExecutionSpace, class Keys, class Offsets>
static void offsets_of_sorted_keys(const ExecutionSpace& exec, const Keys& keys, int shift, const Offsets& offsets) {
  using Offset = typename Offsets::value_type;
  Kokkos::parallel_for(
      "Tessera::offsets_of_sorted_keys", IndexPolicy<ExecutionSpace>(exec, 0, offsets.extent(0)),
      KOKKOS_LAMBDA(std::size_t unit) {
        const std::uint64_t wanted = std::uint64_t(unit) << shift;
        std::size_t low = 0, high = keys.extent(0);
        while (low < high) {
          const std::size_t middle = (low + high) / 2;
          if (keys(middle) < wanted) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        offsets(unit) = Offset(low);
      });
}

}  // namespace Tessera::Impl
