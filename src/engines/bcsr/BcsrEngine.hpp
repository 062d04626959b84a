// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "cost/DefaultCost.hpp"
#include "cost/TileCost.hpp"

namespace Tessera::Impl {
template <class MemorySpace>
struct Bcsr;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaBcsr;

/// The side of the blocks that warpgroups multiply (warpgroup/Spmm.hpp).
inline constexpr double warpgroup_block = 64;

/// Predicts seconds for blocks of 64 x 64. A thread block multiplies the blocks of two rows of blocks by a slab of
/// columns, column of blocks by column of blocks. Each multiprocessor has one, so they run in rounds; a last round that
/// is not full counts as full if rounds are few.
///
/// NOTE: no statistic counts these steps. In bands there are 0.555 of the blocks, in full matrices half.
inline double warpgroup_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  constexpr double narrow = 128, copied = 256;  // columns of a narrow slab, and of a panel that is copied
  const bool is_wide = m.vector_columns > narrow;
  const double slab = is_wide ? gpu.warpgroup_slab : narrow, slabs = std::ceil(m.vector_columns / slab);
  const double panels = std::ceil(m.rows / (2 * warpgroup_block)), steps = 0.55 * size.tiles;
  const double pieces = std::max(1.0, std::floor(H200::multiprocessors / panels));
  const double rounds = panels * pieces * slabs / H200::multiprocessors;
  const double task_steps = std::max(steps / (panels * pieces), m.window64_most_columns / warpgroup_block / pieces);
  const double task =
      task_steps * (is_wide ? gpu.warpgroup_wide_s : gpu.warpgroup_narrow_s) + gpu.warpgroup_task_s * slab / narrow;
  const double sums = pieces > 1 ? gpu.sums_s + 2 * pieces * y_bytes(m, gpu) / gpu.streamed : 0;
  return copy_seconds(m, true, gpu, copied) + gpu.warpgroup_launch_s + sums +
         (rounds < 4 ? std::ceil(rounds) : rounds) * task;
}

/// Predicts seconds. Blocks of 16 x 16 are multiplied with values that the plan stores in 16 bits.
///
/// NOTE: no statistic counts the longest row of blocks. It is estimated from the longest window of 8 rows.
inline double bcsr_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (m.bcsr_block_rows == warpgroup_block) return warpgroup_seconds(m, size, gpu);
  const double places = m.bcsr_block_rows * m.bcsr_block_columns, block = gpu.block * gpu.tile_s * places / 64;
  const double saved = places == 256 ? m.matrix_bytes - 2 : 0;
  const double longest = m.window8_most_tiles * 8 / std::max(m.bcsr_block_columns, 1.0);
  const Tiles blocks = tiles_of(size.tiles, m.rows / m.bcsr_block_rows, gpu.tile_alone * block, block);
  return copy_seconds(m, true, gpu) + seconds_of(gpu.blocks,
                                                 tile_work(m, blocks, size.bytes - saved * places * size.tiles, gpu),
                                                 longest, 1, m, gpu);
}

/// Whether a kernel exists for this block shape, and its data fits into memory.
inline bool has_blocks(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (gpu.block == 0) return false;
  const auto is_block = [&](double rows, double columns) {
    return m.bcsr_block_rows == rows && m.bcsr_block_columns == columns;
  };
  if (is_block(16, 16)) return gpu.has_square_blocks && 2 * 256 * size.tiles <= gpu.free_bytes;
  if (is_block(warpgroup_block, warpgroup_block)) {
    const double places = warpgroup_block * warpgroup_block * size.tiles;
    return gpu.warpgroup_narrow_s > 0 && places * gpu.warpgroup_value_bytes <= gpu.free_bytes;
  }
  return is_block(16, 8) || is_block(8, 8) || (is_block(8, 4) && gpu.has_narrow_blocks);
}

struct BcsrCost : DefaultCost {
  /// Returns the bytes of pattern and values.
  static double bytes(const MatrixStatistics& m) {
    const double places = m.bcsr_block_rows * m.bcsr_block_columns;
    return (std::ceil(m.rows / m.bcsr_block_rows) + 1) * m.offset_bytes +
           m.bcsr_blocks * (4 + 8 * std::ceil(places / 64) + places * m.matrix_bytes);
  }

  static std::optional<FormatSize> on_gpus(const MatrixStatistics& m, const GpuModel& gpu) {
    if (!(gpu.tile_s > 0 && gpu.block > 0 && m.bcsr_blocks > 0)) return std::nullopt;
    return FormatSize{Format::Bcsr, m.bcsr_blocks, bytes(m)};
  }
  /// Returns the same time as for BitTCF. Where it matters, blocks are far from full and have 8 rows by default.
  static double host_decoding(const MatrixStatistics&, const FormatSize& size, const MachineModel& machine) {
    return size.tiles * 8 / machine.tile_rows;
  }
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    if (!(has_blocks(m, size, gpu))) return std::nullopt;
    return bcsr_seconds(m, size, gpu);
  }
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    return walked_seconds(
        m, size,
        {std::max(m.bcsr_block_rows, 1.0) * size.tiles, m.window8_most_tiles * 8 / std::max(m.bcsr_block_columns, 1.0)},
        gpu);
  }
};

/// BCSR: compressed rows of dense blocks, as in SMaT.
struct BcsrEngine : EngineKind<Format::Bcsr, Bcsr, CudaBcsr>, BcsrCost {
  static constexpr bool has_adjacent_columns = true;
};

}  // namespace Tessera::Impl
