// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "HostPattern.hpp"
#include "compact_rows/CompactRowsView.hpp"

namespace Tessera::Impl::Test {

/// Compact rows (CompactRowsView.hpp) on the host.
struct HostCompactRows {
  int rows = 0, columns = 0;
  std::vector<Offset> row_offsets, slots;  // no slots: values are in the order of the rows
  std::vector<int> block_columns;
  std::vector<std::uint16_t> low_columns, high_columns;

  CompactRowsPattern view() const {
    return {rows, columns, row_offsets.data(), block_columns.data(), low_columns.data(), high_columns.data()};
  }

  /// Calls visit(name, array) for each array of the pattern.
  template <class Visit>
  void for_each_array(const Visit& visit) const {
    visit("row_offsets", row_offsets);
    visit("block_columns", block_columns);
    visit("low_columns", low_columns);
    visit("high_columns", high_columns);
  }
};

/// Builds compact rows serially, block by block.
template <class From>
HostCompactRows serial_compact_rows(const HostPattern<From>& A) {
  HostCompactRows B;
  B.rows = A.rows;
  B.columns = A.columns;
  B.row_offsets.assign(A.row_offsets.begin(), A.row_offsets.end());
  int wide = 0;
  for (std::size_t begin = 0; begin < A.column_indices.size(); begin += 64) {
    const std::vector<int> block(
        A.column_indices.begin() + static_cast<std::ptrdiff_t>(begin),
        A.column_indices.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 64, A.column_indices.size())));
    const auto [least, greatest] = std::minmax_element(block.begin(), block.end());
    const bool is_wide = *greatest - *least >= 65536;
    B.block_columns.push_back(is_wide ? -1 - wide++ : *least);
    for (const int column : block) {
      B.low_columns.push_back(static_cast<std::uint16_t>((is_wide ? column : column - *least) % 65536));
      if (is_wide) B.high_columns.push_back(static_cast<std::uint16_t>(column / 65536));
    }
    B.high_columns.resize(static_cast<std::size_t>(wide) * 64, 0);
  }
  return B;
}

/// Returns rows of which most are near the rows before, and some are as wide as the matrix.
inline HostPattern<Offset> rows_near_and_far(int rows, int columns, std::uint64_t seed) {
  Random random(seed);
  HostPattern<Offset> A;
  A.columns = columns;
  for (int row = 0; row < rows; ++row) {
    std::vector<int> row_columns;
    const int near = random.below(9) == 0 ? columns : std::min(columns, 900);
    const auto first = static_cast<int>(std::int64_t(columns - near) * (row / 20) / rows);
    for (int k = random.below(40); k > 0; --k) row_columns.push_back(first + random.below(near));
    std::sort(row_columns.begin(), row_columns.end());
    row_columns.erase(std::unique(row_columns.begin(), row_columns.end()), row_columns.end());
    A.column_indices.insert(A.column_indices.end(), row_columns.begin(), row_columns.end());
    A.end_row();
  }
  return A;
}

}  // namespace Tessera::Impl::Test
