// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "condensed/CondensedNames.hpp"
#include "cost/DefaultCost.hpp"
#include "cost/TileCost.hpp"

namespace Tessera::Impl {

template <class Scalar>
class CudaCondensed;

inline double bittcf_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const Tiles tiles = tiles_of(size.tiles, m.rows / 8, gpu.tile_alone * gpu.tile_s, gpu.tile_s);
  const double place_bytes = gpu.rounded_bytes > 0 ? gpu.rounded_bytes : m.matrix_bytes;
  const double work = tile_work(m, tiles, bytes_of_whole(m, size, 64, place_bytes), gpu);
  return copy_seconds(m, m.vector_bytes == 2, gpu) +
         seconds_of(gpu.tiles, work, m.window8_most_tiles, std::clamp(size.tiles / gpu.cut_tiles, 1.0, 2.0), m, gpu);
}

struct BitTcfCost : DefaultCost {
  /// Returns the bytes of the pattern and the values.
  static double bytes(const MatrixStatistics& m) {
    return (std::ceil(m.rows / 8) + m.bittcf_tiles + 2) * m.offset_bytes + m.bittcf_tiles * (8 * 4 + 8) +
           m.nonzeros * m.matrix_bytes;
  }

  static std::optional<FormatSize> on_hosts(const MatrixStatistics& m) {
    return FormatSize{Format::BitTcf, m.bittcf_tiles, bytes(m)};
  }
  static std::optional<FormatSize> on_gpus(const MatrixStatistics& m, const GpuModel&) {
    return FormatSize{Format::BitTcf, m.bittcf_tiles, bytes(m)};
  }
  /// Returns the time of testing 8 rows per tile for entries. In tiles with few entries, most rows are empty.
  static double host_decoding(const MatrixStatistics&, const FormatSize& size, const MachineModel& machine) {
    return size.tiles * 8 / machine.tile_rows;
  }
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    if (!(gpu.tile_s > 0)) return std::nullopt;
    return bittcf_seconds(m, size, gpu);
  }
  /// Predicts seconds. Each of the 8 rows of a window visits all tiles of the window.
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    return walked_seconds(m, size, {8 * size.tiles, m.window8_most_tiles}, gpu);
  }
};

/// BitTCF, multiplied on GPUs as condensed windows of 8 rows on tensor cores.
struct BitTcfEngine : EngineKind<Format::BitTcf, BitTcf, CudaCondensed>, BitTcfCost {};

}  // namespace Tessera::Impl
