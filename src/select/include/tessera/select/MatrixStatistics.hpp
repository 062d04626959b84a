// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl {

/// The statistics on which the choice of a format depends. A statistic that was not counted is 0.
struct MatrixStatistics {
  double rows = 0;                   ///< rows of A
  double columns = 0;                ///< columns of A
  double nonzeros = 0;               ///< entries of A
  double bittcf_tiles = 0;           ///< tiles of BitTCF, whose windows have 8 rows
  double bmat_tiles = 0;             ///< tiles of BMat, whose windows have 16 rows
  double window8_columns = 0;        ///< distinct columns, summed over windows of 8 rows
  double window64_columns = 0;       ///< distinct columns, summed over windows of 64 rows
  double window128_columns = 0;      ///< distinct columns, summed over windows of 128 rows
  double longest_row = 0;            ///< entries of the longest row
  double window8_most_tiles = 0;     ///< tiles of the window of 8 rows with the most tiles
  double window16_most_tiles = 0;    ///< tiles of the window of 16 rows with the most tiles
  double window64_most_columns = 0;  ///< distinct columns of the window of 64 rows with the most columns
  double window64_most_entries = 0;  ///< entries of the window of 64 rows with the most entries
  double row_groups = 0;             ///< number of row groups
  double group_columns = 0;          ///< columns of all row groups, including repetitions of the last one
  double group_values = 0;           ///< values of all row groups, including zeros
  double bcsr_blocks = 0;            ///< blocks of BCSR
  double warpgroup_blocks = 0;       ///< blocks of BCSR with 64 x 64 elements; 0 if they were not counted
  double bcsr_block_rows = 0;        ///< rows of a block of BCSR
  double bcsr_block_columns = 0;     ///< columns of a block of BCSR
  double wide_blocks = 0;            ///< blocks of compact rows whose columns do not fit in 16 bits
  bool is_reordered = false;         ///< whether rows of Y are written in scattered order
  double matrix_bytes = 8;           ///< bytes of a value of A
  double vector_bytes = 8;           ///< bytes of an element of X or Y
  double offset_bytes = 4;           ///< bytes of an offset
  double vector_columns = 32;        ///< columns of X
  bool layout_left = false;          ///< whether X and Y are column-major
  bool follows_values = false;       ///< whether A's values are checked before each product
  bool same_bits_alone = false;      ///< whether a column alone is summed like a column among others
  bool has_given_order = false;      ///< whether compressed rows have the caller's values in the caller's order
};

}  // namespace Tessera::Impl
