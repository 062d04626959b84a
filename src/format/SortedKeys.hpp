// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/KeyedSlots.hpp>
#include <type_traits>

#include "AllocateCsr.hpp"

/// Entries as keys, (major << minor bits) + minor, where major is the row and minor the column of the entry or of its
/// block, or vice versa. Sorted keys become compressed rows.
namespace Tessera::Impl {

/// Returns the canonical pattern whose rows are the keys' major parts.
template <class Exec>
static Csr<typename Exec::memory_space> csr_of_sorted_keys(
    const Exec& exec, Ordinal rows, Ordinal columns, const Array<std::uint64_t*, typename Exec::memory_space>& keys,
    int shift) {
  const auto result = allocate_csr(exec, rows, columns, keys.extent(0));
  offsets_of_sorted_keys(exec, keys, shift, result.row_offsets);
  const auto columns_out = result.column_indices;
  const std::uint64_t minor = (std::uint64_t(1) << shift) - 1;
  Kokkos::parallel_for(
      "Tessera::unpack_keys", IndexPolicy<Exec>(exec, 0, keys.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { columns_out(i) = static_cast<Ordinal>(keys(i) & minor); });
  return result;
}

/// Whether a sorted key differs from the previous one. A struct, not a lambda: in
/// headers, nvcc miscompiles a lambda that captures another one (src/README.md, rules for lambdas).
template <class Keys>
struct FirstOfRun {
  Keys keys;
  KOKKOS_FUNCTION bool operator()(std::size_t i) const { return i == 0 || keys(i) != keys(i - 1); }
};

/// Keeps one of each run of equal keys. Returns the number of runs. runs(i) is the start of run i; the last element is
/// the end. If all keys differ, `runs` is unchanged.
template <class Exec>
static std::size_t unique_keys(const Exec& exec, KeyedSlots<Exec, Offset>& sorted,
                               Array<Offset*, typename Exec::memory_space>& runs) {
  const auto keys = sorted.keys;
  const std::size_t size = keys.extent(0);
  const FirstOfRun<std::decay_t<decltype(keys)>> is_first{keys};
  std::size_t unique = 0;
  Kokkos::parallel_reduce(
      "Tessera::unique_keys::count", IndexPolicy<Exec>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) { sum += is_first(i); }, unique);
  exec.fence("Tessera::unique_keys");
  if (unique == size) return unique;
  const auto kept = allocate<Array<std::uint64_t*, typename Exec::memory_space>>(exec, "Tessera::unique_keys", unique);
  const auto starts = allocate<Array<Offset*, typename Exec::memory_space>>(exec, "Tessera::runs", unique + 1);
  Kokkos::parallel_scan(
      "Tessera::unique_keys::keep", IndexPolicy<Exec>(exec, 0, size + 1),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum, bool final) {
        if (i == size) {
          if (final) starts(sum) = Offset(size);
        } else if (is_first(i)) {
          if (final) {
            kept(sum) = keys(i);
            starts(sum) = Offset(i);
          }
          ++sum;
        }
      });
  sorted.keys = kept;
  runs = starts;
  return unique;
}

/// Writes the key (row, column) of the entry at each place of a format, and the place as its slot.
struct EntryKeys {
  std::uint64_t* keys;
  Offset* slots;
  int column_bits;

  template <class Exec>
  EntryKeys(const KeyedSlots<Exec, Offset>& entries, Ordinal columns)
      : keys(entries.keys.data()), slots(entries.slots.data()), column_bits(key_bits(columns)) {}

  KOKKOS_INLINE_FUNCTION void operator()(Offset place, Ordinal row, Ordinal column) const {
    keys[place] = (static_cast<std::uint64_t>(row) << column_bits) + static_cast<std::uint64_t>(column);
    slots[place] = place;
  }
};

/// Returns canonical rows from the keys and slots that EntryKeys wrote for distinct entries. The entries may be in any
/// order. The map has the slots.
template <class Exec>
BuiltCsr<typename Exec::memory_space> csr_of_entries(const Exec& exec, Ordinal rows, Ordinal columns,
                                                     KeyedSlots<Exec, Offset> entries) {
  const int column_bits = key_bits(columns);
  entries.sort(exec, 0, column_bits + key_bits(rows));
  BuiltCsr<typename Exec::memory_space> result;
  result.pattern = csr_of_sorted_keys<Exec>(exec, rows, columns, entries.keys, column_bits);
  result.values.slots = entries.slots;
  return result;
}

}  // namespace Tessera::Impl
