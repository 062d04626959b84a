// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "voltrix/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// Which X bmat_spmm() reads in place.
inline constexpr XAccess bmat_x_access = XAccess::WholeVectors;

/// Returns the bytes of scratch memory for a product of these operands in any precision.
template <class Scalar>
std::size_t bmat_workspace_bytes(const BmatWords& A, const BmatSchedule& schedule, const Multivector<const Scalar>& x) {
  return window_scratch(schedule, A.window_rows(), x, bmat_x_access).bytes;
}

/// Computes Y = alpha A X + beta Y on tensor cores, for A in BMat with the words of the paper and compact values in
/// their order: the kernel of Voltrix-SpMM (USENIX ATC 2025), sections 3.1 and 3.2. All pointers are device memory.
///
/// Blocks stay on their multiprocessors and run items of the schedule, each with a slab of columns of X. In a block, a
/// producer warp copies tiles and their rows of X to a ring of buffers in shared memory. Consumer warps decode a tile
/// into the left operand of m16n8k8. Each multiplies it by its own columns, with several instructions per tile.
///
/// condensed_spmm() has the rules for operands, workspace, results and errors. A column of Y does not depend on the
/// number of multiprocessors either. precision is Native for double (FP64 products and sums), Tf32x3 or Tf32 for float.
///
/// Deviations from the paper, whose X has 256 columns and more:
/// - A thread's place counts the entries before its own (WordsView.hpp).
/// - A multiprocessor holds several blocks, because a single block has too little work if X has few columns.
/// - Rows of X are copied by cp.async, 16 bytes per lane. A warp would start bulk copies one after another, at about 75
///   cycles each on an H200, which takes longer than copying rows of 128 to 512 bytes.
/// - Words of tiles reach shared memory through the registers of the producer, which counts their entries.
/// - Windows that are too long are also split, by tiles. A second step adds the pieces in order.
/// - The partition (Schedule.hpp) does not drift and has no genetic refinement. It cuts items where slabs of a block
///   begin, not every 16 columns, because a block with fewer columns takes as long. If dealing items out is balanced
///   enough, they are dealt.
///
/// Needs compute capability 8.0. Cost: 16 * 64 multiplications for each tile and 8 columns; 8 rows of X read per tile.
template <class Scalar>
void bmat_spmm(Stream stream, const BmatWords& A, Precision precision, const BmatSchedule& schedule,
               const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
