// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Bits.hpp>

#include "Arguments.hpp"

namespace Tessera::Cuda {

/// One element of A X from the tiles of an item, from the entries alone, on CUDA cores.
///
/// For elements whose sum by whole tiles is not finite: there a zero of a tile may have met an infinity or a NaN of an
/// X row that the matrix row does not touch. `row` counts from the window's first.
template <class Offset, class MatrixScalar, class Scalar>
__device__ __forceinline__ Scalar sum_bmat_entries(const BmatArguments<Offset, MatrixScalar, Scalar>& arguments,
                                                   const BmatItem<Offset>& item, int row, int column) {
  const BmatPattern<Offset>& A = arguments.A;
  const int first_bit = bmat_bit(row % 8, 0);
  std::size_t place = std::size_t(item.first_value);  // of the word's first value
  Scalar sum = 0;
  for (Offset tile = item.first_tile; tile < item.first_tile + static_cast<Offset>(item.tiles); ++tile) {
    for (int w = 0; w < A.tile_words_count; ++w) {
      const std::uint32_t word = A.tile_words[std::size_t(tile) * A.tile_words_count + w];
      if (w % 2 == row / 8) {
        std::size_t own = place + popcount(word & low_bits(first_bit));
        const Ordinal* columns = A.tile_columns + std::size_t(tile) * A.tile_width + w / 2 * 4;
        for (unsigned bits = word >> first_bit & 0xfu; bits != 0; bits &= bits - 1, ++own) {
          sum += Scalar(arguments.product.values[own]) * arguments.product.x(columns[lowest_bit(bits)], column);
        }
      }
      place += popcount(word);
    }
  }
  return sum;
}

}  // namespace Tessera::Cuda
