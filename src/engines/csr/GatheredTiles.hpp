// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

#include "csr/TileSpan.hpp"

namespace Tessera::Impl {

/// Whether compressed rows without long rows are multiplied by few columns in tiles, for which rows of X are gathered
/// in shared memory (Cuda::CsrGatheredTile). It pays while all tiles run at the same time. Then a product takes no
/// longer than a tile, and otherwise threads that add as they load are faster, as measured on an H200.
///
/// \param row_bytes       [in] bytes of a row of X
/// \param matrix_bytes    [in] bytes of a value
/// \param multiprocessors [in] of the GPU
/// \param shared_bytes    [in] upper bound on the shared memory of a thread block
inline bool csr_gathers_tiles(double rows, double nonzeros, double longest_row, double row_bytes, double matrix_bytes,
                              double multiprocessors, double shared_bytes) {
  constexpr double most_blocks = 8, reserved_bytes = 1024;  // of a multiprocessor; of a block
  constexpr double filled = 0.9;                            // most tiles, as a share of the blocks that fit
  const double bytes = (csr_tile_span + longest_row) * (row_bytes + matrix_bytes) + reserved_bytes;
  const double blocks = std::min(most_blocks, std::floor(shared_bytes / bytes));
  return (nonzeros + rows / 2) / csr_tile_span <= filled * multiprocessors * blocks;
}

}  // namespace Tessera::Impl
