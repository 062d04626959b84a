// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace Tessera::Impl::Driver {

/// A coarse view of a matrix: a row-major grid of cells of rows times columns.
struct SpyGrid {
  int cell_rows = 0;
  int cell_columns = 0;
  std::vector<double> density;        ///< per cell: nonzeros over elements
  std::vector<double> tile_nonzeros;  ///< per cell: mean nonzeros of its 8x8 tiles; 0 without tiles
  std::int64_t tiles = 0;             ///< tiles of the whole matrix
};

/// \param cell_rows, cell_columns [in] at least 1, at most rows and columns
SpyGrid make_spy_grid(int rows, int columns, const std::vector<std::size_t>& row_offsets,
                      const std::vector<int>& column_indices, int cell_rows, int cell_columns);

}  // namespace Tessera::Impl::Driver
