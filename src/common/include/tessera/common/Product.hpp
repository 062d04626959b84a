// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Multivector.hpp>

namespace Tessera {

/// Everything about Y = alpha A X + beta Y but the pattern of A: what a kernel of any format is given.
///
/// values are in the order of the format. With conjugate_values, A's values are conjugated as they are read. beta = 0
/// overwrites Y. A kernel is never called with alpha = 0.
///
/// Where a format holds A with its rows in another order, y_rows[i] is the row of Y that its row i belongs to: sums are
/// scattered as they are written. x_rows[j], likewise, is the row of X for its column j; only Bcsr has use for it, the
/// others name any rows of X as their columns, and SortedColumns, which adds to rows of Y as they come, has none for
/// either. A null pointer: the order that X and Y have.
template <class MatrixScalar, class VectorScalar>
struct Product {
  const MatrixScalar* values = nullptr;
  bool conjugate_values = false;
  VectorScalar alpha;
  Multivector<const VectorScalar> x;
  VectorScalar beta;
  Multivector<VectorScalar> y;
  const Ordinal* y_rows = nullptr;
  const Ordinal* x_rows = nullptr;
};

/// Scratch memory that a caller lends to a kernel.
struct Scratch {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

}  // namespace Tessera
