// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SpyGrid.hpp"

#include <algorithm>

#include "bittcf/BitTcfView.hpp"

namespace Tessera::Impl::Driver {

namespace {

constexpr int tile_rows = BitTcfPattern::tile_rows;
constexpr int tile_width = BitTcfPattern::tile_width;

int cell_of(int index, int size, int cells) { return static_cast<int>(std::int64_t{index} * cells / size); }

/// Returns the number of integers in 0 .. size - 1 that are in a cell.
double width_of(int cell, int size, int cells) {
  const auto first = [&](std::int64_t c) { return (c * size + cells - 1) / cells; };
  return static_cast<double>(first(cell + 1) - first(cell));
}

/// Returns the nonzeros of each tile of a window: its distinct columns, ascending, are cut into tiles of 8.
void count_tiles(const std::vector<int>& distinct, const int* begin, const int* end, std::vector<int>& nonzeros) {
  nonzeros.assign((distinct.size() + tile_width - 1) / tile_width, 0);
  for (const int* column = begin; column != end; ++column) {
    const auto position = std::lower_bound(distinct.begin(), distinct.end(), *column) - distinct.begin();
    ++nonzeros[static_cast<std::size_t>(position / tile_width)];
  }
}

}  // namespace

SpyGrid make_spy_grid(int rows, int columns, const std::vector<std::size_t>& row_offsets,
                      const std::vector<int>& column_indices, int cell_rows, int cell_columns) {
  const std::size_t cells = static_cast<std::size_t>(cell_rows) * static_cast<std::size_t>(cell_columns);
  SpyGrid grid{cell_rows, cell_columns, std::vector<double>(cells), std::vector<double>(cells), 0};
  std::vector<double> tile_shares(cells);
  std::vector<int> distinct, nonzeros_of_tile;
  for (int window = 0; window < rows; window += tile_rows) {
    const int last = std::min(rows, window + tile_rows);
    const int* begin = column_indices.data() + row_offsets[static_cast<std::size_t>(window)];
    const int* end = column_indices.data() + row_offsets[static_cast<std::size_t>(last)];
    distinct.assign(begin, end);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    count_tiles(distinct, begin, end, nonzeros_of_tile);
    grid.tiles += static_cast<std::int64_t>(nonzeros_of_tile.size());
    for (int i = window; i < last; ++i) {
      const std::size_t row_of_cells =
          static_cast<std::size_t>(cell_of(i, rows, cell_rows)) * static_cast<std::size_t>(cell_columns);
      for (std::size_t k = row_offsets[static_cast<std::size_t>(i)]; k < row_offsets[static_cast<std::size_t>(i) + 1];
           ++k) {
        const int j = column_indices[k];
        const std::size_t cell = row_of_cells + static_cast<std::size_t>(cell_of(j, columns, cell_columns));
        const auto position = std::lower_bound(distinct.begin(), distinct.end(), j) - distinct.begin();
        grid.density[cell] += 1;
        tile_shares[cell] += 1.0 / nonzeros_of_tile[static_cast<std::size_t>(position / tile_width)];
      }
    }
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (grid.density[cell] == 0) continue;
    grid.tile_nonzeros[cell] = grid.density[cell] / tile_shares[cell];
    const int i = static_cast<int>(cell) / cell_columns, j = static_cast<int>(cell) % cell_columns;
    grid.density[cell] /= width_of(i, rows, cell_rows) * width_of(j, columns, cell_columns);
  }
  return grid;
}

}  // namespace Tessera::Impl::Driver
