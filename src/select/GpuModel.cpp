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

/// The work of all, and the steps that one takes.
double seconds_of(const GpuModel::Chain& chain, double work, double steps, const MatrixStatistics& m,
                  const GpuModel& gpu) {
  const double alone = chain.step * std::min(steps, chain.longest) * std::max(1.0, m.vector_columns / chain.columns);
  return chain.launch + std::max(work, alone) + gpu.overlap * std::min(work, alone);
}

double csr_seconds(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  const double near = m.near_columns > 0 ? m.near_columns : m.nonzeros;
  const double cached = near / gpu.first_gathers + (m.nonzeros - near) / gpu.near_gathers;
  const double work = std::max(window_seconds(m, gpu), cached * row_bytes(m)) +
                      (bytes + y_bytes(m, gpu)) / gpu.streamed + gpu.row * m.rows * std::ceil(m.vector_columns / 64);
  const bool are_few = m.vector_columns > 4 && m.vector_columns <= 16;
  GpuModel::Chain chain = gpu.rows;
  if (are_few) chain.step *= gpu.few_columns;
  return seconds_of(chain, work, m.longest_row, m, gpu);
}

double portable_seconds(const MatrixStatistics& m, double bytes, const GpuModel& gpu) {
  return gpu.portable_launch + m.nonzeros * row_bytes(m) / gpu.portable_entries +
         (bytes + y_bytes(m, gpu)) / gpu.streamed;
}

/// The work of tiles.
///
/// \param bytes [in] of the format, with values as they are multiplied
/// \param tile  [in] seconds a tile and 32 columns of X
double tile_work(const MatrixStatistics& m, double tiles, double bytes, double tile, const GpuModel& gpu) {
  const double a_and_y = (bytes + y_bytes(m, gpu)) / gpu.streamed;
  const double x_once = m.columns * row_bytes(m) / gpu.streamed;
  const double slabs = std::max(1.0, m.vector_columns / tile_columns);
  return a_and_y + std::max(x_once + tile * tiles * slabs, window_seconds(m, gpu) / gpu.tile_gathers);
}

/// With whole tiles of so many places in place of compact values.
double bytes_of_whole(const MatrixStatistics& m, const FormatSize& size, double places) {
  return size.bytes + (places * size.tiles - m.nonzeros) * m.matrix_bytes;
}

double bittcf_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double work = tile_work(m, size.tiles, bytes_of_whole(m, size, 64), gpu.tile, gpu);
  return seconds_of(gpu.tiles, work, m.longest_window, m, gpu);
}

double bmat_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double work = tile_work(m, size.tiles, bytes_of_whole(m, size, 128), gpu.tall_tile * gpu.tile, gpu);
  return seconds_of(gpu.tall_tiles, work, m.longest_tall_window, m, gpu);
}

/// NOTE: the longest row of blocks was not counted; it has about the tiles of the longest window.
double bcsr_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  const double block = gpu.block * gpu.tile * m.bcsr_block_rows * m.bcsr_block_columns / 64;
  const double longest = m.longest_window * 8 / std::max(m.bcsr_block_columns, 1.0);
  return seconds_of(gpu.blocks, tile_work(m, size.tiles, size.bytes, block, gpu), longest, m, gpu);
}

/// Strips of staged windows have about the tiles of BitTCF, and store compact values. The last chunk of a window is
/// half full on average.
double staged_seconds(const MatrixStatistics& m, const GpuModel& gpu) {
  if (gpu.staged_chunk == 0 || m.staged_columns == 0 || m.nonzeros > gpu.staged_entries)
    return std::numeric_limits<double>::infinity();
  const double windows = std::ceil(m.rows / 64);
  const double chunks = std::max(m.staged_columns / gpu.chunk_columns + windows / 2, m.nonzeros / gpu.chunk_values);
  const double rounds = chunks / gpu.staged_blocks * std::ceil(m.vector_columns / tile_columns);
  const double a_and_y = (m.nonzeros * m.matrix_bytes + 48 * m.bittcf_tiles + y_bytes(m, gpu)) / gpu.streamed;
  const double work = std::max(a_and_y + fetch_seconds(m, m.staged_columns, gpu), gpu.staged_chunk * rounds);
  return seconds_of(gpu.staged, work, std::ceil(m.longest_staged_window / gpu.chunk_columns), m, gpu);
}

double format_seconds(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  if (size.format == Format::Csr) return csr_seconds(m, size.bytes, gpu);
  if (gpu.tile == 0) return portable_seconds(m, size.bytes, gpu);
  if (size.format == Format::BitTcf) return size.is_staged ? staged_seconds(m, gpu) : bittcf_seconds(m, size, gpu);
  if (size.format == Format::Bmat && 128 * size.tiles * m.matrix_bytes <= gpu.whole_tiles)
    return bmat_seconds(m, size, gpu);
  if (size.format == Format::Bcsr && gpu.block > 0 && m.bcsr_blocks > 0) return bcsr_seconds(m, size, gpu);
  return portable_seconds(m, size.bytes, gpu);
}

}  // namespace

GpuModel GpuModel::tf32() {
  GpuModel gpu;
  gpu.staged_chunk = 0;
  gpu.tile = 0.10e-9;
  gpu.tall_tile = 1.3;
  return gpu;
}

GpuModel GpuModel::tf32x3() {
  GpuModel gpu = tf32();
  gpu.tile = 0.12e-9;
  gpu.tall_tile = 1.6;
  return gpu;
}

GpuModel GpuModel::half() {
  GpuModel gpu = tf32();
  gpu.block_density = 0.1;
  return gpu;
}

GpuModel GpuModel::without_tile_kernels() {
  GpuModel gpu;
  gpu.tile = gpu.staged_chunk = gpu.block = 0;
  return gpu;
}

Candidate predict(const MatrixStatistics& m, const FormatSize& size, const GpuModel& gpu) {
  return {size.format, size.is_staged, size.tiles, size.bytes, format_seconds(m, size, gpu)};
}

Choice choose_format(const MatrixStatistics& m, const GpuModel& gpu) {
  const double bittcf_bytes = Impl::bittcf_bytes(m);
  std::vector<Candidate> candidates{predict(m, {Format::Csr, 0, Impl::csr_bytes(m)}, gpu),
                                    predict(m, {Format::BitTcf, m.bittcf_tiles, bittcf_bytes}, gpu)};
  const Candidate staged = predict(m, {Format::BitTcf, m.bittcf_tiles, bittcf_bytes, true}, gpu);
  if (gpu.tile > 0 && std::isfinite(staged.predicted_seconds)) candidates.push_back(staged);
  if (gpu.tile > 0 && m.bmat_tiles > 0)
    candidates.push_back(predict(m, {Format::Bmat, m.bmat_tiles, Impl::bmat_bytes(m)}, gpu));
  if (gpu.tile > 0 && gpu.block > 0 && m.bcsr_blocks > 0)
    candidates.push_back(predict(m, {Format::Bcsr, m.bcsr_blocks, Impl::bcsr_bytes(m)}, gpu));
  return Impl::ranked(m, std::move(candidates), GpuModel::version);
}

}  // namespace Tessera
