// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <tessera/select/Choose.hpp>
#include <tessera/select/GpuModel.hpp>

/// The common parts of the costs of engines on GPUs.
namespace Tessera::Impl {

inline constexpr double tile_columns = 32;  // columns of X for which the seconds of a tile are given

/// Returns the bytes of a row of X.
inline double row_bytes(const MatrixStatistics& m) { return m.vector_columns * m.vector_bytes; }

inline double y_bytes(const MatrixStatistics& m, const GpuModel& gpu) {
  return m.rows * row_bytes(m) * (m.is_reordered ? gpu.scattered_rows : 1);
}

/// Returns the bytes of a row of X that CSR and row groups read at a time: they read wide rows in panels of columns.
/// Kernels for tiles read all columns for a window before the next window.
inline double panel_row_bytes(const MatrixStatistics& m, const GpuModel& gpu) {
  return std::min(row_bytes(m), gpu.panel_bytes);
}

/// Returns the number of rows of X that are read from memory. A window that is as high as the cache permits reads each
/// distinct column once. If 128 rows exceed the cache, columns that do not fit are read at each fetch. Doubling a
/// window's height multiplies its columns by 2 * growth, as measured from 64 to 128 rows.
///
/// \param fetches [in] rows that a kernel fetches from cache or memory; all are from memory if windows were not counted
/// \param taken   [in] bytes of a row of X that are read at a time
inline double rows_from_memory(const MatrixStatistics& m, double fetches, double taken, const GpuModel& gpu) {
  const double columns = m.window128_columns;
  if (columns == 0) return fetches;
  const double windows = std::ceil(m.rows / 128);
  const double room = gpu.window_cache_bytes / (columns / windows * taken);  // in windows of 128 rows
  if (room <= 1) return fetches - room * std::max(0.0, fetches - columns);
  const double growth = m.window64_columns > 0 ? std::clamp(columns / m.window64_columns, 0.5, 1.0) : 1;
  const double doublings = std::min(std::log2(room) / std::log2(std::max(2 * growth, 1.01)), std::log2(windows));
  return std::max(std::min(m.columns, columns), columns * std::pow(growth, doublings));
}

/// Returns the seconds for fetching rows of X from memory.
inline double window_seconds(const MatrixStatistics& m, double fetches, double taken, const GpuModel& gpu) {
  return rows_from_memory(m, fetches, taken, gpu) * row_bytes(m) / gather_rate(gpu.gathers, m.columns * taken);
}

/// Returns the seconds of a kernel: its launch, its work and its chain.
///
/// \param work   [in] seconds of the work that all multiprocessors share
/// \param steps  [in] steps of the longest row or window
/// \param growth [in] factor of the length of the pieces that long rows and windows are cut into
inline double seconds_of(const GpuModel::Chain& chain, double work, double steps, double growth,
                         const MatrixStatistics& m, const GpuModel& gpu) {
  const double piece = chain.piece * growth, widths = std::max(1.0, row_bytes(m) / chain.bytes);
  const double alone = chain.step_s * std::min(steps, piece) * widths;
  const double sums = steps > piece ? gpu.sums_s + chain.sum_step_s * steps / piece * widths : 0;
  return chain.launch_s + work + alone + sums;
}

/// Returns the seconds for copying X to rows in panels of this many columns.
inline double pack_seconds(const MatrixStatistics& m, double panel_columns, const GpuModel& gpu) {
  return std::ceil(m.vector_columns / panel_columns) * gpu.copy_s + 2 * m.columns * row_bytes(m) / gpu.streamed;
}

/// Returns the seconds for copying X, and for writing a column-major Y. Some models copy every X, panel by panel.
/// Others copy an X that is column-major, or whose rows are not aligned as the kernel needs.
///
/// \param panel [in] columns that a kernel with panels of its own copies at a time; otherwise 0
inline double copy_seconds(const MatrixStatistics& m, bool wants_aligned, const GpuModel& gpu, double panel = 0) {
  const double y = m.layout_left ? gpu.left_y_ratio * y_bytes(m, gpu) / gpu.streamed : 0;
  if (gpu.copied_columns > 0) return y + pack_seconds(m, panel > 0 ? panel : gpu.copied_columns, gpu);
  if (m.layout_left) return y + pack_seconds(m, panel > 0 ? panel : gpu.panel_columns, gpu);
  return wants_aligned && std::fmod(row_bytes(m), 16) != 0 ? pack_seconds(m, m.vector_columns, gpu) : 0;
}

}  // namespace Tessera::Impl
