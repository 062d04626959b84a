// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/Half.hpp>
#include <tessera/common/Multivector.hpp>

namespace Tessera::Impl {

/// The arguments of a kernel, in addition to the pattern of A in some format, to compute Y = alpha A X + beta Y.
///
/// A format may store the rows of A in another order. y_rows[i] is then the row of Y that row i of the format belongs
/// to, and kernels scatter rows of Y as they write them. Only Bcsr may also store columns in another order: x_rows[j]
/// is then the row of X for column j. SortedColumns uses neither array. A null pointer means that the order is
/// unchanged.
///
/// If X and Y have 16 bits, factors and sums are of type float: see Sum.
template <class MatrixScalar, class VectorScalar>
struct Product {
  using Sum = sum_of_t<VectorScalar>;    ///< the type of factors and sums
  const MatrixScalar* values = nullptr;  ///< values of A in the order of the format
  bool conjugate_values = false;         ///< whether values are conjugated as they are read
  Sum alpha;                             ///< the factor of A X, not 0
  Multivector<const VectorScalar> x;     ///< X
  Sum beta;                              ///< the factor of Y; 0 overwrites Y
  Multivector<VectorScalar> y;           ///< Y
  const Ordinal* y_rows = nullptr;       ///< the row of Y of each row of A, or null
  const Ordinal* x_rows = nullptr;       ///< the row of X of each column of A, or null
  /// Whether portable code for devices sums a single column like a column among others. Schedules tell CUDA's kernels.
  bool same_bits_alone = false;
};

/// Returns the same product for the columns first, ..., first + count - 1 of X and Y alone.
template <class MatrixScalar, class VectorScalar>
Product<MatrixScalar, VectorScalar> columns_of(Product<MatrixScalar, VectorScalar> product, Ordinal first,
                                               Ordinal count) {
  product.x = columns_of(product.x, first, count);
  product.y = columns_of(product.y, first, count);
  return product;
}

/// Scratch memory that a kernel borrows from its caller.
struct Scratch {
  std::byte* data = nullptr;  ///< the first byte
  std::size_t bytes = 0;      ///< number of bytes
};

}  // namespace Tessera::Impl
