// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/common/StagedView.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/condensed/Schedule.hpp>

namespace Tessera::Cuda {

/// Which X staged_spmm() reads in place.
inline constexpr XAccess staged_x_access = XAccess::Vectors;

/// Bytes of scratch memory for a product of these operands.
template <class Scalar>
std::size_t staged_workspace_bytes(const StagedPattern& A, const CondensedSchedule<int>& schedule,
                                   const Multivector<const Scalar>& x) {
  return window_scratch(schedule, A.window_rows, x, staged_x_access).bytes;
}

/// Y = alpha A X + beta Y on tensor cores, A in windows of 64 rows, in strips of 8, whose rows of X are staged in
/// shared memory. All pointers are device memory; A.window_offsets is not read.
///
/// It suits matrices whose windows share columns: reordered meshes, blocks, bands. schedule: build_condensed_schedule
/// of the window offsets with A.piece_chunks and PieceCut::Full. product.x is columns of A x N, product.y rows of A x
/// N, with any N and any strides; y_rows is honoured, conjugate_values has no meaning for reals, x_rows must be null.
/// workspace: staged_workspace_bytes, aligned to 256 bytes; nothing else may use it before the product is done.
/// precision: Native (FP64 products and sums). Scalar: double.
///
/// A column of Y depends neither on N, nor on the other columns of X, nor on alignment, nor on the run. An infinity or
/// a NaN in X reaches only the rows of Y that have an entry in its row of X. Sums of tiles that are not finite are
/// computed again from the entries alone, which is slow.
///
/// Throws std::invalid_argument for a precision, a shape of windows or a workspace that does not fit, std::length_error
/// for sizes beyond a launch, std::runtime_error if a launch fails, as when chunks do not fit in shared memory. Cost:
/// reads a row of X once for each window that has its column; 16 * 64 multiplications for each tile and 16 columns.
template <class Scalar>
void staged_spmm(Stream stream, const StagedPattern& A, Precision precision, const CondensedSchedule<int>& schedule,
                 const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Cuda
