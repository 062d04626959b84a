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

/// Adds the blocks of a window.
inline void add_blocks(const HostMatrix& A, int window, HostBcsr& B) {
  const int height = B.block.height, width = B.block.width;
  const int first = window * height, last = std::min(A.rows, first + height);
  std::vector<int> columns;
  for (int k = A.row_offsets[first]; k < A.row_offsets[last]; ++k) columns.push_back(A.column_indices[k] / width);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());

  const std::size_t first_block = B.block_columns.size();
  B.block_columns.insert(B.block_columns.end(), columns.begin(), columns.end());
  B.block_masks.resize(B.block_columns.size() * B.block.mask_words(), 0);
  B.values.resize(B.block_columns.size() * B.block.size(), 0);
  for (int row = first; row < last; ++row) {
    for (int k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      const int column = A.column_indices[k];
      const auto found = std::lower_bound(columns.begin(), columns.end(), column / width) - columns.begin();
      const std::size_t block = first_block + static_cast<std::size_t>(found);
      const int bit = (row - first) * width + column % width;
      B.block_masks[block * B.block.mask_words() + bit / 64] |= std::uint64_t(1) << bit % 64;
      B.values[block * B.block.size() + bit] = A.values[k];
    }
  }
  B.block_offsets.push_back(static_cast<int>(B.block_columns.size()));
}

}  // namespace Impl

/// Cost: a sort of each window's columns.
inline HostBcsr build_bcsr(const HostMatrix& A, BlockShape block) {
  HostBcsr B;
  B.block = block;
  for (int window = 0; window < block.windows(A.rows); ++window) Impl::add_blocks(A, window, B);
  return B;
}

}  // namespace Tessera::Bench
