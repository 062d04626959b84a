// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl {

/// Positions of a tile of compressed rows (Cuda::CsrTile). Entry k of row i has position k + i / 2.
inline constexpr int csr_tile_span = 896;
/// Most entries of a row that a single tile has.
inline constexpr int csr_tile_row = 8192;

}  // namespace Tessera::Impl
