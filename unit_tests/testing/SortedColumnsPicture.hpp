// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/SortedColumnsView.hpp>
#include <vector>

namespace Tessera::Test {

/// The arrays that are pictured in SortedColumnsView.hpp: width 4, height 2. Values are letters, a = 1.
struct SortedColumnsPicture {
  std::vector<int> column_order = {2, 6, 15, 0, 1, 5, 8, 12, 13, 9};
  std::vector<int> block_offsets = {0, 4, 8, 16}, block_positions = {0, 4, 3};
  std::vector<int> row_indices = {3, 5, 4, 0, 0, 4, 8, 7, 1, 1, 5, 9, 3, 10, 6, 11, 1, 6, 8, 9, 11, 6, 13, 15, 12, 15};
  std::vector<std::uint16_t> position_indices = {4, 8, 6, 0, 1, 7, 12, 11, 2, 3, 9, 13, 5, 14, 10, 15};
  std::vector<std::int16_t> segment_lengths = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, -1, -1, -1, -1, -1, -1};
  std::vector<int> piece_offsets = {16, 20, 21, 24, 26};
  std::vector<std::uint32_t> piece_columns = {0x80000000u, 0x80000000u, 1, 2};
  const char* values = "gkiabhpocdjrftluemqsvnxzwy";

  SortedColumnsPattern<int> view() const {
    SortedColumnsPattern<int> A;
    A.rows = A.columns = 16;
    A.positions = 10;
    A.width = 4;
    A.height = 2;
    A.regular = 16;
    A.blocks = 3;
    A.pieces = 4;
    A.column_order = column_order.data();
    A.block_offsets = block_offsets.data();
    A.block_positions = block_positions.data();
    A.row_indices = row_indices.data();
    A.position_indices = position_indices.data();
    A.segment_lengths = segment_lengths.data();
    A.piece_offsets = piece_offsets.data();
    A.piece_columns = piece_columns.data();
    return A;
  }
};

}  // namespace Tessera::Test
