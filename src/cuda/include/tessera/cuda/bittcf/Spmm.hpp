// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BitTcfView.hpp>
#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/bittcf/Schedule.hpp>

namespace Tessera::Cuda {

/// Scratch memory, in bytes, for a product of these operands with any arithmetic: sums of the pieces of windows that
/// the schedule splits, and X by rows if its columns are not adjacent.
template <class Offset, class Scalar>
std::size_t bittcf_workspace_bytes(const BitTcfPattern<Offset>& A, const BitTcfSchedule<Offset>& schedule,
                                   const Multivector<const Scalar>& x);

/// Y = alpha A X + beta Y on tensor cores, A in BitTCF with compact values, as Acc-SpMM does it (sections 3.3 to 3.5,
/// Algorithm 2). All pointers are device memory.
///
/// A block of threads takes adjacent tiles, each of its warps some columns of X. Two warps decode a tile into shared
/// memory by counting bits of its mask; rows of X come from memory to registers. Both are begun while the tile before
/// it is multiplied, with operands swapped: X^T is the left operand of m16n8k8. condensed_spmm computes the same with a
/// warp for all of that, and was faster on every matrix that both were measured with.
///
/// product.x is columns of A x N, product.y rows of A x N, with any N and any strides; y_rows is honoured,
/// conjugate_values has no meaning for reals, x_rows must be null. workspace: bittcf_workspace_bytes, aligned to 256
/// bytes; nothing else may use it until the stream gets there. precision: Native for double (FP64 products and sums),
/// Tf32x3 or Tf32 for float.
///
/// A column of Y depends neither on N, nor on the other columns of X, nor on alignment, nor on the run. An infinity or
/// a NaN in X reaches the rows of Y that touch it and no others: sums of blocks that are not finite are computed anew
/// from the entries alone, slowly.
///
/// Deviations from the paper: FP64, and TF32 in three parts, besides TF32. Each step of Algorithm 2 waits for the block
/// that it has begun to read itself; here blocks are read two tiles ahead. It reads tile columns without a wait before
/// their first use, and beyond the last tile; here they are waited for, and end where tiles do. Windows without tiles
/// write beta Y. Masks and offsets are read a tile before the block, too. Pieces of a window are summed in order in a
/// second step. Schedule.hpp has the deviations of the balance. X is read and Y written with the cache operators
/// of Table 1, although without them times are the same.
///
/// Throws std::invalid_argument for a precision or a workspace that does not do, std::length_error for sizes beyond a
/// launch, std::runtime_error if a launch fails. Cost: 16 * 64 multiplications for each tile and 16 columns; reads 8
/// rows of X a tile, and A once for each 32 columns if N <= 32, for each 128 columns otherwise.
template <class Offset, class Scalar>
void bittcf_spmm(Stream stream, const BitTcfPattern<Offset>& A, Precision precision,
                 const BitTcfSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product,
                 const Scratch& workspace);

}  // namespace Tessera::Cuda
