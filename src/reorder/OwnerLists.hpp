// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/parallel/Array.hpp>
#include <tessera/parallel/KeyedSlots.hpp>

#include "ColumnSets.hpp"
#include "Scramble.hpp"

/// The inverted index: for each column, the clusters that have it.
namespace Tessera::Impl {

/// For each column, the clusters that have it (its owners). In a long list, clusters with similar sets are near each
/// other.
template <class Memory>
struct OwnerLists {
  Array<std::size_t*, Memory> offsets;  // columns + 1 offsets
  Array<Ordinal*, Memory> ranks;        // the ranks of the owners of each column, in ascending order
  Array<Ordinal*, Memory> clusters;     // the cluster of each rank
};

/// Returns the least two scrambled columns of a cluster (MinHash). The probability that two clusters have the same
/// least column is the similarity of their sets; that they have the same two, about its square.
template <class Memory>
KOKKOS_INLINE_FUNCTION std::uint64_t min_hash(const ColumnSets<Memory>& sets, Ordinal cluster) {
  std::uint32_t least = ~0u, second = ~0u;
  for (const Ordinal* column = sets.begin(cluster); column < sets.end(cluster); ++column) {
    const std::uint32_t hash = scramble(static_cast<std::uint32_t>(*column));
    second = hash < least ? least : hash < second ? hash : second;
    least = hash < least ? hash : least;
  }
  return std::uint64_t(least >> 8) << 8 | second >> 24;
}

/// Sorts clusters such that similar ones are likely to be neighbours.
template <class ExecutionSpace, class Ordinals>
static Ordinals order_by_min_hash(const ExecutionSpace& exec,
                                  const ColumnSets<typename ExecutionSpace::memory_space>& sets,
                                  const Ordinals& clusters) {
  SlotSort<ExecutionSpace, Ordinal> sorted(exec, clusters.extent(0));
  const auto keys = sorted.keys;
  const auto slots = sorted.slots;
  Kokkos::parallel_for(
      "Tessera::order_by_min_hash", WindowPolicy<ExecutionSpace>(exec, 0, Ordinal(clusters.extent(0))),
      KOKKOS_LAMBDA(Ordinal i) {
        slots(i) = clusters(i);
        keys(i) = min_hash(sets, clusters(i));
      });
  return sorted.sort(exec, 32);
}

/// Makes the lists of these clusters. If no column has more than `most` owners, ranks are in the given order.
template <class ExecutionSpace, class Ordinals>
static OwnerLists<typename ExecutionSpace::memory_space> list_owners(
    const ExecutionSpace& exec, const ColumnSets<typename ExecutionSpace::memory_space>& sets, const Ordinals& given,
    Ordinal columns, std::size_t most) {
  using Memory = typename ExecutionSpace::memory_space;
  const auto count = static_cast<Ordinal>(given.extent(0));
  const auto offsets = allocate_zeros<Array<std::size_t*, Memory>>(exec, "Tessera::offsets", std::size_t(columns) + 1);
  Kokkos::parallel_for(
      "Tessera::list_owners::count", WindowPolicy<ExecutionSpace>(exec, 0, count), KOKKOS_LAMBDA(Ordinal i) {
        for (const Ordinal* c = sets.begin(given(i)); c < sets.end(given(i)); ++c)
          Kokkos::atomic_inc(&offsets(std::size_t(*c) + 1));
      });
  std::size_t longest = 0;
  Kokkos::parallel_reduce(
      "Tessera::list_owners::longest", IndexPolicy<ExecutionSpace>(exec, 0, std::size_t(columns)),
      KOKKOS_LAMBDA(std::size_t column, std::size_t & greatest) {
        if (offsets(column + 1) > greatest) greatest = offsets(column + 1);
      },
      Kokkos::Max<std::size_t>(longest));
  exec.fence("Tessera::list_owners");
  counts_to_offsets(exec, offsets);
  const Ordinals clusters = longest > most ? order_by_min_hash(exec, sets, given) : given;

  const auto places = allocate<Array<std::size_t*, Memory>>(exec, "Tessera::places", std::size_t(count) + 1);
  Kokkos::parallel_for(
      "Tessera::list_owners::entries", IndexPolicy<ExecutionSpace>(exec, 0, std::size_t(count)),
      KOKKOS_LAMBDA(std::size_t i) { places(i + 1) = std::size_t(sets.listed(clusters(i))); });
  counts_to_offsets(exec, places);
  SlotSort<ExecutionSpace, Ordinal> entries(exec, read_element(exec, offsets.data() + std::size_t(columns)));
  const auto keys = entries.keys;
  const auto slots = entries.slots;
  Kokkos::parallel_for(
      "Tessera::list_owners::fill", WindowPolicy<ExecutionSpace>(exec, 0, count), KOKKOS_LAMBDA(Ordinal i) {
        std::size_t next = places(i);
        for (const Ordinal* c = sets.begin(clusters(i)); c < sets.end(clusters(i)); ++c, ++next) {
          keys(next) = std::uint64_t(*c);
          slots(next) = i;
        }
      });
  return {offsets, entries.sort(exec, key_bits(columns)), clusters};
}

}  // namespace Tessera::Impl
