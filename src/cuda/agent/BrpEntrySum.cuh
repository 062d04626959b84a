// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "BrpArguments.hpp"

namespace Tessera::Cuda {

/// One element of A X from the groups and residual entries of an item, from the entries alone: see EntrySum.cuh.
/// `row` counts from the window's first.
template <class Kind, class Offset, class Scalar>
__device__ Scalar sum_entries(const BrpArguments<Offset, Scalar>& arguments, const BrpItem<Offset>& item, int row,
                              int column) {
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
    const Ordinal* columns = A.residual_columns + item.first_residual;
    const Scalar* values = product.values + A.grouped_entries() + item.first_residual;
    const ResidualRange range = residual_range(A, item, row);
    for (int k = range.begin; k < range.end; ++k) sum += values[k] * product.x(columns[k], column);
  }
  return sum;
}

}  // namespace Tessera::Cuda
