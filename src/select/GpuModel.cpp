// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <tessera/select/GpuModel.hpp>
#include <utility>
#include <vector>

#include "Candidates.hpp"

namespace Tessera {

namespace {

constexpr double tile_columns = 32;  // of X, that seconds a tile are for

double row_bytes(const MatrixStatistics& m) { return m.vector_columns * m.vector_bytes; }

double y_bytes(const MatrixStatistics& m, const GpuModel& gpu) {
  return m.rows * row_bytes(m) * (m.is_reordered ? gpu.scattered_rows : 1);
}

double fetch_seconds(const MatrixStatistics& m, double rows_of_x, const GpuModel& gpu) {
  return rows_of_x * row_bytes(m) / gather_rate(gpu.gathers, m.columns * row_bytes(m));
}

/// Fetching what the windows of 128 rows need; all of it, where nothing was counted.
double window_seconds(const MatrixStatistics& m, const GpuModel& gpu) {
  return fetch_seconds(m, m.window_columns > 0 ? m.window_columns : m.nonzeros, gpu);
}

double csr_seconds(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  const bool shares = m.near_columns > 0 && m.nonzeros >= gpu.short_row * m.rows;
  if (!shares) {
    const double seconds = fetch_seconds(m, m.nonzeros, gpu) + (bytes + y_bytes(m, gpu)) / gpu.streamed;
    return m.nonzeros < gpu.short_row * m.rows && m.vector_bytes >= 8 ? gpu.wide_short_row * seconds : seconds;
  }
  const double first = m.near_columns;
  const double cached = first / gpu.first_gathers + (m.nonzeros - first) / gpu.near_gathers;
  return std::max(window_seconds(m, gpu), cached * row_bytes(m)) + (bytes + y_bytes(m, gpu)) / gpu.streamed;
}

double portable_seconds(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  return m.nonzeros * row_bytes(m) / gpu.portable_entries + (bytes + y_bytes(m, gpu)) / gpu.streamed;
}

/// Tiles of 8 rows; of taller ones, as many as cost the same. size.bytes: with compact values.
double tiled_seconds(const MatrixStatistics& m, double tiles, double bytes, const GpuModel& gpu) {
  const double a_and_y = (bytes + (64 * tiles - m.nonzeros) * m.matrix_bytes + y_bytes(m, gpu)) / gpu.streamed;
  const double x_once = m.columns * row_bytes(m) / gpu.streamed;
  return a_and_y + std::max(x_once + gpu.tile * tiles * m.vector_columns / tile_columns,
                            window_seconds(m, gpu) / gpu.tile_gathers);
}

/// Strips of staged windows have about the tiles of BitTCF, and store compact values.
double staged_seconds(const MatrixStatistics& m, const GpuModel& gpu) {
  if (gpu.staged_chunk == 0 || m.staged_columns == 0 || m.nonzeros > gpu.staged_entries)
    return std::numeric_limits<double>::infinity();
  const double windows = std::ceil(m.rows / 64);
  const double chunks_of_window =
      std::ceil(std::max(m.staged_columns / windows / gpu.chunk_columns, m.nonzeros / windows / gpu.chunk_values));
  const double chunks = chunks_of_window * windows / gpu.staged_blocks * std::ceil(m.vector_columns / tile_columns);
  const double a_and_y = (m.nonzeros * m.matrix_bytes + 48 * m.bittcf_tiles + y_bytes(m, gpu)) / gpu.streamed;
  return std::max(a_and_y + fetch_seconds(m, m.staged_columns, gpu),
                  gpu.staged_chunk * chunks + gpu.staged_tail * std::min(chunks_of_window, gpu.piece_chunks));
}

double format_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (size.format == Format::Csr) return csr_seconds(m, size.bytes, gpu);
  if (size.format == Format::BitTcf && gpu.tile > 0)
    return size.is_staged ? staged_seconds(m, gpu) : tiled_seconds(m, size.tiles, size.bytes, gpu);
  if (size.format == Format::Bmat && gpu.tile > 0 && 128 * size.tiles * m.matrix_bytes <= gpu.whole_tiles)
    return tiled_seconds(m, gpu.tall_tile * size.tiles, size.bytes, gpu);
  return portable_seconds(m, size.bytes, gpu);
}

}  // namespace

Candidate predict(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  return {size.format, size.is_staged, size.tiles, size.bytes, gpu.launch + format_seconds(m, size, gpu)};
}

Choice choose_format(const MatrixStatistics& m, const GpuModel& gpu) {
  const double bittcf_bytes = Impl::bittcf_bytes(m);
  std::vector<Candidate> candidates{predict(m, {Format::Csr, 0, Impl::csr_bytes(m)}, gpu),
                                    predict(m, {Format::BitTcf, m.bittcf_tiles, bittcf_bytes}, gpu)};
  const Candidate staged = predict(m, {Format::BitTcf, m.bittcf_tiles, bittcf_bytes, true}, gpu);
  if (gpu.tile > 0 && std::isfinite(staged.predicted_seconds)) candidates.push_back(staged);
  if (gpu.tile > 0 && m.bmat_tiles > 0)
    candidates.push_back(predict(m, {Format::Bmat, m.bmat_tiles, Impl::bmat_bytes(m)}, gpu));
  return Impl::ranked(m, std::move(candidates), GpuModel::version);
}

}  // namespace Tessera
