// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/RadixSort.hpp>

/// Entries as keys, (major << minor bits) + minor, where major is the row and minor the column, or the other way round,
/// or those of a block: sorted keys make compressed rows.
namespace Tessera::Impl {

/// Bits that numbers below `end` need.
inline int key_bits(Ordinal end) { return std::bit_width(static_cast<unsigned>(end)); }

/// Keys with where each came from.
template <class Exec, class Offset>
struct KeyedSlots {
  using Memory = typename Exec::memory_space;
  Kokkos::View<std::uint64_t*, Memory> keys;
  Kokkos::View<Offset*, Memory> slots;

  KeyedSlots(const Exec& exec, std::size_t size)
      : keys(allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::keys", size)),
        slots(allocate<Kokkos::View<Offset*, Memory>>(exec, "Tessera::slots", size)) {}

  /// By the bits [first, last) of the keys; stable.
  void sort(const Exec& exec, int first_bit, int last_bit) { radix_sort(exec, keys, slots, first_bit, last_bit); }
};

/// offsets(u) = the number of sorted keys below u << shift, for u = 0 ... units.
template <class ExecutionSpace, class Keys, class Offsets>
void offsets_of_sorted_keys(const ExecutionSpace& exec, const Keys& keys, int shift, const Offsets& offsets) {
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

/// The canonical pattern whose rows are the keys' major parts.
template <class Exec, class Offset>
Csr<Offset, typename Exec::memory_space> csr_of_sorted_keys(
    const Exec& exec, Ordinal rows, Ordinal columns,
    const Kokkos::View<std::uint64_t*, typename Exec::memory_space>& keys, int shift) {
  using Memory = typename Exec::memory_space;
  Csr<Offset, Memory> result{rows, columns, keys.extent(0), {}, {}};
  result.row_offsets =
      allocate<Kokkos::View<Offset*, Memory>>(exec, "Tessera::Csr::row_offsets", rows + std::size_t(1));
  result.column_indices =
      allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::Csr::column_indices", keys.extent(0));
  offsets_of_sorted_keys(exec, keys, shift, result.row_offsets);
  const auto columns_out = result.column_indices;
  const std::uint64_t minor = (std::uint64_t(1) << shift) - 1;
  Kokkos::parallel_for(
      "Tessera::unpack_keys", IndexPolicy<Exec>(exec, 0, keys.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { columns_out(i) = static_cast<Ordinal>(keys(i) & minor); });
  return result;
}

/// Canonical rows of entries in any order, none of them twice, with keys (row << key_bits(columns)) + column. The map
/// leads to the slots.
template <class Exec, class Offset>
BuiltCsr<Offset, typename Exec::memory_space> csr_of_entries(const Exec& exec, Ordinal rows, Ordinal columns,
                                                             KeyedSlots<Exec, Offset> entries) {
  const int column_bits = key_bits(columns);
  entries.sort(exec, 0, column_bits + key_bits(rows));
  BuiltCsr<Offset, typename Exec::memory_space> result;
  result.pattern = csr_of_sorted_keys<Exec, Offset>(exec, rows, columns, entries.keys, column_bits);
  result.values.slots = entries.slots;
  return result;
}

}  // namespace Tessera::Impl
