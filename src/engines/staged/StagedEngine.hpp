// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "cost/DefaultCost.hpp"
#include "cost/TileCost.hpp"

namespace Tessera::Impl {
template <class MemorySpace>
struct StagedWindows;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaStaged;

/// Returns the bytes that building staged windows takes. An entry takes 8 in A and in the map of values. A distinct
/// column of a window takes 16 in lists of columns. A chunk takes 1000: it has 64 columns, or about as many entries as
/// values that fit.
inline double staging_bytes(const MatrixStatistics& m, const GpuModel& gpu) {
  const double chunks = m.window64_columns / gpu.chunk_columns + m.nonzeros / gpu.chunk_values;
  return 8 * m.nonzeros + 16 * m.window64_columns + 1000 * chunks;
}

/// Whether staged windows have a kernel, memory to build them, and statistics of their columns.
inline bool can_stage(const MatrixStatistics& m, const GpuModel& gpu) {
  return gpu.staged_chunk_s > 0 && m.window64_columns > 0 && staging_bytes(m, gpu) <= gpu.free_bytes;
}

/// Predicts seconds. Strips of staged windows have about as many tiles as BitTCF, and compact values. The last chunk of
/// a window is half full on average. A chunk costs the longer of two times: to stage it, and to multiply the tiles of
/// the previous one. Graphs have 8 tiles in a chunk, dense rows 28 to 39. Pieces have 8 to 64 chunks. The model makes
/// them longer if a block has more work, which is roughly what choose_staged() does.
inline double staged_seconds(const MatrixStatistics& m, const GpuModel& gpu) {
  const double windows = std::ceil(m.rows / 64);
  const double chunks = std::max(m.window64_columns / gpu.chunk_columns + windows / 2, m.nonzeros / gpu.chunk_values);
  const double slabs = std::ceil(m.vector_columns / tile_columns);
  const double rounds = chunks / gpu.staged_blocks * slabs;
  const double longest =
      std::ceil(std::max(m.window64_most_columns / gpu.chunk_columns, m.window64_most_entries / gpu.chunk_values));
  const double a_and_y = (m.nonzeros * m.matrix_bytes + 48 * m.bittcf_tiles + y_bytes(m, gpu)) / gpu.streamed;
  const double moved = a_and_y + window_seconds(m, m.window64_columns, row_bytes(m), gpu),
               chunked = std::max(gpu.staged_chunk_s * rounds,
                                  gpu.staged_tile_s * m.bittcf_tiles / gpu.staged_blocks * slabs);
  const double work = std::max(moved, chunked) + gpu.staged_overlap * std::min(moved, chunked);
  return copy_seconds(m, true, gpu) + seconds_of(gpu.staged, work, longest, std::clamp(rounds / 16, 1.0, 8.0), m, gpu);
}

struct StagedCost : DefaultCost {
  /// Returns the bytes. Strips have about as many tiles as BitTCF. Each chunk lists the columns of its slots.
  static double bytes(const MatrixStatistics& m) {
    return (4 + 8.0 / 64) * m.window64_columns + 32 * m.bittcf_tiles + m.nonzeros * m.matrix_bytes;
  }

  static std::optional<FormatSize> on_gpus(const MatrixStatistics& m, const GpuModel& gpu) {
    if (!(gpu.tile_s > 0 && can_stage(m, gpu))) return std::nullopt;
    return FormatSize{Format::Staged, m.bittcf_tiles, bytes(m)};
  }
  /// Returns the same time as for BitTCF.
  static double host_decoding(const MatrixStatistics&, const FormatSize& size, const MachineModel& machine) {
    return size.tiles * 8 / machine.tile_rows;
  }
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize&, const GpuModel& gpu) {
    if (!can_stage(m, gpu)) return std::nullopt;
    return staged_seconds(m, gpu);
  }
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    return walked_seconds(m, size, {8 * size.tiles, m.window8_most_tiles}, gpu);
  }
};

/// Windows of 64 rows. The rows of X that a window needs are staged in shared memory.
struct StagedEngine : EngineKind<Format::Staged, StagedWindows, CudaStaged>, StagedCost {};

}  // namespace Tessera::Impl
