// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "cost/DefaultCost.hpp"

namespace Tessera {
template <class MemorySpace>
struct RowGroups;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaRowGroups;

/// The columns of the longest group, if groups have as many times the entries of a row as they have on average.
inline double longest_group_columns(const MatrixStatistics& m) {
  if (m.row_groups == 0) return m.longest_row;
  return m.longest_row * std::max(1.0, m.group_columns / m.row_groups * m.rows / m.nonzeros);
}

/// The columns of all groups fetch rows of X from caches, while A, Y and what windows fetch for the first time move
/// through memory. Where X has 16 bits, it is fetched in half the time and multiplied in as many instructions.
inline double row_groups_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double multiplied = gpu.group_value * m.group_values * m.vector_columns;
  const double fetched = size.tiles * (row_bytes(m) + gpu.group_column_bytes) / gpu.group_gathers + multiplied;
  const double moved = window_seconds(m, size.tiles, panel_row_bytes(m, gpu), gpu) +
                       gpu.group_stream * (size.bytes + y_bytes(m, gpu)) / gpu.streamed;
  const double work = std::max(fetched, moved) + gpu.group_overlap * std::min(fetched, moved);
  GpuModel::Chain chain = gpu.groups;
  if (row_bytes(m) <= gpu.thin_row) chain.step *= gpu.thin_group_step;
  GpuModel native = gpu;  // whose kernels read X where it is, whatever tiles do
  native.copied_columns = 0;
  const double growth = std::clamp(size.tiles * row_bytes(m) / gpu.short_group_pieces, 0.25, 1.0);
  return copy_seconds(m, true, native) + seconds_of(chain, work, longest_group_columns(m), growth, m, gpu);
}

struct RowGroupsCost : DefaultCost {
  /// Bytes of pattern and values.
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
  /// A row looks at the columns of its group, most of which are its own.
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    return walked_seconds(m, size, {}, gpu);
  }
};

/// Compressed rows in groups of adjacent rows that share their columns.
struct RowGroupsEngine : EngineKind<Format::RowGroups, RowGroups, CudaRowGroups, CudaFor::AllMatrices>,
                         RowGroupsCost {};

}  // namespace Tessera::Impl
