// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>

namespace Tessera {

/// What the tiles of a format are worth; all 0 for a format without tiles. Plain data.
struct TileMetrics {
  std::size_t tiles = 0;
  std::size_t tiled_nonzeros = 0;   ///< those that lie in tiles: a format may keep the rest otherwise
  double mean_nonzeros = 0;         ///< of a tile
  double fill = 0;                  ///< the share of the tiles' elements that are nonzeros
  std::optional<double> imbalance;  ///< of the windows' numbers of tiles (IBD, see imbalance()); none without windows
};

}  // namespace Tessera
