// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace Tessera::Driver {

/// A matrix seen from afar: cells of rows times columns, row by row.
struct SpyGrid {
  int cell_rows = 0;
  int cell_columns = 0;
  std::vector<double> density;        ///< of each cell: nonzeros over elements; 0 if it holds none
  std::vector<double> tile_nonzeros;  ///< of each cell: mean nonzeros of the 8x8 tiles there; 0 if it holds none
  std::int64_t tiles = 0;             ///< of the whole matrix
};

/// \param cell_rows, cell_columns [in] at least 1 and at most rows and columns
SpyGrid make_spy_grid(int rows, int columns, const std::vector<std::size_t>& row_offsets,
                      const std::vector<int>& column_indices, int cell_rows, int cell_columns);

}  // namespace Tessera::Driver
