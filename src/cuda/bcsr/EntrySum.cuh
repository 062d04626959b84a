// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Bits.hpp>

#include "Arguments.hpp"

namespace Tessera::Cuda {

/// One element of A X from some blocks of a window, from the entries alone, on CUDA cores, in the caller's precision.
///
/// For elements whose sum by whole blocks is not finite: there a zero of a block may have met an infinity or a NaN of
/// an X row that the matrix row does not touch, or 16 bits were too few for an operand. `row` counts from the window's
/// first.
template <class Offset, class Scalar, class Operand>
__device__ __forceinline__ Scalar sum_entries(const BcsrArguments<Offset, Scalar, Operand>& arguments,
                                              Offset first_block, int blocks, int row, int column) {
  const BcsrPattern<Offset>& A = arguments.A;
  const Product<Scalar, Scalar>& product = arguments.product;
  Scalar sum = 0;
  for (Offset block = first_block; block < first_block + static_cast<Offset>(blocks); ++block) {
    const std::size_t first_place = std::size_t(block) * A.block.size() + row * A.block.width;
    const Ordinal first_column = A.block_columns[block] * A.block.width;
    for (std::uint64_t bits = bcsr_row_bits(A, std::size_t(block), row); bits != 0; bits &= bits - 1) {
      const int c = lowest_bit(bits);
      const Ordinal x_row = product.x_rows == nullptr ? first_column + c : product.x_rows[first_column + c];
      sum += product.values[first_place + c] * product.x(x_row, column);
    }
  }
  return sum;
}

}  // namespace Tessera::Cuda
