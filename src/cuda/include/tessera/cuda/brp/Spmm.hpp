// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BlockRowPartitionView.hpp>
#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/brp/Schedule.hpp>

namespace Tessera::Cuda {

/// Which X brp_spmm() reads in place.
inline constexpr XAccess brp_x_access = XAccess::Rows;

/// Bytes of scratch memory for a product of these operands in any precision.
template <class Offset, class Scalar>
std::size_t brp_workspace_bytes(const BlockRowPartitionPattern<Offset>& A, const BrpSchedule<Offset>& schedule,
                                const Multivector<const Scalar>& x) {
  return window_scratch(schedule, A.window_rows(), x, brp_x_access).bytes;
}

/// Y = alpha A X + beta Y on tensor cores, A in the block-row partition with f = 1, 2 or 4 and any g (BRP-SpMM,
/// sections IV.D and IV.E). All pointers are device memory.
///
/// product.values are those of BlockRowPartitionPattern; group_columns is aligned to 8 bytes. product.x is columns of
/// A x N, product.y rows of A x N, with any N and any strides; y_rows is honoured, conjugate_values has no meaning for
/// reals, x_rows must be null.
/// workspace: brp_workspace_bytes, aligned to 256 bytes; nothing else may use it before the product is done.
/// precision: Native for double (FP64 products and sums), Tf32x3 or Tf32 for float.
///
/// A column of Y depends neither on N, nor on the other columns of X, nor on alignment, nor on the run. An infinity or
/// a NaN in X reaches only the rows of Y that have an entry in its row of X. Sums of tiles that are not finite are
/// computed again from the entries alone, which is slow.
///
/// Deviations from the paper: f is 1 there. Here one warp has the groups and the residual rows of a window, or of a
/// piece of it, for a slab of columns, and adds both up in registers. Y is written once; the paper adds to Y atomically
/// for each group, and again in a second kernel. The groups of a warp are therefore adjacent, and the number of their
/// tiles matters only to the format. Residual entries become tiles of 8 entries, which is faster (brp/Policy.hpp); the
/// paper leaves them to CUDA cores. Operands are swapped (FragmentLayout). A lane writes one entry into a tile of its
/// warp in shared memory, and later overwrites it with zero, so that tiles are never cleared. Rows of X go from global
/// memory to registers.
///
/// Throws std::invalid_argument for an f, a precision, an alignment or a workspace that does not fit, std::length_error
/// for sizes beyond a launch, std::runtime_error if a launch fails. Cost: 16 * 128 multiplications for each
/// 8 f entries of groups, or 8 residual ones, and 16 columns; reads a row of X for each f entries, or residual one.
template <class Offset, class Scalar>
void brp_spmm(Stream stream, const BlockRowPartitionPattern<Offset>& A, Precision precision,
              const BrpSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Cuda
