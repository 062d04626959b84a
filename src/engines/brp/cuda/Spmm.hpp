// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "brp/BrpView.hpp"
#include "brp/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// Which X brp_spmm() reads in place.
inline constexpr XAccess brp_x_access = XAccess::Rows;

/// Returns the bytes of scratch memory for a product of these operands in any precision.
template <class Scalar>
std::size_t brp_workspace_bytes(const BrpPattern& A, const BrpSchedule& schedule, const Multivector<const Scalar>& x) {
  return window_scratch(schedule, A.window_rows(), x, brp_x_access).bytes;
}

/// Computes Y = alpha A X + beta Y on tensor cores, for A in the block-row partition with f = 1, 2 or 4 and any g
/// (BRP-SpMM, sections IV.D and IV.E). All pointers are device memory.
///
/// product.values are those of BrpPattern. group_columns is aligned to 8 bytes. The rules of
/// condensed_spmm() for operands, workspace, results and errors apply. precision is Native for double (FP64 products
/// and sums), Tf32x3 or Tf32 for float.
///
/// Deviations from the paper: its f is 1. Here one warp multiplies the groups and the residual rows of a window, or of
/// a piece of it, for a slab of columns, and adds both in registers. Y is written once; the paper adds to Y atomically
/// for each group, and again in a second kernel. Hence the groups of a warp are adjacent, and the number of their tiles
/// matters only to the format. Residual entries are multiplied as tiles of 8 entries, which is faster than the paper's
/// product on CUDA cores. Operands are swapped (FragmentLayout). A lane writes one entry into a tile of its warp in
/// shared memory, and later overwrites it with zero, so tiles are never cleared. Rows of X are loaded from global
/// memory into registers.
///
/// Cost: 16 * 128 multiplications for each 8 f entries of groups or 8 residual entries, and each 16 columns. A row of X
/// is read for each f entries of groups and for each residual entry.
template <class Scalar>
void brp_spmm(Stream stream, const BrpPattern& A, Precision precision, const BrpSchedule& schedule,
              const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
