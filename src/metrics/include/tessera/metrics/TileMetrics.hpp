// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>

namespace Tessera::Impl {

/// The fill of a format's tiles; all 0 for a format without tiles.
struct TileMetrics {
  std::size_t tiles = 0;            ///< number of tiles
  std::size_t tiled_nonzeros = 0;   ///< nonzeros in tiles; a format may store others outside
  double mean_nonzeros = 0;         ///< nonzeros of a tile on average
  double fill = 0;                  ///< the share of the tiles' elements that are nonzeros
  std::optional<double> imbalance;  ///< imbalance() of the tiles over the windows; empty without windows
};

}  // namespace Tessera::Impl
