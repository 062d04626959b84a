// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "X.cuh"

namespace Tessera::Cuda {

/// A block of threads that multiplies pieces of irregular columns with a chunk of the columns of X: some lanes take a
/// piece, whose row of X stays in their registers. Its elements have a row each, and a slot.
template <class Policy, bool aligned, class Offset, class MatrixScalar, class Scalar>
class SortedColumnsPieces {
 public:
  using Arguments = SortedColumnsArguments<Offset, MatrixScalar, Scalar>;

  static constexpr int pieces_of_block = Policy::threads / Policy::lanes;

  static __device__ void multiply(const Arguments& arguments, Offset block, unsigned chunk) {
    using Lane = Vector<Scalar, true>;
    const SortedColumnsPattern<Offset>& A = arguments.A;
    const int thread = static_cast<int>(threadIdx.x);
    const Ordinal column = (static_cast<int>(chunk) * Policy::lanes + thread % Policy::lanes) * Lane::size;
    const Offset piece = block * static_cast<Offset>(pieces_of_block) + static_cast<Offset>(thread / Policy::lanes);
    if (piece >= A.pieces || column >= arguments.product.x.columns) return;
    const Lane x = load_x<aligned>(arguments, __ldg(A.column_order + A.piece_position(piece)), column);
    const Offset end = A.piece_offsets[piece + 1];
#pragma unroll 4
    for (Offset place = A.piece_offsets[piece]; place < end; ++place) {
      const auto a = static_cast<Scalar>(__ldg(arguments.product.values + place));
      const Offset slot = arguments.schedule.segments + (place - A.regular);
      store_slot(arguments, static_cast<std::ptrdiff_t>(slot), column, scaled(a, x));
    }
  }
};

}  // namespace Tessera::Cuda
