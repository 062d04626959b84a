// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "cost/DefaultCost.hpp"
#include "csr/CsrEngine.hpp"

namespace Tessera::Impl {
template <class MemorySpace>
struct CompactRows;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaCompactRows;

struct CompactRowsCost : DefaultCost {
  /// Bytes of the pattern and the values.
  static double bytes(const MatrixStatistics& m) {
    return (m.rows + 1) * m.offset_bytes + m.nonzeros * (2 + m.matrix_bytes) + 4 * std::ceil(m.nonzeros / 64) +
           128 * m.wide_blocks;
  }

  /// Whether a single column is multiplied without tiles.
  static bool is_alone(const MatrixStatistics& m) {
    return m.vector_columns == 1 && column_kernel(m) == CsrColumnKernel::Kind::Rows;
  }
  /// Whether rows of X are short, and values and rows of A such that products read little else than A.
  static bool is_narrow(const MatrixStatistics& m, const GpuModel& gpu) {
    return m.matrix_bytes <= 4 && m.vector_columns > 1 && !m.layout_left && row_bytes(m) <= gpu.compact_narrow_bytes &&
           m.nonzeros >= gpu.compact_long_row * m.rows;
  }

  static std::optional<FormatSize> on_gpus(const MatrixStatistics& m, const GpuModel& gpu) {
    if (!gpu.has_compact_rows || !(is_alone(m) || is_narrow(m, gpu))) return std::nullopt;
    return FormatSize{Format::CompactRows, 0, bytes(m)};
  }
  static double host_decoding(const MatrixStatistics& m, const FormatSize&, const MachineModel& machine) {
    return m.nonzeros / machine.decoded_entries;
  }
  /// Predicts the seconds of the kernels for compressed rows, which read fewer bytes here. Products that read much
  /// else, and tiles, which are limited by instructions, are no faster.
  static std::optional<double> gpu_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    if (!gpu.has_compact_rows) return std::nullopt;
    if (is_alone(m)) return gpu.compact_start_s + csr_column_seconds(m, size.bytes, gpu);
    const double ratio = is_narrow(m, gpu) ? gpu.compact_narrow_ratio : gpu.compact_columns_ratio;
    return ratio * csr_seconds_by_layout(m, CsrCost::bytes(m), gpu);
  }
  static double portable_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
    return walked_seconds(m, size, {}, gpu);
  }
};

/// The engine of compressed rows whose columns have 16 bits.
struct CompactRowsEngine : EngineKind<Format::CompactRows, CompactRows, CudaCompactRows>, CompactRowsCost {
  static constexpr bool keeps_rows = true;
};

}  // namespace Tessera::Impl
