// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "TestMatrix.hpp"

/// Applies orders of rows to matrices on the host.
namespace Tessera::Impl::Test {

/// Returns the rows of A in an order.
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

}  // namespace Tessera::Impl::Test
