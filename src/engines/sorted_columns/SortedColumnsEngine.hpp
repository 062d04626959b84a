// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "cost/DefaultCost.hpp"
#include "cost/HostCost.hpp"

namespace Tessera::Impl {
template <class MemorySpace>
struct SortedColumns;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaSortedColumns;

/// Predicts seconds. X is always copied.
inline double sorted_columns_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double x = m.nonzeros * (row_bytes(m) + gpu.entry_bytes) / gpu.sorted_rate;
  return gpu.rows.launch_s + gpu.copy_s + x +
         (size.bytes + y_bytes(m, gpu) + 2 * m.columns * row_bytes(m)) / gpu.streamed;
}

struct SortedColumnsCost : DefaultCost {
  /// Returns the seconds for loading and storing a row of Y for each entry.
  static double host_decoding(const MatrixStatistics& m, const FormatSize&, const MachineModel& machine) {
    return 2 * line_seconds(m, machine);
  }
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    if (!(gpu.sorted_rate > 0)) return std::nullopt;
    return sorted_columns_seconds(m, size, gpu);
  }
  static double portable_seconds(const MatrixStatistics& m, const FormatSize&, const GpuModel& gpu) {
    return gpu.walks.launch_s + gpu.team_entry_s * m.nonzeros * std::ceil(m.vector_columns / gpu.teams);
  }
};

/// The engine of sorted columns, the format of Swift.
struct SortedColumnsEngine : EngineKind<Format::SortedColumns, SortedColumns, CudaSortedColumns>, SortedColumnsCost {
  static constexpr bool orders_itself = true;
};

}  // namespace Tessera::Impl
