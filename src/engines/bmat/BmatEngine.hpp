// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "condensed/CondensedNames.hpp"
#include "cost/DefaultCost.hpp"
#include "cost/TileCost.hpp"

namespace Tessera::Impl {

template <class Scalar>
class CudaCondensed;

inline double bmat_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const Tiles tiles = tiles_of(size.tiles, m.rows / 16, gpu.tile_alone * gpu.tile_s, gpu.tall_tile * gpu.tile_s);
  // The model was fitted with these bytes: 48 per tile in addition to its values, and two offsets per window.
  const double bytes = 2 * (std::ceil(m.rows / 16) + 1) * m.offset_bytes + (48 + 128 * m.matrix_bytes) * size.tiles;
  const double work = tile_work(m, tiles, bytes, gpu);
  return copy_seconds(m, m.vector_bytes == 2, gpu) + seconds_of(gpu.tall_tiles, work, m.window16_most_tiles,
                                                                std::clamp(size.tiles / gpu.cut_tiles, 1.0, 2.0), m,
                                                                gpu);
}

struct BmatCost : DefaultCost {
  /// Returns the bytes of the pattern and the values.
  static double bytes(const MatrixStatistics& m) {
    return (std::ceil(m.rows / 16) + m.bmat_tiles + 2) * m.offset_bytes + m.bmat_tiles * (8 * 4 + 16) +
           m.nonzeros * m.matrix_bytes;
  }

  static std::optional<FormatSize> on_gpus(const MatrixStatistics& m, const GpuModel& gpu) {
    if (!(gpu.tile_s > 0 && m.bmat_tiles > 0)) return std::nullopt;
    return FormatSize{Format::Bmat, m.bmat_tiles, bytes(m)};
  }
  static double host_decoding(const MatrixStatistics&, const FormatSize& size, const MachineModel& machine) {
    return size.tiles * 16 / machine.tile_rows;
  }
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    if (!(gpu.tile_s > 0 && 128 * m.matrix_bytes * size.tiles <= gpu.free_bytes)) return std::nullopt;
    return bmat_seconds(m, size, gpu);
  }
  /// Predicts seconds. A tile of BMat has twice as many words as a tile of BitTCF.
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    return walked_seconds(m, size, {2 * 16 * size.tiles, 2 * m.window16_most_tiles}, gpu);
  }
};

/// BMat, multiplied on GPUs as condensed windows of 16 rows on tensor cores.
struct BmatEngine : EngineKind<Format::Bmat, Bmat, CudaCondensed>, BmatCost {};

}  // namespace Tessera::Impl
