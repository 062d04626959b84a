// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// The shape of a block: rows and columns, each from 1 to 64.
struct BlockShape {
  int height = 1;  ///< rows of a block
  int width = 1;   ///< columns of a block

  TESSERA_FUNCTION int size() const { return height * width; }            ///< elements of a block
  TESSERA_FUNCTION int mask_words() const { return (size() + 63) / 64; }  ///< 64-bit words of a mask
  /// Returns the number of rows of blocks that cover `rows` rows.
  TESSERA_FUNCTION Ordinal windows(Ordinal rows) const { return window_count(rows, height); }
};

/// The pattern of a matrix in BCSR, blocked compressed rows (SMaT, section IV.B): raw pointers into memory that the
/// caller owns.
///
/// A grid cuts the matrix into blocks of block.height x block.width elements. The last block of a row or column may
/// reach beyond the matrix. Blocks that have an entry are stored, one row of blocks (a window) after the other:
///
/// ```{.unparsed}
///   block_offsets  windows + 1         first block of each window           (the paper's rowPtr)
///   block_columns  blocks              column of each block, in blocks; ascending within a window (col)
///   block_masks    block.mask_words()  bit r block.width + c is set if the block has an entry at (r, c); bit i is bit
///                  for each block      i % 64 of the block's word i / 64
/// ```
///
/// Values are dense: every element of a block in row-major order, zero where the matrix has no entry. The matrix
/// pictured in CsrPattern in blocks of 4 x 4 has four windows, with 2, 3, 2 and 1 blocks:
///
/// ```{.unparsed}
///   block_offsets  0                    2                             5                    7          8
///   block_columns  0        2           1        2        3           0        2           3
///   block_masks    0x5033   0x0020      0x0262   0x0200   0x1208      0x0200   0x3033      0x3021
///   values         a b 0 0  0 0 0 0     0 h 0 0  0 0 0 0  0 0 0 i     0 0 0 0  p q 0 0     w 0 0 0
///                  c d 0 0  0 e 0 0     0 j k 0  0 0 0 0  0 0 0 0     0 0 0 0  r s 0 0     0 x 0 0
///                  0 0 0 0  0 0 0 0     0 l 0 0  0 m 0 0  0 n 0 0     0 t 0 0  0 0 0 0     0 0 0 0
///                  f 0 g 0  0 0 0 0     0 0 0 0  0 0 0 0  o 0 0 0     0 0 0 0  u v 0 0     y z 0 0
/// ```
///
/// Deviations from the paper: it has no masks and treats every stored element as an entry. Masks preserve zero entries
/// in the conversion to CSR, and prevent a missing element from multiplying an infinity or NaN of X. The paper's text
/// pairs blocks of 16x8 with mma.m16n8k16, whose left operand is 16x16; here the blocks for it are 16x16. Offsets are a
/// template parameter.
struct BcsrPattern {
  static constexpr const char* label = "Tessera::bcsr_spmm";  ///< name of a portable product in profilers

  Ordinal rows = 0;                            ///< rows of the matrix
  Ordinal columns = 0;                         ///< columns of the matrix
  BlockShape block;                            ///< the shape of all blocks
  const Offset* block_offsets = nullptr;       ///< windows + 1 offsets
  const Ordinal* block_columns = nullptr;      ///< one column for each block, counted in blocks
  const std::uint64_t* block_masks = nullptr;  ///< block.mask_words() words for each block

  TESSERA_FUNCTION Ordinal window_rows() const { return block.height; }     ///< rows of a window
  TESSERA_FUNCTION Ordinal windows() const { return block.windows(rows); }  ///< number of rows of blocks
};

/// Returns the entries in row r of a block: bit c is set if column c has an entry.
TESSERA_FUNCTION std::uint64_t bcsr_row_bits(const BcsrPattern& A, std::size_t block, int r) {
  const int first = r * A.block.width, shift = first % 64;
  const std::uint64_t* word = A.block_masks + block * A.block.mask_words() + first / 64;
  std::uint64_t bits = word[0] >> shift;
  if (shift + A.block.width > 64) bits |= word[1] << (64 - shift);
  return A.block.width < 64 ? bits & low_bits(A.block.width) : bits;
}

/// Calls visit(column, place of the value) for every entry of a row, in ascending order of columns.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry(const BcsrPattern& A, Ordinal row, const Visit& visit) {
  const Ordinal window = row / A.block.height;
  const int r = row % A.block.height;
  for (Offset block = A.block_offsets[window]; block < A.block_offsets[window + 1]; ++block) {
    const Ordinal first_column = A.block_columns[block] * A.block.width;
    const Offset first_place = block * Offset(A.block.size()) + Offset(r * A.block.width);
    for (std::uint64_t bits = bcsr_row_bits(A, static_cast<std::size_t>(block), r); bits != 0; bits &= bits - 1) {
      const int c = lowest_bit(bits);
      visit(first_column + c, first_place + Offset(c));
    }
  }
}

/// Calls visit(row within the window, column, place of the value) for every entry of a window, block by block.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry_of_window(const BcsrPattern& A, Ordinal window, const Visit& visit) {
  for (Offset block = A.block_offsets[window]; block < A.block_offsets[window + 1]; ++block) {
    const Ordinal first_column = A.block_columns[block] * A.block.width;
    Offset first_place = block * Offset(A.block.size());
    for (int r = 0; r < A.block.height; ++r, first_place += Offset(A.block.width)) {
      for (std::uint64_t bits = bcsr_row_bits(A, static_cast<std::size_t>(block), r); bits != 0; bits &= bits - 1) {
        const int c = lowest_bit(bits);
        visit(r, first_column + c, first_place + Offset(c));
      }
    }
  }
}

/// Returns the number of values in windows before `window`, an upper bound on their entries. `window` may be windows().
TESSERA_FUNCTION Offset entries_before(const BcsrPattern& A, Ordinal window) {
  return A.block_offsets[window] * Offset(A.block.size());
}

}  // namespace Tessera::Impl
