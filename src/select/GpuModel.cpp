// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/select/GpuModel.hpp>

#include "Candidates.hpp"

namespace Tessera {

namespace {

/// Fetching the rows of X.
double x_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double row_bytes = m.vector_columns * m.vector_bytes;
  const double rate = gather_rate(gpu.gathers, m.columns * row_bytes);
  if (size.format == Format::BitTcf && gpu.has_tile_kernels) return 8 * size.tiles * row_bytes / rate;
  if (size.format != Format::Csr) return m.nonzeros * row_bytes / gpu.portable_entries;
  const double far = m.near_columns > 0 ? m.near_columns : m.nonzeros;
  return far * row_bytes / rate + (m.nonzeros - far) * row_bytes / gpu.near_gathers;
}

/// Bytes of A that a product reads: those of the format, but whole tiles in place of compact values.
double matrix_bytes(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (size.format != Format::BitTcf || !gpu.has_tile_kernels) return size.bytes;
  return size.bytes + (64 * size.tiles - m.nonzeros) * m.matrix_bytes;
}

}  // namespace

Candidate predict(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double y_bytes = m.rows * m.vector_columns * m.vector_bytes * (m.is_reordered ? gpu.scattered_rows : 1);
  const double seconds = gpu.launch + x_seconds(m, size, gpu) + (matrix_bytes(m, size, gpu) + y_bytes) / gpu.streamed;
  return {size.format, size.tiles, size.bytes, seconds};
}

Choice choose_format(const MatrixStatistics& m, const GpuModel& gpu) {
  return Impl::least_of(predict(m, {Format::Csr, 0, Impl::csr_bytes(m)}, gpu),
                        predict(m, {Format::BitTcf, m.bittcf_tiles, Impl::bittcf_bytes(m)}, gpu));
}

}  // namespace Tessera
