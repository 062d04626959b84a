// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BlockRowPartitionView.hpp>
#include <tessera/cuda/BrpSchedule.hpp>

#include "CondensedArguments.hpp"
#include "MaskDecode.hpp"

namespace Tessera::Cuda {

/// What the kernels for block-row partitions are given.
template <class Offset, class Scalar>
struct BrpArguments {
  BlockRowPartitionPattern<Offset> A;
  const BrpItem<Offset>* items = nullptr;
  /// What they have in common with condensed windows of two strips: the product, sums of pieces, sizes.
  CondensedArguments<Offset, Scalar, Scalar> windows;
};

/// Entries begin, ..., end - 1 of the residual ones of an item.
struct ResidualRange {
  int begin, end;

  TESSERA_FUNCTION int size() const { return end - begin; }
  TESSERA_FUNCTION bool has(int entry) const { return entry >= begin && entry < end; }
};

/// Those that row r of the window has.
template <class Offset>
TESSERA_FUNCTION ResidualRange residual_range(const BlockRowPartitionPattern<Offset>& A, const BrpItem<Offset>& item,
                                              int r) {
  if ((item.residual_rows >> r & 1u) == 0) return {0, 0};
  const Offset* offsets = A.residual_offsets + item.first_listed + popcount32(item.residual_rows & ((1u << r) - 1));
  const auto of_item = [&](Offset entry) {
    if (entry <= item.first_residual) return 0;
    const Offset number = entry - item.first_residual;
    return number < static_cast<Offset>(item.residuals) ? static_cast<int>(number) : item.residuals;
  };
  return {of_item(offsets[0]), of_item(offsets[1])};
}

}  // namespace Tessera::Cuda
