// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/Half.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>

namespace Tessera::Impl {

/// The properties of an X that make_plan() uses.
struct VectorShape {
  std::size_t rows = 0;
  std::size_t columns = 1;
  bool is_column_major = false;
  bool is_half = false;  ///< whether elements have 16 bits
};

/// \param X [in] a View of rank 1 or 2
template <class XView>
VectorShape shape_of(const XView& X) {
  VectorShape shape;
  shape.rows = X.extent(0);
  if constexpr (XView::rank() == 2) {
    shape.columns = X.extent(1);
    shape.is_column_major = X.extent(1) > 1 && X.stride(0) < X.stride(1);
  }
  shape.is_half = is_half_v<kernel_scalar_t<typename XView::value_type>>;
  return shape;
}

/// Returns the options with the number, the layout and the width of vectors like X.
///
/// \param rows    [in] number of rows of the matrix, in elements
/// \param columns [in] number of columns of the matrix, in elements
/// \throws std::invalid_argument if X does not fit products with the matrix, transposed or not
PlanOptions options_for(const VectorShape& X, std::size_t rows, std::size_t columns, PlanOptions options);

}  // namespace Tessera::Impl
