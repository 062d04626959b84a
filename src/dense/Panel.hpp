// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/dense/TallBlock.hpp>

namespace Tessera::Impl {

/// Upper bound on the columns that a kernel handles.
inline constexpr Ordinal panel_columns = 128;

/// A block of at most panel_columns columns, which has its own list of columns, so kernels can take it by value.
template <class Scalar>
struct Panel {
  Scalar* data = nullptr;
  Ordinal rows = 0;
  Ordinal columns = 0;
  std::ptrdiff_t row_stride = 0;
  bool has_list = false;  // otherwise columns are adjacent
  Ordinal places[panel_columns];

  KOKKOS_FUNCTION Scalar& operator()(Ordinal i, Ordinal j) const {
    return data[i * row_stride + (has_list ? places[j] : j)];
  }
  KOKKOS_FUNCTION Scalar* row(Ordinal i) const { return data + i * row_stride; }
};

/// Returns at most panel_columns columns of a block, from `first` on; without a list if they are adjacent.
template <class Scalar>
Panel<Scalar> panel_of(const TallBlock<Scalar>& block, Ordinal first = 0) {
  Panel<Scalar> panel;
  panel.rows = block.rows;
  panel.columns = std::min(panel_columns, block.columns - first);
  panel.row_stride = block.row_stride;
  panel.data = block.data;
  if (panel.columns == 0 || block.rows == 0) return panel;
  for (Ordinal j = 0; j < panel.columns; ++j) {
    panel.places[j] = block.place(first + j);
    panel.has_list = panel.has_list || panel.places[j] != panel.places[0] + j;
  }
  if (!panel.has_list) panel.data += panel.places[0];
  return panel;
}

/// Calls body(first) for the first column of each panel.
template <class Body>
void for_each_panel(Ordinal columns, const Body& body) {
  for (std::ptrdiff_t first = 0; first < columns; first += panel_columns) body(static_cast<Ordinal>(first));
}

}  // namespace Tessera::Impl
