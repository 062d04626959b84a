// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Bits.hpp>

#include "Arguments.hpp"

namespace Tessera::Cuda {

/// One element of A X from some tiles of a window, from the entries alone, on CUDA cores.
///
/// For elements whose sum by whole blocks is not finite: there a zero of a block may have met an infinity or a NaN of
/// an X row that the matrix row does not touch. `row` counts from the window's first. Inlined by its one caller, which
/// is not: a call that some lanes alone make is what NonFinite.cuh warns of.
template <class Kind, class Offset, class MatrixScalar, class Scalar>
__device__ __forceinline__ Scalar sum_entries(const CondensedArguments<Offset, MatrixScalar, Scalar>& arguments,
                                              Offset first_tile, int tiles, int row, int column) {
  using Pattern = CondensedPattern<Offset>;
  const Pattern& A = arguments.A;
  const Multivector<const Scalar>& x = arguments.product.x;
  const int strip = row / Pattern::strip_rows;
  const int r = row % Pattern::strip_rows;
  Scalar sum = 0;
  for (Offset tile = first_tile; tile < first_tile + static_cast<Offset>(tiles); ++tile) {
    const std::uint64_t* masks = A.tile_masks + std::size_t(tile) * Kind::strips;
    std::size_t place = std::size_t(A.tile_offsets[tile]) + popcount(masks[strip] & low_bits(8 * r));
    for (int s = 0; s < strip; ++s) place += popcount(masks[s]);
    for (unsigned bits = bittcf_row_mask(masks[strip], r); bits != 0; bits &= bits - 1, ++place) {
      const int c = lowest_bit(bits);
      const std::size_t dense_place = (std::size_t(tile) * Kind::strips + strip) * Pattern::block_size + 8 * r + c;
      const MatrixScalar a = arguments.product.values[Kind::values == TileValues::Dense ? dense_place : place];
      sum += Scalar(a) * x(A.tile_columns[std::size_t(tile) * Pattern::tile_width + c], column);
    }
  }
  return sum;
}

}  // namespace Tessera::Cuda
