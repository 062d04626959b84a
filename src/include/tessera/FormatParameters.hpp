// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera {

/// The parameters of formats. 0 selects the default.
struct FormatParameters {
  /// f of Format::Brp: the number of entries of a local column, at most 16. The 8 f g values of a group
  /// must be a multiple of 128 bytes. By default, the plan chooses f and g.
  int brp_nonzeros_per_column = 0;
  /// g of Format::Brp: the number of tiles of a group, at most 64.
  int brp_tiles_per_group = 0;

  /// Rows of a block of Format::Bcsr, at most 64. The default is the shape of a tensor core's operand for these values
  /// or, on Kokkos::Cuda, for floats rounded to 16 bits. Of several such shapes, the one with the fewest bytes is used.
  /// If a plan compares predicted times, it may also be 64 x 64, for floats on a GPU of compute capability 9.0, except
  /// in native precision.
  int bcsr_block_rows = 0;
  /// Columns of a block of Format::Bcsr, at most 64. Set it if and only if bcsr_block_rows is set.
  int bcsr_block_columns = 0;

  /// Columns of a block of Format::SortedColumns, at most 1024; by default 32, the threads of a warp.
  int sorted_columns_width = 0;
  /// Upper bound on the entries of each column in a block of Format::SortedColumns; by default 32.
  int sorted_columns_height = 0;

  /// Upper bound on the entries of a chunk of Format::Staged; the default suits the kernels of the device.
  int staged_chunk_values = 0;
  /// Upper bound on the chunks of a piece of a window of Format::Staged; the default suits the kernels of the device.
  int staged_piece_chunks = 0;

  /// Upper bound on the rows of a group of Format::RowGroups, from 1 to 4; by default 4.
  int group_rows = 0;
};

}  // namespace Tessera
