// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// The pattern of a matrix in sorted columns (Swift, section IV): raw pointers into memory that the caller owns.
///
/// The nonempty columns are sorted by their number of entries in ascending order; columns of equal length, by index.
/// The index of a column in that order is its *position*. The sorted columns have two parts:
///
/// The regular part has blocks of `width` columns (one for each thread of a warp) with the same number of entries, in
/// layers. A layer begins at the first column that has entries left. Its height is the number of entries that this
/// column has left, and at most `height`. The columns from there on are cut into blocks of adjacent positions. The
/// columns on the right that fill no block leave their next entries to the irregular part. Layers end when fewer than
/// `width` columns have entries left. A block is stored step by step. A step is one entry of each of its columns.
///
/// The irregular part has all other entries. They are in at most the last width - 1 columns. It is stored column by
/// column, from right to left, each column cut into pieces of up to `width` entries.
///
/// ```{.unparsed}
///   column_order      positions            matrix column at each position
///   block_offsets     blocks + 1           first element of each block                 (the paper's blkPtr)
///   block_positions   blocks               position of a block's first column          (blkCoIdx)
///   row_indices       elements             regular elements, then irregular ones       (rowIdx, irrRowIdx)
///   position_indices  regular elements     see below                                   (positionIdx)
///   segment_lengths   regular elements     see below                                   (offsetIdx)
///   piece_offsets     pieces + 1           first element of each piece                 (irrPtr, blkStart, blkStop)
///   piece_columns     pieces               position of its column, counted from the right; the highest bit is set if
///                                          the column has several pieces               (colIdxIndex)
/// ```
///
/// Values are in the order of row_indices. Eight steps, that is 8 `width` adjacent regular elements, are a *set*; the
/// last set may be shorter. A thread block sums the products of a set by rows. position_indices has the place of each
/// element in the set sorted by row, with equal rows in the order of the elements. segment_lengths is indexed by these
/// places: for the first element of a row it is the number of elements that follow in this row, or -1 if none follow;
/// for the others it is 0.
///
/// This is the matrix pictured in CsrPattern with width 4 and height 2. Each column shows the entries of a sorted
/// column, the first on top; capitals are irregular:
///
/// ```{.unparsed}
///   position  0  1  2  3  4  5  6  7  8  9
///   column    2  6 15  0  1  5  8 12 13  9
///             g  k  i  a  b  h  p  o  N  E     layer of height 1 from position 0 on: two blocks
///                      c  d  j  r  W  X  M     layer of height 2 from position 3 on: a block
///                      f  t  l  u  Y  Z  Q
///                                        S     what is left: a column, fewer than the width
///                                        V
///
///   column_order       2  6 15  0  1  5  8 12 13  9
///   block_offsets      0              4              8                      16
///   block_positions    0              4              3
///   values             g  k  i  a     b  h  p  o     c  d  j  r  f  t  l  u
///   row_indices        3  5  4  0     0  4  8  7     1  1  5  9  3 10  6 11
///   position_indices   4  8  6  0     1  7 12 11     2  3  9 13  5 14 10 15   of one set: 16 elements of up to 32
///   segment_lengths    1  0  1  0     1  0  1  0     1  0 -1 -1 -1 -1 -1 -1
///   (rows, sorted)     0  0  1  1     3  3  4  4     5  5  6  7  8  9 10 11
///
///   piece_offsets     16          20          21        24     26
///   piece_columns     0x80000000  0x80000000  1         2            column 9 is split, 13 and 12 are whole
///   values            E M Q S     V           N  X  Z   W  Y
///   row_indices       1 6 8 9     11          6 13 15   12 15
/// ```
///
/// Deviations from the paper:
/// - It also sorts the rows of X. Here column_order is stored, and the product gathers from X in place, so
///   callers never see the order.
/// - Its Algorithm 2 has blocks of a single step, although section IV-A has higher ones. Here a set is 8 steps, not 8
///   blocks, so 8 `width` threads serve any height. The algorithm also reads the row of a segment at the place of an
///   element that was not moved (lines 11 and 26). The row must be stored at position_indices, like the product.
/// - Pieces are adjacent. piece_offsets therefore replaces irrPtr, blkStart and blkStop. The paper splits columns
///   longer than a warp, and so does this format: a column of `width` entries is whole.
/// - Algorithm 2 writes Y by columns and Algorithm 3 by rows, which is an error. Here Y has any strides.
/// - Offsets are a template parameter.
struct SortedColumnsPattern {
  static constexpr int steps_of_set = 8;                   ///< steps of a set
  static constexpr std::uint32_t split_bit = 0x80000000u;  ///< set in piece_columns if the column has several pieces

