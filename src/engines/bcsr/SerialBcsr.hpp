// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "HostPattern.hpp"
#include "bcsr/BcsrView.hpp"

namespace Tessera::Impl::Test {

/// Rows of dense blocks (BcsrView.hpp) on the host. slots: the entry at each place, or -1 for
/// none.
struct HostBcsr {
  BlockShape block;
  std::vector<Offset> block_offsets{0}, slots;
  std::vector<int> block_columns;
  std::vector<std::uint64_t> block_masks;

  /// Calls visit(name, array) for each array of the pattern.
  template <class Visit>
  void for_each_array(const Visit& visit) const {
    visit("block_offsets", block_offsets);
    visit("block_columns", block_columns);
    visit("block_masks", block_masks);
  }
};

/// Adds the blocks of a window. places: -1 for each column of blocks, before and after the call.
template <class From>
void add_bcsr_window(const HostPattern<From>& A, int window, std::vector<std::ptrdiff_t>& places, HostBcsr& B) {
  const int height = B.block.height, width = B.block.width, words = B.block.mask_words();
  const int first = window * height, last = std::min(A.rows, first + height);
  const std::size_t first_block = B.block_columns.size();
  for (From k = A.row_offsets[first]; k < A.row_offsets[last]; ++k) {
    std::ptrdiff_t& place = places[A.column_indices[k] / width];
    if (place < 0) B.block_columns.push_back(A.column_indices[k] / width);
    place = 0;
  }
  std::sort(B.block_columns.begin() + static_cast<std::ptrdiff_t>(first_block), B.block_columns.end());
  const std::size_t blocks = B.block_columns.size();
  for (std::size_t b = first_block; b < blocks; ++b) places[B.block_columns[b]] = static_cast<std::ptrdiff_t>(b);

  B.block_masks.resize(blocks * words, 0);
  B.slots.resize(blocks * B.block.size(), static_cast<Offset>(-1));
  for (int row = first; row < last; ++row) {
    for (From k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      const auto block = static_cast<std::size_t>(places[A.column_indices[k] / width]);
      const int bit = (row - first) * width + A.column_indices[k] % width;
      B.block_masks[block * words + bit / 64] |= std::uint64_t(1) << bit % 64;
      B.slots[block * B.block.size() + bit] = static_cast<Offset>(k);
    }
  }
  for (std::size_t b = first_block; b < blocks; ++b) places[B.block_columns[b]] = -1;
  B.block_offsets.push_back(static_cast<Offset>(blocks));
}

/// Builds BCSR serially, window by window and entry by entry. Cost: a sort of each window's columns of blocks.
template <class From>
HostBcsr serial_bcsr(const HostPattern<From>& A, BlockShape block) {
  HostBcsr B;
  B.block = block;
  std::vector<std::ptrdiff_t> places(A.columns / block.width + 1, -1);
  for (int window = 0; window < block.windows(A.rows); ++window) add_bcsr_window(A, window, places, B);
  return B;
}

}  // namespace Tessera::Impl::Test
