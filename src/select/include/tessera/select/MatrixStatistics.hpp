// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera {

/// What the choice of a format depends on. A number that was not counted is 0.
struct MatrixStatistics {
  double rows = 0;                   ///< rows of A
  double columns = 0;                ///< columns of A
  double nonzeros = 0;               ///< entries of A
  double bittcf_tiles = 0;           ///< tiles of BitTCF, whose windows have 8 rows
  double bmat_tiles = 0;             ///< tiles of BMat, whose windows have 16 rows
  double window8_columns = 0;        ///< distinct columns, summed over windows of 8 rows
  double window64_columns = 0;       ///< distinct columns, summed over windows of 64 rows
  double window128_columns = 0;      ///< distinct columns, summed over windows of 128 rows
  double longest_row = 0;            ///< entries of the row that has the most
  double window8_most_tiles = 0;     ///< tiles of the window of 8 rows that has the most
  double window16_most_tiles = 0;    ///< tiles of the window of 16 rows that has the most
  double window64_most_columns = 0;  ///< distinct columns of the window of 64 rows that has the most
  double window64_most_entries = 0;  ///< entries of the window of 64 rows that has the most
  double row_groups = 0;             ///< number of row groups
  double group_columns = 0;          ///< columns of row groups, summed, with those that repeat the last one
  double group_values = 0;           ///< values of row groups, zeros included
  double bcsr_blocks = 0;            ///< blocks of BCSR
  double bcsr_block_rows = 0;        ///< rows of a block of BCSR
  double bcsr_block_columns = 0;     ///< columns of a block of BCSR
  bool is_reordered = false;         ///< whether rows of Y are scattered
  double matrix_bytes = 8;           ///< bytes of a value of A
  double vector_bytes = 8;           ///< bytes of an element of X or Y
  double offset_bytes = 4;           ///< bytes of an offset
  double vector_columns = 32;        ///< columns of X
  bool layout_left = false;          ///< whether the columns of X and Y are apart, and elements of a column adjacent
  bool follows_values = false;       ///< whether each product is preceded by a look at A's values
  bool has_given_order = false;      ///< whether compressed rows have the caller's values in the caller's order
};

}  // namespace Tessera
