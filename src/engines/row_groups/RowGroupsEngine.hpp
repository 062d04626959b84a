// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "cost/DefaultCost.hpp"

namespace Tessera::Impl {
template <class MemorySpace>
struct RowGroups;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaRowGroups;

/// Estimates the columns of the longest group: longest row * mean columns of a group / mean entries of a row.
inline double longest_group_columns(const MatrixStatistics& m) {
  if (m.row_groups == 0) return m.longest_row;
  return m.longest_row * std::max(1.0, m.group_columns / m.row_groups * m.rows / m.nonzeros);
}

/// Predicts seconds. The columns of all groups gather rows of X from caches. Meanwhile A, Y and uncached rows of X move
/// through memory. A 16-bit X is gathered in half the time, but takes the same instructions.
inline double row_groups_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double multiplied = gpu.group_value_s * m.group_values * m.vector_columns;
  const double fetched = size.tiles * (row_bytes(m) + gpu.group_column_bytes) / gpu.group_gathers + multiplied;
  const double moved = window_seconds(m, size.tiles, panel_row_bytes(m, gpu), gpu) +
                       gpu.group_stream * (size.bytes + y_bytes(m, gpu)) / gpu.streamed;
  const double narrow = 1 + gpu.narrow_groups * std::max(0.0, std::log2(gpu.narrow_row_bytes / row_bytes(m)));
  const double work = narrow * (std::max(fetched, moved) + gpu.group_overlap * std::min(fetched, moved));
  GpuModel::Chain chain = gpu.groups;
  if (row_bytes(m) <= gpu.thin_row_bytes) chain.step_s *= gpu.thin_group_step;
  GpuModel native = gpu;  // kernels for row groups read X in place, even if those for tiles copy it
  native.copied_columns = 0;
  const double growth = std::clamp(size.tiles * row_bytes(m) / gpu.short_group_pieces_bytes, 0.25, 1.0);
  return copy_seconds(m, true, native) + seconds_of(chain, work, longest_group_columns(m), growth, m, gpu);
}

struct RowGroupsCost : DefaultCost {
  /// Returns the bytes of the pattern and the values.
  static double bytes(const MatrixStatistics& m) {
    return 4 * std::ceil(m.rows / 256) + m.row_groups * (4 + 2 * m.offset_bytes) + m.group_columns * (4 + 1) +
           m.group_values * m.matrix_bytes;
  }

  static std::optional<FormatSize> on_gpus(const MatrixStatistics& m, const GpuModel& gpu) {
    if (!(gpu.group_gathers > 0 && m.group_columns > 0)) return std::nullopt;
    return FormatSize{Format::RowGroups, m.group_columns, bytes(m)};
  }
  static double host_decoding(const MatrixStatistics&, const FormatSize&, const MachineModel&) { return 0; }
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    if (!(gpu.group_gathers > 0)) return std::nullopt;
    return row_groups_seconds(m, size, gpu);
  }
  /// Predicts seconds. A row checks the columns of its group; it has entries in most of them.
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    return walked_seconds(m, size, {}, gpu);
  }
};

/// The engine of compressed rows in groups of adjacent rows that share their columns.
struct RowGroupsEngine : EngineKind<Format::RowGroups, RowGroups, CudaRowGroups, CudaFor::AllMatrices>,
                         RowGroupsCost {};

}  // namespace Tessera::Impl
