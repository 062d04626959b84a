// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/metrics/Imbalance.hpp>
#include <tessera/metrics/TileMetrics.hpp>

namespace Tessera::Impl {

/// Returns the first tile of each window, and the end. They are stored in the format, or counted here.
template <class ExecutionSpace, class Format>
auto tile_counts_of(const ExecutionSpace& exec, const Format& format) {
  if constexpr (requires { format.tile_counts(); }) {
    return format.tile_counts();
  } else {
    return tile_counts(exec, format);
  }
}

/// Returns the metrics of a format's tiles. Cost: a pass over the offsets of the windows; waits for `exec`.
template <class ExecutionSpace, class Format>
TileMetrics tile_metrics(const ExecutionSpace& exec, const Format& format) {
  TileMetrics result;
  result.tiles = format.tiles();
  result.tiled_nonzeros = format.tiled_nonzeros();
  if (result.tiles == 0) return result;
  const auto nonzeros = static_cast<double>(result.tiled_nonzeros);
  result.mean_nonzeros = nonzeros / static_cast<double>(result.tiles);
  result.fill = nonzeros / static_cast<double>(format.tile_elements());
  const auto offsets = Impl::tile_counts_of(exec, format);
  if (offsets.extent(0) > 0) result.imbalance = imbalance(exec, offsets);
  return result;
}

}  // namespace Tessera::Impl
