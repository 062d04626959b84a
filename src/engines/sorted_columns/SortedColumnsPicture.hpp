// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "SerialSortedColumns.hpp"

namespace Tessera::Impl::Test {

/// The arrays pictured in SortedColumnsView.hpp, with width 4 and height 2. Letters stand for values: a = 1.
struct SortedColumnsPicture : HostSortedColumns {
  const char* values = "gkiabhpocdjrftluemqsvnxzwy";

  SortedColumnsPicture() {
    this->rows = this->columns = 16;
    this->width = 4;
    this->height = 2;
    this->column_order = {2, 6, 15, 0, 1, 5, 8, 12, 13, 9};
    this->block_offsets = {0, 4, 8, 16};
    this->block_positions = {0, 4, 3};
    this->row_indices = {3, 5, 4, 0, 0, 4, 8, 7, 1, 1, 5, 9, 3, 10, 6, 11, 1, 6, 8, 9, 11, 6, 13, 15, 12, 15};
    this->position_indices = {4, 8, 6, 0, 1, 7, 12, 11, 2, 3, 9, 13, 5, 14, 10, 15};
    this->segment_lengths = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, -1, -1, -1, -1, -1, -1};
    this->piece_offsets = {16, 20, 21, 24, 26};
    this->piece_columns = {0x80000000u, 0x80000000u, 1, 2};
  }
};

}  // namespace Tessera::Impl::Test
