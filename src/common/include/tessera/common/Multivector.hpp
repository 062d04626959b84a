// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// A dense block of columns in memory that somebody else owns, with any strides (in elements, not bytes).
///
/// Element (i, j) is data[i * row_stride + j * column_stride]: LayoutRight has column_stride 1, LayoutLeft
/// row_stride 1.
template <class Scalar>
struct Multivector {
  Scalar* data = nullptr;
  Ordinal rows = 0;
  Ordinal columns = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;

  TESSERA_FUNCTION Scalar& operator()(Ordinal i, Ordinal j) const { return data[i * row_stride + j * column_stride]; }
};

}  // namespace Tessera
