// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Array.hpp>
#include <tessera/parallel/ColumnTable.hpp>

namespace Tessera::Impl {

/// The size of a block in words of 64 rows. The row with the most common columns is searched within a block. The number
/// of rows of a block is a multiple of the rows of a window.
constexpr int words_of_block = 4;
constexpr Ordinal common_neighbour_block = 64 * words_of_block;

/// Blocks of rows. Each block has a hash table of its columns, and for each column the set of the rows that have it. A
/// lookup counts a column for all rows at once, so a column that all rows have costs no more than any other.
template <class Exec>
struct CommonNeighbourBlocks {
  using Memory = typename Exec::memory_space;

  CsrPattern<Offset> A;
  Array<Ordinal*, Memory> order;
  Array<std::size_t*, Memory> before;       // blocks + 1 numbers: the number of entries in earlier blocks
  Ordinal first_block;                      // the first block that has tables here
  Array<Ordinal*, Memory> columns;          // tables with two places for each entry of a block; -1 if free
  Array<std::uint64_t*, Memory> rows_with;  // words_of_block words for each place

  KOKKOS_FUNCTION std::size_t table(Ordinal block) const { return 2 * (before(block) - before(first_block)); }
  KOKKOS_FUNCTION std::size_t table_size(Ordinal block) const { return 2 * (before(block + 1) - before(block)); }

  KOKKOS_FUNCTION Ordinal rows_of(Ordinal block) const {
    const Ordinal left = static_cast<Ordinal>(order.extent(0)) - block * common_neighbour_block;
    return left < common_neighbour_block ? left : common_neighbour_block;
  }

  /// Returns the set of the rows of a block that have a given column.
  KOKKOS_FUNCTION const std::uint64_t* sets_of(Ordinal block, Ordinal column) const {
    const std::size_t begin = table(block);
    return &rows_with(words_of_block * (begin + find_column(&columns(begin), table_size(block), column)));
  }

  KOKKOS_FUNCTION void clear(std::size_t place) const {
    columns(place) = -1;
    for (int w = 0; w < words_of_block; ++w) rows_with(words_of_block * place + w) = 0;
  }

  /// Adds row r of the block to the set of the column.
  KOKKOS_FUNCTION void enter(Ordinal block, Ordinal r, Ordinal column) const {
    const std::size_t begin = table(block);
    const std::size_t place = begin + enter_column<Exec>(&columns(begin), table_size(block), column).place;
    add_bits<Exec>(&rows_with(words_of_block * place + r / 64), std::uint64_t(1) << r % 64);
  }
};

}  // namespace Tessera::Impl
