// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BitTcfView.hpp>
#include <tessera/common/Bits.hpp>

#include "../fragments/MaskDecode.hpp"
#include "Arguments.hpp"

namespace Tessera::Cuda {

/// One element of A X from some chunks of a window, from the entries alone, on CUDA cores.
///
/// For elements whose sum by whole tiles is not finite: there a zero of a tile may have met an infinity or a NaN of an
/// X row that the matrix row does not touch. `row` counts from the strip's first.
template <class Kind, class MatrixScalar, class Scalar>
__device__ __forceinline__ Scalar sum_staged_entries(const StagedArguments<MatrixScalar, Scalar>& arguments,
                                                     const CondensedItem<int>& item, int strip, int row, int column) {
  using Tile = StagedTile<Kind::blocks>;
  const StagedPattern& A = arguments.A;
  Scalar sum = 0;
  for (int chunk = item.first_tile; chunk < item.first_tile + item.tiles; ++chunk) {
    const std::byte* begin = A.tiles + std::size_t(A.chunks[chunk].tiles) * 16;
    const auto* strip_tiles = reinterpret_cast<const std::uint16_t*>(begin);
    const auto* tiles = reinterpret_cast<const Tile*>(begin + staged_header_bytes(A.strips()));
    const auto* values = reinterpret_cast<const MatrixScalar*>(
        reinterpret_cast<const std::byte*>(arguments.product.values) + std::size_t(A.chunks[chunk].values) * 16);
    for (int t = strip_tiles[strip]; t < strip_tiles[strip + 1]; ++t) {
      const Tile& tile = tiles[t];
      int place = tile.first_value + popcount(tile.masks[row / 8] & low_bits(8 * (row % 8)));
      for (int b = 0; b < row / 8; ++b) place += popcount(tile.masks[b]);
      for (unsigned bits = bittcf_row_mask(tile.masks[row / 8], row % 8); bits != 0; bits &= bits - 1, ++place) {
        const unsigned code = tile.codes[lowest_bit(bits)];
        const int of = chunk - (code >= 0x8000u ? 1 : 0), slot = static_cast<int>(code & 0x7fffu) / 4;
        sum += Scalar(values[place]) *
               arguments.product.x(A.chunk_columns[std::size_t(of) * A.chunk_slots + slot], column);
      }
    }
  }
  return sum;
}

}  // namespace Tessera::Cuda
