// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>

namespace Tessera::Impl {

/// The fill of a format's tiles. All 0 for a format without tiles.
struct TileMetrics {
  std::size_t tiles = 0;            ///< number of tiles
  std::size_t tiled_nonzeros = 0;   ///< nonzeros in tiles; a format may have other nonzeros outside
  double mean_nonzeros = 0;         ///< mean number of nonzeros of a tile
  double fill = 0;                  ///< fraction of the tiles' elements that are nonzeros
  std::optional<double> imbalance;  ///< imbalance() of the tiles over the windows; empty without windows
};

}  // namespace Tessera::Impl
