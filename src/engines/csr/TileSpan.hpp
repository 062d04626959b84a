// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl {

/// Positions of a tile of compressed rows (Cuda::CsrTile). Entry k of row i has position k + i / 2.
inline constexpr int csr_tile_span = 896;
/// Most entries of a row that a single tile has. If a row is longer, a second kernel adds the tiles of such rows. Then
/// rows of more than csr_cut_row entries are cut, too: a product waits for its longest tile. Measured on an H200.
inline constexpr int csr_tile_row = 8192, csr_cut_row = 2048;

}  // namespace Tessera::Impl
