// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/bmat/Schedule.hpp>

namespace Tessera::Cuda {

/// Scratch memory, in bytes, for a product of these operands with any arithmetic: sums of the pieces of windows that
/// the schedule splits, and X by rows unless its rows begin and end at multiples of 16 bytes.
template <class Offset, class Scalar>
std::size_t bmat_workspace_bytes(const BmatPattern<Offset>& A, const BmatSchedule<Offset>& schedule,
                                 const Multivector<const Scalar>& x);

/// Y = alpha A X + beta Y on tensor cores, A in BMat with compact values: the kernel of Voltrix-SpMM (USENIX ATC 2025),
/// sections 3.1 and 3.2. All pointers are device memory.
///
/// Blocks stay on their multiprocessors and take items of the schedule, with slabs of columns of X. In a block, a
/// producer warp copies tiles and their rows of X to a ring of buffers in shared memory; consumer warps decode a tile
/// into the left operand of m16n8k8 and multiply it with their columns, several instructions for each tile.
///
/// product.x is columns of A x N, product.y rows of A x N, with any N and any strides; y_rows is honoured,
/// conjugate_values has no meaning for reals, x_rows must be null. workspace: bmat_workspace_bytes, aligned to 256
/// bytes; nothing else may use it until the stream gets there. precision: Native for double (FP64 products and sums),
/// Tf32x3 or Tf32 for float.
///
/// A column of Y depends neither on N, nor on the other columns of X, nor on alignment, nor on the number of
/// multiprocessors, nor on the run. An infinity or a NaN in X reaches the rows of Y that touch it and no others: sums
/// of tiles that are not finite are computed anew from the entries alone, slowly.
///
/// Deviations from the paper, whose X has 256 columns and more:
/// - A thread's place counts the entries before its own (BmatView.hpp).
/// - A multiprocessor holds several blocks: one has too little to do with X of few columns.
/// - Rows of X are copied by cp.async, 16 bytes a lane: a warp begins bulk copies one after the other, about 75 cycles
///   each on an H200, longer than it takes to copy rows of 128 to 512 bytes.
/// - Words of tiles reach shared memory through the registers of the producer, which counts them.
/// - Windows that are too long are split by tiles as well, with a second step that adds in order.
/// - The partition (Schedule.hpp) does not drift, has no genetic refinement, and cuts items where slabs of a block
///   begin, not every 16 columns: a block with fewer columns takes as long. Items are dealt instead where that is
///   balanced enough.
///
/// Compute capability 8.0. Throws std::invalid_argument for a precision or a workspace that does not do,
/// std::length_error for sizes beyond a launch, std::runtime_error if a launch fails. Cost: 16 * 64 multiplications for
/// each tile and 8 columns; reads 8 rows of X a tile.
template <class Offset, class Scalar>
void bmat_spmm(Stream stream, const BmatPattern<Offset>& A, Precision precision, const BmatSchedule<Offset>& schedule,
               const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Cuda
