// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "GpuCost.hpp"

/// The common parts of the costs of engines for tensor cores.
namespace Tessera::Impl {

/// The tiles of a format. A warp multiplies a window by a slab of columns of X.
struct Tiles {
  double count;    ///< number of tiles
  double windows;  ///< number of windows
  double alone;    ///< seconds of a tile in each slab, independent of the slab's columns
  double columns;  ///< additional seconds of a tile for 32 columns
};

/// \param seconds [in] seconds of a tile and 32 columns of X
inline Tiles tiles_of(double count, double windows, double alone, double seconds) {
  return {count, std::ceil(windows), alone, seconds - alone};
}

/// Returns the seconds for multiplying tiles. Meanwhile A, Y and uncached rows of X move through memory.
///
/// \param bytes [in] bytes of the format, with values as the kernel multiplies them
inline double tile_work(const MatrixStatistics& m, const Tiles& tiles, double bytes, const GpuModel& gpu) {
  const double slab = m.vector_columns <= tile_columns ? tile_columns : gpu.slab_columns;
  const double slabs = std::ceil(m.vector_columns / slab);
  const double multiplied = tiles.count * (tiles.alone * slabs + tiles.columns * m.vector_columns / tile_columns) +
                            gpu.window_tiles * gpu.tile_s * tiles.windows * slabs;
  const double fetches = m.window8_columns > 0 ? m.window8_columns : m.nonzeros;
  const double x = std::max(m.columns * row_bytes(m) / gpu.streamed, window_seconds(m, fetches, row_bytes(m), gpu));
  const double moved = (bytes + y_bytes(m, gpu)) / gpu.streamed + x;
  return std::max(moved, multiplied) + gpu.tile_overlap * std::min(moved, multiplied);
}

/// Returns the bytes of the format with whole tiles of `places` elements in place of compact values.
inline double bytes_of_whole(const MatrixStatistics& m, const FormatSize& size, double places, double place_bytes) {
  return size.bytes + places * size.tiles * place_bytes - m.nonzeros * m.matrix_bytes;
}

}  // namespace Tessera::Impl
