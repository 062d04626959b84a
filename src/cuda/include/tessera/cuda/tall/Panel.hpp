// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl::Cuda {

/// Upper bound on the columns of a tall block that a kernel handles at a time.
inline constexpr int most_panel_columns = 128;

/// Up to most_panel_columns columns of a block with many rows. Kernels receive it by value. Element (i, j) is data[i *
/// row_stride + j], or data[i * row_stride + places[j]] if columns are listed.
template <class Scalar>
struct TallPanel {
  Scalar* data = nullptr;                   ///< device memory
  Ordinal rows = 0;                         ///< number of rows
  int columns = 0;                          ///< number of columns
  std::ptrdiff_t row_stride = 0;            ///< elements from one row to the next
  bool is_listed = false;                   ///< whether columns are listed in `places`
  Ordinal places[most_panel_columns] = {};  ///< the position of each column in a row
};

}  // namespace Tessera::Impl::Cuda
