// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/Types.hpp>

// Unrolls the next loop when nvcc compiles device code. Host compilers compile this header as well.
#ifdef __CUDA_ARCH__
#define TESSERA_UNROLL _Pragma("unroll")
#else
#define TESSERA_UNROLL
#endif

namespace Tessera::Impl::Cuda {

/// The elements that a lane holds when its warp multiplies an 8x8 block of the matrix by a slab of 8 rows of X.
///
/// The operands are swapped: X^T (16 columns of X at a time) is the left operand of m16n8k8, and the block's transpose
/// is the right one, so 8 rows of the matrix fill an instruction (ptx/Mma.cuh has the layouts). Columns of X may be in
/// any rows of the left operand, and tile columns may have any k, as long as all operands agree. The order chosen here
/// has these properties:
///
/// - A lane reads `piece` adjacent columns of a row of X at once. Lanes that the hardware serves at the same time read
///   different rows, which often begin in the same banks of the L1 cache. They read their pieces in different orders,
///   and hence from different banks.
/// - A lane's two elements of the block, and its two tile columns, are adjacent in memory.
/// - A lane writes `vector` adjacent columns of a row of Y at once, and eight lanes write adjacent vectors.
template <class Scalar, int slab_columns, int most_reads = 4>
struct FragmentLayout {
  static_assert(slab_columns % 16 == 0);

  static constexpr int lane_columns = slab_columns / 8;  // columns of X that a lane holds; q is their index
  static constexpr int widest = 16 / static_cast<int>(sizeof(Scalar));
  static constexpr int vector = lane_columns < widest ? lane_columns : widest;
  static constexpr int vectors = lane_columns / vector;
  static constexpr int products = slab_columns / 16;  // number of m16n8k8 next to each other
  static constexpr int pieces = lane_columns < most_reads ? lane_columns : most_reads;
  static constexpr int piece = lane_columns / pieces;

  /// Returns the column of the slab that the lane holds as its column q.
  static TESSERA_FUNCTION constexpr int column(int lane, int q) {
    constexpr int eight_lanes = 8 * vector;
    const int v = q / vector;
    return v * eight_lanes + ((vector * (lane / 4)) ^ (v * eight_lanes / vectors)) + q % vector;
  }

  /// Returns the piece that a lane reads first. Its j-th piece of a row is piece j ^ first_piece(lane).
  static TESSERA_FUNCTION constexpr int first_piece(int lane) { return lane % pieces; }

  /// Swaps pieces, which were read in the lane's order, into the order of columns.
  static TESSERA_FUNCTION void order_pieces(int lane, const Scalar (&read)[lane_columns], Scalar (&x)[lane_columns]) {
    TESSERA_UNROLL
    for (int q = 0; q < lane_columns; ++q) x[q] = read[q];
    TESSERA_UNROLL
    for (int bit = 1; bit < pieces; bit *= 2) {
      const bool swapped = (first_piece(lane) & bit) != 0;
      TESSERA_UNROLL
      for (int q = 0; q < lane_columns; ++q) {
        if ((q / piece & bit) != 0) continue;
        const Scalar low = x[q], high = x[q + bit * piece];
        x[q] = swapped ? high : low;
        x[q + bit * piece] = swapped ? low : high;
      }
    }
  }

  /// Returns tile column j = 0 or 1 of a lane. The lane holds parts of its row of X and of its column of the block.
  static TESSERA_FUNCTION constexpr int tile_column(int lane, int j) { return 2 * (lane % 4) + j; }
  /// Returns the row of the block from which a lane holds elements.
  static TESSERA_FUNCTION constexpr int block_row(int lane) { return lane / 4; }
  /// Returns the place of the lane's first element in a row-major block; the second is next to it.
  static TESSERA_FUNCTION constexpr int first_element(int lane) { return 2 * lane; }

  /// Makes the left operand of product m from the rows of X for both tile columns.
  static TESSERA_FUNCTION void left_operand(const Scalar (&x)[2][lane_columns], int m, Scalar (&a)[4]) {
    a[0] = x[0][2 * m], a[1] = x[0][2 * m + 1];
    a[2] = x[1][2 * m], a[3] = x[1][2 * m + 1];
  }

  /// The result for column q of a lane and row result_row(lane, p) of the block is element result(q, p) of product
  /// q / 2.
  static TESSERA_FUNCTION constexpr int result_row(int lane, int p) { return 2 * (lane % 4) + p; }
  static TESSERA_FUNCTION constexpr int result(int q, int p) { return 2 * (q % 2) + p; }
};

/// Returns the number of bits that are set.
TESSERA_FUNCTION unsigned popcount32(unsigned bits) {
#if defined(__CUDA_ARCH__)
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

/// A lane's two elements of an 8x8 block: bits 2 lane and 2 lane + 1 of its mask.
struct LaneEntries {
  unsigned before;  ///< number of entries of the block before the lane's elements
  unsigned bits;    ///< bit j is set if the lane's element j is an entry; other bits are undefined
};

/// Finds the lane's entries in its half of the mask, with two 32-bit bit counts.
TESSERA_FUNCTION LaneEntries lane_entries(std::uint64_t mask, int lane) {
  constexpr int lanes_of_half = 16;
  const bool upper = lane >= lanes_of_half;
  const int shift = 2 * (lane % lanes_of_half);
  const unsigned low = static_cast<unsigned>(mask), high = static_cast<unsigned>(mask >> 32);
  const unsigned half = upper ? high : low;
  return {popcount32(half & ((1u << shift) - 1)) + (upper ? popcount32(low) : 0), half >> shift};
}

/// Number of columns in each group of columns of a 16-bit X that are permuted. A lane sums columns 2 t and 2 t + 1 of
/// each of two adjacent products m16n8k16. The permutation makes these four elements adjacent in Y.
inline constexpr int half_group = 16;

/// Returns the column of X at a place of a permuted row.
TESSERA_FUNCTION constexpr int column_of_half_place(int place) {
  const int product = place / 8 % 2, t = place / 2 % 4;
  return place / half_group * half_group + 4 * t + 2 * product + place % 2;
}
/// Returns the place of a column of X in a permuted row.
TESSERA_FUNCTION constexpr int half_place_of_column(int column) {
  const int product = column / 2 % 2, t = column / 4 % 4;
  return column / half_group * half_group + 8 * product + 2 * t + column % 2;
}

}  // namespace Tessera::Impl::Cuda
