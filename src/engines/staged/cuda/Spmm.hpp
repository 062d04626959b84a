// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "condensed/cuda/Schedule.hpp"
#include "staged/StagedView.hpp"

namespace Tessera::Impl::Cuda {

/// How staged_spmm() reads X. This decides whether X is read in place.
inline constexpr XAccess staged_x_access = XAccess::Vectors;

/// Returns the bytes of scratch memory for a product with these operands.
template <class Scalar>
std::size_t staged_workspace_bytes(const StagedPattern& A, const CondensedSchedule& schedule,
                                   const Multivector<const Scalar>& x) {
  return window_scratch(schedule, A.window_rows, x, staged_x_access).bytes;
}

/// Computes Y = alpha A X + beta Y on tensor cores, with A in windows of 64 rows and strips of 8, and rows of X staged
/// in shared memory. All pointers are device memory; A.window_offsets is not read.
///
/// It suits matrices whose windows share columns: reordered meshes, blocks, bands. The schedule comes from
/// build_condensed_schedule() of the window offsets, A.piece_chunks and PieceCut::Full. condensed_spmm() has the rules
/// for other arguments and errors; std::runtime_error also means that chunks do not fit in shared memory. precision is
/// Native (FP64 products and sums), Scalar is double.
///
/// Cost: a row of X is read once for each window that has its column. Each tile takes 16 * 64 multiplications for each
/// 16 columns.
template <class Scalar>
void staged_spmm(Stream stream, const StagedPattern& A, Precision precision, const CondensedSchedule& schedule,
                 const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
