// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <tessera/common/BcsrView.hpp>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Bench {

/// A matrix in rows of dense blocks (tessera/common/BcsrView.hpp), on the host.
struct HostBcsr {
  BlockShape block;
  std::vector<int> block_offsets = {0}, block_columns;
  std::vector<std::uint64_t> block_masks;
  std::vector<double> values;
};

namespace Impl {

/// Adds the blocks of a window. places: -1 for each column of blocks, as it is again afterwards.
inline void add_blocks(const HostMatrix& A, int window, std::vector<int>& places, HostBcsr& B) {
  const int height = B.block.height, width = B.block.width, words = B.block.mask_words();
  const int first = window * height, last = std::min(A.rows, first + height);
  const std::size_t first_block = B.block_columns.size();
  for (int k = A.row_offsets[first]; k < A.row_offsets[last]; ++k) {
    int& place = places[A.column_indices[k] / width];
    if (place < 0) B.block_columns.push_back(A.column_indices[k] / width);
    place = 0;
  }
  std::sort(B.block_columns.begin() + static_cast<std::ptrdiff_t>(first_block), B.block_columns.end());
  const std::size_t blocks = B.block_columns.size();
  for (std::size_t b = first_block; b < blocks; ++b) places[B.block_columns[b]] = static_cast<int>(b);

  B.block_masks.resize(blocks * words, 0);
  B.values.resize(blocks * B.block.size(), 0);
  for (int row = first; row < last; ++row) {
    for (int k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      const auto block = static_cast<std::size_t>(places[A.column_indices[k] / width]);
      const int bit = (row - first) * width + A.column_indices[k] % width;
      B.block_masks[block * words + bit / 64] |= std::uint64_t(1) << bit % 64;
      B.values[block * B.block.size() + bit] = A.values[k];
    }
  }
  for (std::size_t b = first_block; b < blocks; ++b) places[B.block_columns[b]] = -1;
  B.block_offsets.push_back(static_cast<int>(blocks));
}

}  // namespace Impl

/// Cost: a sort of each window's columns of blocks.
inline HostBcsr build_bcsr(const HostMatrix& A, BlockShape block) {
  HostBcsr B;
  B.block = block;
  std::vector<int> places(A.columns / block.width + 1, -1);
  for (int window = 0; window < block.windows(A.rows); ++window) Impl::add_blocks(A, window, places, B);
  return B;
}

}  // namespace Tessera::Bench
