// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/bmat/Schedule.hpp>

namespace Tessera::Cuda {

/// Which X bmat_spmm() reads in place.
inline constexpr XAccess bmat_x_access = XAccess::WholeVectors;

/// Bytes of scratch memory for a product of these operands in any precision.
template <class Offset, class Scalar>
std::size_t bmat_workspace_bytes(const BmatPattern<Offset>& A, const BmatSchedule<Offset>& schedule,
                                 const Multivector<const Scalar>& x) {
  return window_scratch(schedule, A.window_rows(), x, bmat_x_access).bytes;
}

/// Y = alpha A X + beta Y on tensor cores, A in BMat with compact values: the kernel of Voltrix-SpMM (USENIX ATC 2025),
/// sections 3.1 and 3.2. All pointers are device memory.
///
/// Blocks stay on their multiprocessors and take items of the schedule, with slabs of columns of X. In a block, a
/// producer warp copies tiles and their rows of X to a ring of buffers in shared memory; consumer warps decode a tile
/// into the left operand of m16n8k8 and multiply it with their columns, several instructions for each tile.
///
/// product.x is columns of A x N, product.y rows of A x N, with any N and any strides; y_rows is honoured,
/// conjugate_values has no meaning for reals, x_rows must be null. workspace: bmat_workspace_bytes, aligned to 256
/// bytes; nothing else may use it before the product is done. precision: Native for double (FP64 products and sums),
/// Tf32x3 or Tf32 for float.
///
/// A column of Y depends neither on N, nor on the other columns of X, nor on alignment, nor on the number of
/// multiprocessors, nor on the run. An infinity or a NaN in X reaches the rows of Y that touch it and no others: sums
/// of tiles that are not finite are computed again from the entries alone, which is slow.
///
/// Deviations from the paper, whose X has 256 columns and more:
/// - A thread's place counts the entries before its own (BmatView.hpp).
/// - A multiprocessor holds several blocks, because one has too little to do if X has few columns.
/// - Rows of X are copied by cp.async, 16 bytes a lane. A warp would begin bulk copies one after the other, at about 75
///   cycles each on an H200, which is longer than copying rows of 128 to 512 bytes takes.
/// - Words of tiles reach shared memory through the registers of the producer, which counts them.
/// - Windows that are too long are split by tiles as well, with a second step that adds in order.
/// - The partition (Schedule.hpp) does not drift and has no genetic refinement. It cuts items where slabs of a block
///   begin, not every 16 columns, because a block with fewer columns takes as long. Items are dealt instead if that is
///   balanced enough.
///
/// Compute capability 8.0. Throws std::invalid_argument for a precision or a workspace that does not fit,
/// std::length_error for sizes beyond a launch, std::runtime_error if a launch fails. Cost: 16 * 64 multiplications for
/// each tile and 8 columns; reads 8 rows of X a tile.
template <class Offset, class Scalar>
void bmat_spmm(Stream stream, const BmatPattern<Offset>& A, Precision precision, const BmatSchedule<Offset>& schedule,
               const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Cuda
