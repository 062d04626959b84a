// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera {

/// What a format lets its user choose; 0 leaves the choice to the format.
struct FormatParameters {
  /// Format::BlockRowPartition: f, the entries of a local column, up to 16, and g, the tiles of a group, up to 64. The
  /// values of a group, 8 f g, must be a multiple of 128 bytes. Automatic: what moves the fewest bytes (see
  /// choose_brp_parameters).
  int brp_nonzeros_per_column = 0;
  int brp_tiles_per_group = 0;

  /// Bcsr: rows and columns of a block, both from 1 to 64. Both 0: the shape of an operand of tensor cores, for values
  /// of this size or, on Kokkos::Cuda, for floats that are rounded to 16 bits; the one that takes the fewest bytes.
  int bcsr_block_rows = 0;
  int bcsr_block_columns = 0;

  /// Format::SortedColumns: the columns of a block, from 1 to 1024, and the most entries that it takes of each.
  /// Automatic: 32 for both, the threads of a warp.
  int sorted_columns_width = 0;
  int sorted_columns_height = 0;

  /// Format::Staged: the most entries of the columns of a chunk, and the chunks of a window that are multiplied
  /// together. Automatic: what suits the kernels of the device.
  int staged_chunk_values = 0;
  int staged_piece_chunks = 0;
};

}  // namespace Tessera