  Ordinal rows = 0;                                 ///< rows of the matrix
  Ordinal columns = 0;                              ///< columns of the matrix
  Ordinal positions = 0;                            ///< number of nonempty columns
  Ordinal width = 0;                                ///< columns of a block
  Ordinal height = 0;                               ///< upper bound on the entries of a column in one layer
  Offset regular = 0;                               ///< elements of all blocks
  Offset blocks = 0;                                ///< number of blocks
  Offset pieces = 0;                                ///< number of pieces
  const Ordinal* column_order = nullptr;            ///< the matrix column at each position
  const Offset* block_offsets = nullptr;            ///< blocks + 1 offsets, counted in elements
  const Ordinal* block_positions = nullptr;         ///< the position of the first column of each block
  const Ordinal* row_indices = nullptr;             ///< the row of each element
  const std::uint16_t* position_indices = nullptr;  ///< the place of each regular element in its sorted set
  const std::int16_t* segment_lengths = nullptr;    ///< the length of each segment, at its sorted place
  const Offset* piece_offsets = nullptr;            ///< pieces + 1 offsets, counted in elements
  const std::uint32_t* piece_columns = nullptr;     ///< the position of each piece's column, counted from the right

  /// Returns the number of elements of a set.
  TESSERA_FUNCTION Offset set_size() const { return static_cast<Offset>(steps_of_set) * static_cast<Offset>(width); }
  /// Returns the number of units: blocks, then pieces.
  TESSERA_FUNCTION Offset units() const { return blocks + pieces; }
  /// Returns the position of the column of a piece.
  TESSERA_FUNCTION Ordinal piece_position(Offset piece) const {
    return positions - 1 - static_cast<Ordinal>(piece_columns[piece] & ~split_bit);
  }
};

/// Returns the index of the block of a regular element. Cost: a bisection of the blocks.
TESSERA_FUNCTION Offset block_of(const SortedColumnsPattern& A, Offset element) {
  Offset low = 0, high = A.blocks;
  while (high - low > 1) {
    const Offset middle = low + (high - low) / 2;
    if (A.block_offsets[middle] <= element) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Returns the position of the column of a regular element.
TESSERA_FUNCTION Ordinal position_of(const SortedColumnsPattern& A, Offset element) {
  const Offset block = block_of(A, element);
  return A.block_positions[block] +
         static_cast<Ordinal>((element - A.block_offsets[block]) % static_cast<Offset>(A.width));
}

/// Calls visit(position, place of the value) for every element of a unit (a block or a piece), in the order of storage.
/// This format cannot be visited row by row.
template <class Visit>
TESSERA_FUNCTION void for_each_element(const SortedColumnsPattern& A, Offset unit, const Visit& visit) {
  const bool is_block = unit < A.blocks;
  const Offset* offsets = is_block ? A.block_offsets + unit : A.piece_offsets + (unit - A.blocks);
  const Ordinal first = is_block ? A.block_positions[unit] : A.piece_position(unit - A.blocks);
  const Ordinal width = is_block ? A.width : 1;
  Ordinal column = 0;
  for (Offset place = offsets[0]; place < offsets[1]; ++place) {
    visit(first + column, place);
    if (++column == width) column = 0;
  }
}

}  // namespace Tessera::Impl
