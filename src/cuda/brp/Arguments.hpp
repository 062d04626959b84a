// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BlockRowPartitionView.hpp>
#include <tessera/cuda/brp/Schedule.hpp>

#include "../condensed/Arguments.hpp"
#include "../fragments/MaskDecode.hpp"

namespace Tessera::Cuda {

/// What the kernels for block-row partitions are given.
template <class Offset, class Scalar>
struct BrpArguments {
  BlockRowPartitionPattern<Offset> A;
  const BrpItem<Offset>* items = nullptr;
  /// What they have in common with condensed windows of two strips: the product, sums of pieces, sizes.
  CondensedArguments<Offset, Scalar, Scalar> windows;
};

/// Entries begin, ..., end - 1 of the residual ones of a window.
struct ResidualRange {
  int begin, end;

  TESSERA_FUNCTION int size() const { return end - begin; }
  TESSERA_FUNCTION bool has(int entry) const { return entry >= begin && entry < end; }
  TESSERA_FUNCTION ResidualRange piece(int p, int pieces) const {
    if (pieces == 1) return *this;
    return {begin + first_of_even_piece(size(), pieces, p), begin + first_of_even_piece(size(), pieces, p + 1)};
  }
};

/// The residual entries of an item's window.
template <class Offset, class Scalar>
struct WindowResidual {
  const Offset* offsets;
  unsigned rows;
  Offset first;
  const Ordinal* columns;
  const Scalar* values;

  TESSERA_FUNCTION WindowResidual(const BlockRowPartitionPattern<Offset>& A, const Scalar* all_values,
                                  const BrpItem<Offset>& item)
      : offsets(A.residual_offsets + item.first_listed),
        rows(item.residual_rows),
        first(offsets[0]),
        columns(A.residual_columns + first),
        values(all_values + A.grouped_entries() + first) {}

  TESSERA_FUNCTION int size() const { return static_cast<int>(offsets[popcount32(rows)] - first); }
  /// Those that row r of the window has.
  TESSERA_FUNCTION ResidualRange row(int r) const {
    if ((rows >> r & 1u) == 0) return {0, 0};
    const Offset* of_row = offsets + popcount32(rows & ((1u << r) - 1));
    return {static_cast<int>(of_row[0] - first), static_cast<int>(of_row[1] - first)};
  }
};

}  // namespace Tessera::Cuda
