// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "GpuCost.hpp"

namespace Tessera::Impl {

/// Number of tiles that all rows search, and that the longest row searches, counted in tiles of BitTCF.
struct Walk {
  double tiles = 0, longest = 0;
};

/// Returns the seconds of a product in portable code, where rows search tiles.
inline double walked_seconds(const MatrixStatistics& m, const FormatSize& size, const Walk& walk, const GpuModel& gpu) {
  const double looked = m.vector_columns * (gpu.walked_tile_s * walk.tiles + gpu.walked_entry_s * m.nonzeros);
  const double work =
      std::max(looked, m.nonzeros * row_bytes(m) / gpu.walked_rate) + (size.bytes + y_bytes(m, gpu)) / gpu.streamed;
  return seconds_of(gpu.walks, work, walk.longest + gpu.entry_step * m.longest_row, 1, m, gpu);
}

/// The default cost of an engine: no plan chooses the engine, and its entries must be searched for. Engines derive from
/// this struct and override members. All results are predicted from the statistics of a matrix.
struct DefaultCost {
  /// Returns the size with which hosts consider the engine; nothing if they do not.
  static std::optional<FormatSize> on_hosts(const MatrixStatistics&) { return std::nullopt; }
  /// Returns the size with which GPUs consider the engine; nothing if they do not.
  static std::optional<FormatSize> on_gpus(const MatrixStatistics&, const GpuModel&) { return std::nullopt; }

  /// Returns the seconds in which a host finds the entries, in addition to reading them: it counts, then places them.
  static double host_decoding(const MatrixStatistics& m, const FormatSize&, const MachineModel& machine) {
    return 2 * m.nonzeros / machine.decoded_entries;
  }
  /// Returns the seconds of the engine's kernel for GPUs; nothing if it has none.
  static std::optional<double> gpu_seconds(const MatrixStatistics&, const FormatSize&, const GpuModel&) {
    return std::nullopt;
  }
  /// Returns the seconds of portable code on a GPU. A row checks all entries of its window; 16 entries count as a tile.
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    const Walk walk{m.nonzeros, std::max(m.longest_row, m.window64_most_entries / 4) / 16};
    return walked_seconds(m, size, walk, gpu);
  }
};

}  // namespace Tessera::Impl
