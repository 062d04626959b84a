// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// A dense block of columns with any strides, in memory that the caller owns.
///
/// Element (i, j) is data[i * row_stride + j * column_stride]. Strides count elements, not bytes: LayoutRight has
/// column_stride 1, LayoutLeft has row_stride 1.
template <class Scalar>
struct Multivector {
  using Element = Scalar;            ///< the type of an element
  Scalar* data = nullptr;            ///< element (0, 0)
  Ordinal rows = 0;                  ///< number of rows
  Ordinal columns = 0;               ///< number of columns
  std::ptrdiff_t row_stride = 0;     ///< elements from one row to the next
  std::ptrdiff_t column_stride = 0;  ///< elements from one column to the next

  /// Returns element (i, j).
  TESSERA_FUNCTION Scalar& operator()(Ordinal i, Ordinal j) const { return data[i * row_stride + j * column_stride]; }
};

/// Returns the columns first, ..., first + count - 1 of a multivector.
template <class Scalar>
Multivector<Scalar> columns_of(const Multivector<Scalar>& x, Ordinal first, Ordinal count) {
  return {x.data + first * x.column_stride, x.rows, count, x.row_stride, x.column_stride};
}

/// Returns the rows first, ..., first + count - 1 of a multivector.
template <class Scalar>
Multivector<Scalar> rows_of(const Multivector<Scalar>& x, Ordinal first, Ordinal count) {
  return {x.data + first * x.row_stride, count, x.columns, x.row_stride, x.column_stride};
}

}  // namespace Tessera::Impl
