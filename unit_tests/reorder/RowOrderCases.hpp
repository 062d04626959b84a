// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "ReorderCheck.hpp"

/// Patterns that test orders of rows.
namespace Tessera::Impl::Test {

template <class Offset>
struct NamedPattern {
  std::string name;
  HostPattern<Offset> pattern;
};

/// Rows of `length` adjacent columns. Each row starts `step` columns further right than the row before.
template <class Offset>
HostPattern<Offset> staircase(int rows, int length, int step) {
  HostPattern<Offset> result;
  result.columns = (rows - 1) * step + length;
  for (int row = 0; row < rows; ++row) {
    for (int j = 0; j < length; ++j) result.column_indices.push_back(row * step + j);
    result.end_row();
  }
  return result;
}

/// The pattern of the nine-point stencil on a grid.
template <class Offset>
HostPattern<Offset> grid_pattern(int side) {
  HostPattern<Offset> result;
  result.columns = side * side;
  for (int row = 0; row < side * side; ++row) {
    for (int y = row / side - 1; y <= row / side + 1; ++y) {
      for (int x = row % side - 1; x <= row % side + 1; ++x) {
        if (x >= 0 && x < side && y >= 0 && y < side) result.column_indices.push_back(y * side + x);
      }
    }
    result.end_row();
  }
  return result;
}

/// Rows with column 0 and one random column.
template <class Offset>
HostPattern<Offset> hub_pattern(int rows, int columns, std::uint64_t seed) {
  Random random(seed);
  HostPattern<Offset> result;
  result.columns = columns;
  for (int row = 0; row < rows; ++row) {
    result.column_indices.push_back(0);
    result.column_indices.push_back(1 + random.below(columns - 1));
    result.end_row();
  }
  return result;
}

/// Patterns that every algorithm for row orders must handle.
template <class Offset>
std::vector<NamedPattern<Offset>> row_order_cases() {
  HostPattern<Offset> no_columns;
  for (int row = 0; row < 40; ++row) no_columns.end_row();
  return {{"no rows", random_pattern<Offset>(0, 5, 0.5, 1)},
          {"one row", random_pattern<Offset>(1, 50, 0.5, 1)},
          {"no columns", no_columns},
          {"all rows empty", random_pattern<Offset>(50, 50, 0, 1)},
          {"some rows empty", random_pattern<Offset>(301, 200, 0.05, 2, 3)},
          {"all rows equal", random_pattern<Offset>(333, 12, 1, 3)},
          {"a hub", hub_pattern<Offset>(1000, 700, 4)},
          {"diagonal", staircase<Offset>(257, 1, 1)},
          {"wide", random_pattern<Offset>(20, 3000, 0.1, 5)},
          {"tall", random_pattern<Offset>(3000, 20, 0.1, 6)},
          {"dense rows among sparse ones", random_pattern<Offset>(130, 400, 0.9, 7, 2)},
          {"shuffled grid", rows_in_order(grid_pattern<Offset>(30), shuffled(900, 8))}};
}

/// Returns an FNV-1a hash of an order, to compare backends of different builds.
inline std::uint64_t fingerprint(const std::vector<int>& order) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const int number : order) hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x100000001b3u;
  return hash;
}

}  // namespace Tessera::Impl::Test
