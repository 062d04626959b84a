// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/RadixSort.hpp>

/// Pairs of numbers as keys, (major << minor bits) + minor. Sorted keys correspond to compressed rows.
namespace Tessera::Impl {

/// Returns the number of bits that the numbers below `end` need.
KOKKOS_INLINE_FUNCTION int key_bits(Ordinal end) { return Kokkos::bit_width(static_cast<unsigned>(end)); }

/// Returns the number of sorted keys that are less than `key`.
template <class Keys>
KOKKOS_INLINE_FUNCTION std::size_t keys_below(const Keys& keys, std::size_t count, std::uint64_t key) {
  std::size_t low = 0, high = count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (keys(middle) < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Keys, each with the slot that it came from. Sorting may replace both arrays; copies made before keep the old arrays.
template <class Exec, class Offset>
struct KeyedSlots {
  using Memory = typename Exec::memory_space;
  Array<std::uint64_t*, Memory> keys;
  Array<Offset*, Memory> slots;

  KeyedSlots() = default;
  KeyedSlots(const Exec& exec, std::size_t size)
      : keys(allocate<Array<std::uint64_t*, Memory>>(exec, "Tessera::keys", size)),
        slots(allocate<Array<Offset*, Memory>>(exec, "Tessera::slots", size)) {}

  KeyedSlots(const Array<std::uint64_t*, Memory>& its_keys, const Array<Offset*, Memory>& its_slots)
      : keys(its_keys), slots(its_slots) {}

  /// Allocates keys and slots in one block of memory, which sort_together() needs.
  static KeyedSlots together(const Exec& exec, std::size_t size) {
    KeyedSlots result;
    take_at_once<Memory>(exec, "Tessera::KeyedSlots", [&](Arena<Memory>& arena) {
      arena.take(result.keys, size);
      arena.take(result.slots, size);
    });
    return result;
  }

  /// Stable sort by the bits [first, last) of the keys.
  void sort(const Exec& exec, int first_bit, int last_bit) { radix_sort(exec, keys, slots, first_bit, last_bit); }

  /// Like sort(), for keys and slots in one block of memory; afterwards they are still in one block.
  void sort_together(const Exec& exec, int first_bit, int last_bit) {
    const std::size_t size = keys.extent(0);
    if (size < 2 || first_bit >= last_bit) return;
    KeyedSlots other = together(exec, size);
    const auto scratch = allocate<Array<std::byte*, Memory>>(exec, "Tessera::radix_sort::scratch",
                                                             radix_scratch_bytes<Exec, SortedWord<Offset>>(exec, size));
    sort_with_spare(exec, size, keys, slots, other.keys, other.slots, first_bit, last_bit, scratch);
  }

  /// Sorts the first `size` keys by the bits below `last_bit`, using the memory of `other` and `scratch`. Allocates
  /// nothing and does not wait. Swaps this object with `other` if the result is in the arrays of `other`.
  template <class Scratch>
  void sort_with(const Exec& exec, std::size_t size, int last_bit, KeyedSlots& other, const Scratch& scratch) {
    sort_with_spare(exec, size, keys, slots, other.keys, other.slots, 0, last_bit, scratch);
  }
};

/// Slots and the keys to sort them by. Keys and the memory for sorting are one block, which is freed after the sort.
template <class Exec, class Offset>
class SlotSort {
  using Memory = typename Exec::memory_space;
  Array<std::uint64_t*, Memory> other_keys_;
  Array<std::byte*, Memory> scratch_;

 public:
  Array<std::uint64_t*, Memory> keys;  ///< the caller fills in keys and slots
  Array<Offset*, Memory> slots;

  SlotSort(const Exec& exec, std::size_t size) : slots(allocate<Array<Offset*, Memory>>(exec, "Tessera::slots", size)) {
    take_at_once<Memory>(exec, "Tessera::SlotSort", [&](Arena<Memory>& arena) {
      arena.take(keys, size);
      if (size < 2) return;
      arena.take(other_keys_, size);
      arena.take(scratch_, radix_scratch_bytes<Exec, SortedWord<Offset>>(exec, size));
    });
  }

  /// Stable sort by the bits below `last_bit`; may be called once. Returns the slots.
  Array<Offset*, Memory> sort(const Exec& exec, int last_bit) {
    const std::size_t size = slots.extent(0);
    if (size < 2 || last_bit <= 0) return slots;
    auto other = allocate<Array<Offset*, Memory>>(exec, "Tessera::slots", size);
    sort_with_spare(exec, size, keys, slots, other_keys_, other, 0, last_bit, scratch_);
    return slots;
  }
};

/// Sets offsets(u) to the number of sorted keys below u << shift, for u = 0 ... units.
template <class ExecutionSpace, class Keys, class Offsets>
static void offsets_of_sorted_keys(const ExecutionSpace& exec, const Keys& keys, int shift, const Offsets& offsets) {
  using Number = typename Offsets::value_type;
  Kokkos::parallel_for(
      "Tessera::offsets_of_sorted_keys", IndexPolicy<ExecutionSpace>(exec, 0, offsets.extent(0)),
      KOKKOS_LAMBDA(std::size_t unit) {
        offsets(unit) = Number(keys_below(keys, keys.extent(0), std::uint64_t(unit) << shift));
      });
}

}  // namespace Tessera::Impl
