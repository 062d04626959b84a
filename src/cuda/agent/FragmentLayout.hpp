// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera::Cuda {

/// What a lane of a warp holds of the product of an 8x8 block of the matrix and a slab of 8 rows of X.
///
/// The operands are swapped: X^T (16 columns of X at a time) is the left operand of m16n8k8, the block's transpose the
/// right one, so that 8 rows of the matrix fill an instruction (ptx/Mma.cuh has the layouts). Which column of X is
/// which row of the left operand, and which tile column is which k, is free as long as all operands agree. Chosen so
/// that
///
/// - a lane reads `vector` adjacent columns of a row of X at once, and eight lanes adjacent vectors;
/// - a lane's two elements of the block, and its two tile columns, are adjacent in memory;
/// - results lie in vectors of Y as operands do in X.
template <class Scalar, int slab_columns>
struct FragmentLayout {
  static_assert(slab_columns % 16 == 0);

  static constexpr int lane_columns = slab_columns / 8;  // of X that a lane holds, numbered q
  static constexpr int widest = 16 / static_cast<int>(sizeof(Scalar));
  static constexpr int vector = lane_columns < widest ? lane_columns : widest;
  static constexpr int products = slab_columns / 16;  // m16n8k8 side by side

  /// Of lane 0, the column of the slab that its column q is; other lanes' are first_column(lane) further.
  static TESSERA_FUNCTION constexpr int column(int q) { return (q / vector) * 8 * vector + q % vector; }
  static TESSERA_FUNCTION constexpr int first_column(int lane) { return vector * (lane / 4); }

  /// The columns of the tile that a lane holds rows of X for, and elements of the block: j = 0, 1.
  static TESSERA_FUNCTION constexpr int tile_column(int lane, int j) { return 2 * (lane % 4) + j; }
  /// The row of the block that a lane holds elements of.
  static TESSERA_FUNCTION constexpr int block_row(int lane) { return lane / 4; }
  /// The first of the two elements of the block, if it is stored row by row.
  static TESSERA_FUNCTION constexpr int first_element(int lane) { return 2 * lane; }

  /// The left operand of product m from the rows of X for both tile columns.
  static TESSERA_FUNCTION void left_operand(const Scalar (&x)[2][lane_columns], int m, Scalar (&a)[4]) {
    a[0] = x[0][2 * m], a[1] = x[0][2 * m + 1];
    a[2] = x[1][2 * m], a[3] = x[1][2 * m + 1];
  }

  /// The result for a lane's column q and row result_row(lane, p) of the block is element result(q, p) of product q
  /// / 2.
  static TESSERA_FUNCTION constexpr int result_row(int lane, int p) { return 2 * (lane % 4) + p; }
  static TESSERA_FUNCTION constexpr int result(int q, int p) { return 2 * (q % 2) + p; }
};

}  // namespace Tessera::Cuda
