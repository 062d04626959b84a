// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BlockRowPartitionView.hpp>
#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/brp/Schedule.hpp>

namespace Tessera::Cuda {

/// Scratch memory, in bytes, for a product of these operands with any arithmetic: sums of the pieces of windows that
/// the schedule splits, and X by rows if its columns are not adjacent.
template <class Offset, class Scalar>
std::size_t brp_workspace_bytes(const BlockRowPartitionPattern<Offset>& A, const BrpSchedule<Offset>& schedule,
                                const Multivector<const Scalar>& x);

/// Y = alpha A X + beta Y on tensor cores, A in the block-row partition with f = 1, 2 or 4 and any g (BRP-SpMM,
/// sections IV.D and IV.E). All pointers are device memory.
///
/// product.values are those of BlockRowPartitionPattern; group_columns is aligned to 8 bytes. product.x is columns of
/// A x N, product.y rows of A x N, with any N and any strides; y_rows is honoured, conjugate_values has no meaning for
/// reals, x_rows must be null.
/// workspace: brp_workspace_bytes, aligned to 256 bytes; nothing else may use it until the stream gets there.
/// precision: Native for double (FP64 products and sums), Tf32x3 or Tf32 for float.
///
/// A column of Y depends neither on N, nor on the other columns of X, nor on alignment, nor on the run. An infinity or
/// a NaN in X reaches the rows of Y that touch it and no others: sums of tiles that are not finite are computed anew
/// from the entries alone, slowly.
///
/// Deviations from the paper: f is 1 there. One warp has the groups and the residual rows of a window (or of a piece of
/// it) for a slab of columns, and adds both up in registers: Y is written once, where the paper adds to it atomically
/// for each group, and again in a second kernel. That makes groups adjacent, and how many tiles they have matters to
/// the format alone. Residual entries, which the paper leaves to CUDA cores, are tiles of 8 entries: faster
/// (brp/Policy.hpp). Operands are swapped (FragmentLayout). A lane scatters one entry into tiles of its warp in shared
/// memory, which are zero otherwise, and takes it out again: tiles are not cleared. X rows go from global memory to
/// registers.
///
/// Throws std::invalid_argument for an f, a precision, an alignment or a workspace that does not do, std::length_error
/// for sizes beyond a launch, std::runtime_error if a launch fails. Cost: 16 * 128 multiplications for each
/// 8 f entries of groups, or 8 residual ones, and 16 columns; reads a row of X for each f entries, or residual one.
template <class Offset, class Scalar>
void brp_spmm(Stream stream, const BlockRowPartitionPattern<Offset>& A, Precision precision,
              const BrpSchedule<Offset>& schedule, const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Cuda
