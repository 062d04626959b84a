// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "row_groups/RowGroupsView.hpp"
#include "row_groups/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// How row_groups_spmm() reads X: in whole vectors of 16 bytes.
inline constexpr XAccess row_groups_x_access = XAccess::WholeVectors;

/// Returns the bytes of scratch memory for a product with x.
template <class Scalar>
std::size_t row_groups_workspace_bytes(const RowGroupsSchedule& schedule, const Multivector<const Scalar>& x) {
  return window_scratch(schedule, RowGroupsSchedule::slot_rows, x, row_groups_x_access).bytes;
}

/// Computes Y = alpha A X + beta Y on CUDA cores, with A in row groups, for real and complex numbers. Operands and
/// errors are as for condensed_spmm(), but conjugate_values is supported. For 16-bit X and Y, values are float.
///
/// A group of lanes computes the rows of a row group together, each lane one or two vectors of their columns. A row of
/// X is read once for up to four rows of A. All lanes read the same four columns, and the same values, 16 bytes at a
/// time. A place without an entry is multiplied as zero. If sums are then not finite, they are computed again from the
/// entries only, because such a zero may have been multiplied by an infinity or a NaN of X.
///
/// A column of Y does not depend on the number of columns, alignment, or the other columns of X, and is the same in
/// every run. Exception: the sign of a zero that underflowed may change if another column is not finite. The columns of
/// an item are added from first to last by fused multiply-adds, and pieces from first to last.
///
/// Cost: 2 N operations for each value, including zeros. For each column of a group and each slab of columns of X,
/// 4 + v height bytes of A are read (v bytes per value). A row of X is read for each column of a group.
template <class InMemory>
void row_groups_spmm(Stream stream, const RowGroupsPattern& A, const RowGroupsSchedule& schedule,
                     const Product<sum_of_t<InMemory>, InMemory>& product, const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
