// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera {

/// What the choice of a format depends on. Plain data.
struct MatrixStatistics {
  double rows = 0;
  double columns = 0;
  double nonzeros = 0;
  double bittcf_tiles = 0;            ///< of windows of 8 rows
  double bmat_tiles = 0;              ///< of windows of 16 rows; 0: not counted
  double window_columns = 0;          ///< distinct columns of all windows of 128 rows; 0: not counted
  double near_columns = 0;            ///< the same for windows of 8 rows
  double staged_columns = 0;          ///< the same for windows of 64 rows
  double longest_row = 0;             ///< its entries; this and the next four are 0 where they were not counted
  double longest_window = 0;          ///< tiles of the window of 8 rows that has the most
  double longest_tall_window = 0;     ///< the same for windows of 16 rows
  double longest_staged_window = 0;   ///< distinct columns of the window of 64 rows that has the most
  double longest_staged_entries = 0;  ///< entries of the window of 64 rows that has the most
  double bcsr_blocks = 0;             ///< blocks of BCSR; 0: not counted
  double bcsr_block_rows = 0;
  double bcsr_block_columns = 0;
  bool is_reordered = false;   ///< rows of Y are scattered
  double matrix_bytes = 8;     ///< of a value of A
  double vector_bytes = 8;     ///< of an element of X and Y
  double offset_bytes = 4;     ///< of an offset
  double vector_columns = 32;  ///< of X
};

}  // namespace Tessera
