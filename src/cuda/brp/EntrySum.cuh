// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Arguments.hpp"
#include "Policy.hpp"

namespace Tessera::Cuda {

/// Of the residual entries that row r of the window has, those of the item. On CUDA cores a lane adds those of some
/// rows, so that a piece has its share of each; on tensor cores rows are nothing to it, and pieces are adjacent.
template <class Policy, class Offset, class Scalar>
__device__ __forceinline__ ResidualRange residual_of_row(const WindowResidual<Offset, Scalar>& residual,
                                                         const BrpItem<Offset>& item, int r) {
  const ResidualRange row = residual.row(r);
  if constexpr (Policy::residual != BrpResidual::TensorCores) return row.piece(item.piece, item.pieces);
  const ResidualRange piece = ResidualRange{0, residual.size()}.piece(item.piece, item.pieces);
  return {max(row.begin, piece.begin), min(row.end, piece.end)};
}

/// One element of A X from the groups and residual entries of an item, from the entries alone: see EntrySum.cuh.
/// `row` counts from the window's first.
template <class Kind, class Policy, class Offset, class Scalar>
__device__ __forceinline__ Scalar sum_entries(const BrpArguments<Offset, Scalar>& arguments,
                                              const BrpItem<Offset>& item, int row, int column) {
  const BlockRowPartitionPattern<Offset>& A = arguments.A;
  const Product<Scalar, Scalar>& product = arguments.windows.product;
  Scalar sum = 0;
  if constexpr (Kind::has_groups) {
    const std::size_t size = static_cast<std::size_t>(A.group_entries());
    const std::size_t first = std::size_t(item.first_group) * size, end = first + std::size_t(item.groups) * size;
    for (std::size_t place = first; place < end; ++place) {
      if (brp_local_row(A.local_ids[place]) != row) continue;
      sum += product.values[place] * product.x(A.group_columns[place / Kind::f], column);
    }
  }
  if constexpr (Kind::has_residual) {
    if (item.residual_rows == 0) return sum;
    const WindowResidual<Offset, Scalar> residual(A, product.values, item);
    const ResidualRange range = residual_of_row<Policy>(residual, item, row);
    for (int k = range.begin; k < range.end; ++k) sum += residual.values[k] * product.x(residual.columns[k], column);
  }
  return sum;
}

}  // namespace Tessera::Cuda
