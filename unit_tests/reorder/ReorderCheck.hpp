// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "TestMatrix.hpp"

/// Orders of rows and what they make of a matrix, on the host.
namespace Tessera::Test {

/// The rows of A in an order.
template <class Offset>
HostPattern<Offset> rows_in_order(const HostPattern<Offset>& A, const std::vector<int>& order) {
  HostPattern<Offset> result;
  result.columns = A.columns;
  for (const int row : order) {
    const auto offset = [&](int r) {
      return A.column_indices.begin() + static_cast<std::ptrdiff_t>(A.row_offsets[static_cast<std::size_t>(r)]);
    };
    result.column_indices.insert(result.column_indices.end(), offset(row), offset(row + 1));
    result.end_row();
  }
  return result;
}

/// Distinct columns of all windows of `height` rows: rows of X that are read when each window reads them once.
template <class Offset>
std::size_t distinct_columns(const HostPattern<Offset>& A, int height) {
  std::vector<int> last_window(static_cast<std::size_t>(A.columns), -1);
  std::size_t count = 0;
  for (int row = 0; row < A.rows; ++row) {
    for (auto k = A.row_offsets[static_cast<std::size_t>(row)]; k < A.row_offsets[static_cast<std::size_t>(row) + 1];
         ++k) {
      int& window = last_window[static_cast<std::size_t>(A.column_indices[static_cast<std::size_t>(k)])];
      if (window != row / height) ++count;
      window = row / height;
    }
  }
  return count;
}

}  // namespace Tessera::Test
