// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Batches.hpp>

#include "CommonNeighbourTeams.hpp"

/// Step II of data affinity: puts rows with many common columns side by side.
namespace Tessera::Impl {

/// Sums for 64 rows at once: bit r of plane p is bit p of the sum of row r.
class BitPlanes {
 public:
  KOKKOS_INLINE_FUNCTION void increment(std::uint64_t rows) {
    for (int p = 0; rows != 0; ++p) {
      if (p == used_) planes_[used_++] = 0;
      const std::uint64_t carry = planes_[p] & rows;
      planes_[p] ^= rows;
      rows = carry;
    }
  }

  /// Returns the largest sum of the given rows, and removes the other rows from the set.
  KOKKOS_INLINE_FUNCTION std::uint32_t largest(std::uint64_t& rows) const {
    std::uint32_t sum = 0;
    for (int p = used_ - 1; p >= 0; --p) {
      const bool bit = (rows & planes_[p]) != 0;
      if (bit) rows &= planes_[p];
      sum = 2 * sum + unsigned(bit);
    }
    return sum;
  }

 private:
  std::uint64_t planes_[32];
  int used_ = 0;
};

/// Orders the rows of a block with one thread, which counts for 64 rows at once.
template <class Exec>
struct CommonNeighbourOrder {
  CommonNeighbourBlocks<Exec> blocks;

  KOKKOS_FUNCTION void fill(Ordinal block, Ordinal rows, const Ordinal* block_rows) const {
    const auto& A = blocks.A;
    for (std::size_t place = blocks.table(block); place < blocks.table(block + 1); ++place) blocks.clear(place);
    for (Ordinal r = 0; r < rows; ++r) {
      for (Offset k = A.row_offsets[block_rows[r]]; k < A.row_offsets[block_rows[r] + 1]; ++k)
        blocks.enter(block, r, A.column_indices[k]);
    }
  }

  /// Returns the first of the unvisited rows that have the most columns in common with `row`.
  KOKKOS_FUNCTION Ordinal nearest(Ordinal block, Ordinal row, const std::uint64_t* unvisited) const {
    BitPlanes common[words_of_block];
    for (Offset k = blocks.A.row_offsets[row]; k < blocks.A.row_offsets[row + 1]; ++k) {
      const std::uint64_t* const sets = blocks.sets_of(block, blocks.A.column_indices[k]);
      for (int w = 0; w < words_of_block; ++w) common[w].increment(sets[w] & unvisited[w]);
    }
    Ordinal result = -1;
    std::uint32_t most = 0;
    for (int w = 0; w < words_of_block; ++w) {
      std::uint64_t rows = unvisited[w];
      const std::uint32_t sum = common[w].largest(rows);
      if (rows == 0 || (result >= 0 && sum <= most)) continue;
      result = 64 * w + static_cast<Ordinal>(Kokkos::countr_zero(rows));
      most = sum;
    }
    return result;
  }

  KOKKOS_FUNCTION void operator()(Ordinal block) const {
    const Ordinal begin = block * common_neighbour_block, rows = blocks.rows_of(block);
    Ordinal block_rows[common_neighbour_block];
    std::uint64_t unvisited[words_of_block] = {};
    for (Ordinal r = 0; r < rows; ++r) {
      block_rows[r] = blocks.order(begin + r);
      unvisited[r / 64] |= std::uint64_t(1) << r % 64;
    }
    fill(block, rows, block_rows);
    Ordinal current = 0;
    for (Ordinal place = begin; place < begin + rows; ++place) {
      blocks.order(place) = block_rows[current];
      unvisited[current / 64] &= ~(std::uint64_t(1) << current % 64);
      current = nearest(block, block_rows[current], unvisited);
    }
  }
};

/// Returns, for each block of rows in this order, the number of entries in earlier blocks.
template <class Exec>
Array<std::size_t*, typename Exec::memory_space> entries_before_blocks(
    const Exec& exec, const CsrPattern<Offset>& A, const Array<Ordinal*, typename Exec::memory_space>& order) {
  const std::size_t blocks = (order.extent(0) + common_neighbour_block - 1) / common_neighbour_block;
  const auto before = allocate_zeros<Array<std::size_t*, typename Exec::memory_space>>(
      exec, "Tessera::entries_before_blocks", blocks + 1);
  Kokkos::parallel_for(
      "Tessera::entries_before_blocks", IndexPolicy<Exec>(exec, 0, blocks), KOKKOS_LAMBDA(std::size_t block) {
        std::size_t entries = 0;
        const std::size_t begin = block * common_neighbour_block;
        for (std::size_t r = begin; r < begin + common_neighbour_block && r < order.extent(0); ++r) {
          entries += std::size_t(A.row_offsets[order(r) + 1] - A.row_offsets[order(r)]);
        }
        before(block + 1) = entries;
      });
  counts_to_offsets(exec, before);
  return before;
}

/// Orders the rows of each block in place. The first row remains first. The next row is always the remaining row that
/// has the most columns in common with the last one; of several such rows, the first.
template <class Exec>
void order_by_common_neighbours(const Exec& exec, const CsrPattern<Offset>& A,
                                const Array<Ordinal*, typename Exec::memory_space>& order) {
  using Memory = typename Exec::memory_space;
  const auto before = entries_before_blocks(exec, A, order);
  const auto ends = host_copy(exec, before);
  const std::size_t blocks = ends.size() - 1;
  const std::size_t most = entries_of_batch<Exec>(ends.back(), std::size_t(1) << 24);
  std::size_t places = 0;  // number of places of the largest batch
  for (std::size_t block = 0, next; block < blocks; block = next) {
    next = end_of_batch(ends, block, most);
    places = std::max(places, 2 * (ends[next] - ends[block]));
  }
  Array<Ordinal*, Memory> columns;
  Array<std::uint64_t*, Memory> rows_with;
  take_at_once<Memory>(exec, "Tessera::columns_of_blocks", [&](Arena<Memory>& arena) {
    arena.take(columns, places);
    arena.take(rows_with, words_of_block * places);
  });
  for (std::size_t block = 0, next; block < blocks; block = next) {
    next = end_of_batch(ends, block, most);
    const auto first = static_cast<Ordinal>(block), last = static_cast<Ordinal>(next);
    const CommonNeighbourBlocks<Exec> batch{A, order, before, first, columns, rows_with};
    const std::string label = "Tessera::order_by_common_neighbours";
    if constexpr (is_host_space<Exec>) {
      Kokkos::parallel_for(label, WindowPolicy<Exec>(exec, first, last), CommonNeighbourOrder<Exec>{batch});
    } else {
      using Order = CommonNeighbourTeams<Exec>;
      Kokkos::parallel_for(label, teams(exec, last - first, sizeof(typename Order::Scratch)), Order{batch});
    }
  }
}

}  // namespace Tessera::Impl
