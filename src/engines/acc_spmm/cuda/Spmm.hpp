// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "acc_spmm/cuda/Schedule.hpp"
#include "bittcf/BitTcfView.hpp"

namespace Tessera::Impl::Cuda {

/// Which X bittcf_spmm() reads in place.
inline constexpr XAccess bittcf_x_access = XAccess::Rows;

/// Returns the bytes of scratch memory for a product of these operands in any precision.
template <class Scalar>
std::size_t bittcf_workspace_bytes(const BitTcfPattern& A, const BitTcfSchedule& schedule,
                                   const Multivector<const Scalar>& x) {
  return window_scratch(schedule.pieces, A.window_rows(), x, bittcf_x_access).bytes;
}

/// Computes Y = alpha A X + beta Y on tensor cores, for A in BitTCF with compact values, by the method of Acc-SpMM
/// (sections 3.3 to 3.5, Algorithm 2). All pointers are device memory.
///
/// A thread block multiplies adjacent tiles; each of its warps multiplies some columns of X. Two warps decode a tile
/// into shared memory by counting bits of its mask. Rows of X are loaded from global memory into registers. Both start
/// while the previous tile is multiplied. Operands are swapped: X^T is the left operand of m16n8k8. condensed_spmm()
/// does all of this in one warp, and was faster on every matrix on which both were measured.
///
/// The rules of condensed_spmm() for operands, workspace, results and errors apply. precision is Native for double
/// (FP64 products and sums), Tf32x3 or Tf32 for float.
///
/// Deviations from the paper: There are FP64 and TF32x3 as well as TF32. Each step of Algorithm 2 waits for the block
/// that the same step started to read; here blocks are read two tiles ahead. Algorithm 2 reads tile columns without a
/// wait before their first use, and beyond the last tile; here there is a wait, and reads stop at the last tile.
/// Windows without tiles write beta Y. Masks and offsets are read one tile before the block. Pieces of a window are
/// summed in order in a second step. Schedule.hpp lists the deviations of the balance. X is read and Y is written with
/// the cache operators of Table 1, although times are the same without them.
///
/// Cost: 16 * 64 multiplications for each tile and 16 columns. 8 rows of X are read for each tile. A is read once for
/// each 32 columns if N <= 32, for each 128 columns otherwise.
template <class Scalar>
void bittcf_spmm(Stream stream, const BitTcfPattern& A, Precision precision, const BitTcfSchedule& schedule,
                 const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
