// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "OwnerLists.hpp"

/// Clusters that have a column in common with one.
namespace Tessera::Impl {

constexpr std::size_t longest_list = 48;  // owners of a column that are visited all
constexpr std::size_t reach = 8;          // to either side, in a longer list

/// How often each of some numbers occurs. Once three quarters of the table are in use, new ones are ignored.
struct Tally {
  static constexpr int bits = 8;
  static constexpr int size = 1 << bits;
  struct Place {
    Ordinal number, count;
  };
  Place places[size];
  int used = 0;

  KOKKOS_INLINE_FUNCTION Tally() {
    for (Place& place : places) place = {-1, 0};
  }

  KOKKOS_INLINE_FUNCTION void add(Ordinal number) {
    auto i = static_cast<int>((static_cast<std::uint32_t>(number) * 0x9e3779b9u) >> (32 - bits));
    while (places[i].number != number) {
      if (places[i].number == -1) {
        if (4 * used == 3 * size) return;
        ++used;
        places[i].number = number;
        break;
      }
      i = (i + 1) % size;
    }
    ++places[i].count;
  }
};

/// The part of a list of ascending ranks that lies around one of them.
struct ListPart {
  std::size_t begin, end;
};
template <class Ranks>
KOKKOS_INLINE_FUNCTION ListPart part_around(const Ranks& ranks, ListPart list, Ordinal rank) {
  std::size_t low = list.begin, high = list.end;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (ranks(middle) < rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {low > list.begin + reach ? low - reach : list.begin, list.end > low + reach ? low + reach : list.end};
}

/// Counts the columns that the cluster of a rank shares with others, by their ranks; of long lists, near ones.
template <class Memory>
KOKKOS_INLINE_FUNCTION void tally_neighbours(const ColumnSets<Memory>& sets, const OwnerLists<Memory>& owners,
                                             Ordinal rank, Tally& shared) {
  const Ordinal cluster = owners.clusters(rank);
  for (const Ordinal* column = sets.begin(cluster); column < sets.end(cluster); ++column) {
    ListPart list{owners.offsets(*column), owners.offsets(*column + 1)};
    if (list.end - list.begin > longest_list) list = part_around(owners.ranks, list, rank);
    for (std::size_t i = list.begin; i < list.end; ++i) shared.add(owners.ranks(i));
  }
}

}  // namespace Tessera::Impl
