// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>

namespace Tessera {

/// How well the tiles of a format are filled; all 0 for a format without tiles.
struct TileMetrics {
  std::size_t tiles = 0;            ///< number of tiles
  std::size_t tiled_nonzeros = 0;   ///< nonzeros that lie in tiles; a format may keep others outside
  double mean_nonzeros = 0;         ///< nonzeros of a tile on average
  double fill = 0;                  ///< the share of the tiles' elements that are nonzeros
  std::optional<double> imbalance;  ///< imbalance() of the tiles over the windows; none without windows
};

}  // namespace Tessera
