// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "cost/DefaultCost.hpp"
#include "cost/TileCost.hpp"

namespace Tessera::Impl {
template <class MemorySpace>
struct Brp;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaBrp;

/// Predicts seconds. An X with fewer than 32 columns takes as long as one with 32.
inline double partition_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double seconds = gpu.partition * gpu.tile_s * std::max(1.0, tile_columns / m.vector_columns);
  const Tiles tiles = tiles_of(m.nonzeros / 64, 0, 0, seconds);
  const double work = tile_work(m, tiles, size.bytes, gpu);
  const double copy = m.layout_left ? copy_seconds(m, false, gpu) : 0;
  return copy + seconds_of(gpu.tall_tiles, work, m.window16_most_tiles, 1, m, gpu);
}

struct BrpCost : DefaultCost {
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    if (!(gpu.partition > 0)) return std::nullopt;
    return partition_seconds(m, size, gpu);
  }
};

/// The block-row partition, as in BRP-SpMM.
struct BrpEngine : EngineKind<Format::Brp, Brp, CudaBrp>, BrpCost {};

}  // namespace Tessera::Impl
