// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

#include "bcsr/BcsrView.hpp"

namespace Tessera::Impl::Cuda {

/// The side of the blocks that warpgroups multiply.
inline constexpr int square_side = 64;
/// Number of rows of blocks in a panel, whose blocks share rows of X.
inline constexpr int panel_blocks = 2;
/// Number of rows of a panel.
inline constexpr int panel_rows = panel_blocks * square_side;

/// The blocks of a panel in one column of blocks.
struct alignas(16) BlockStep {
  Ordinal column;            ///< the column, counted in blocks
  int blocks[panel_blocks];  ///< the places of the blocks. Missing blocks have the number of all blocks
  int reserved;              ///< zero
};

/// Calls visit(step) for each step of a panel, in ascending order of columns. Returns their number. Cost: O(blocks).
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION int for_each_step(const BcsrPattern& A, Ordinal panel, const Visit& visit) {
  static_assert(panel_blocks == 2);
  const Ordinal windows = A.windows(), above = panel * panel_blocks, below = above + 1;
  const int missing = static_cast<int>(A.block_offsets[windows]);
  Offset a = A.block_offsets[above], b = A.block_offsets[below];
  const Offset a_end = b, b_end = below < windows ? A.block_offsets[below + 1] : b;
  int steps = 0;
  for (; a < a_end || b < b_end; ++steps) {
    const bool has_a = a < a_end && (b == b_end || A.block_columns[a] <= A.block_columns[b]);
    const bool has_b = b < b_end && (a == a_end || A.block_columns[b] <= A.block_columns[a]);
    visit(BlockStep{A.block_columns[has_a ? a : b],
                    {has_a ? static_cast<int>(a) : missing, has_b ? static_cast<int>(b) : missing},
                    0});
    a += has_a ? 1 : 0;
    b += has_b ? 1 : 0;
  }
  return steps;
}

}  // namespace Tessera::Impl::Cuda
