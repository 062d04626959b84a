// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "HostPattern.hpp"

namespace Tessera::Impl::Test {

/// A matrix in host memory, as canonical compressed rows.
struct HostMatrix : HostPattern<int> {
  std::vector<double> values;
};

/// Rows with up to `longest` entries each. Every fifth row is empty, and the last row is full.
inline HostMatrix random_matrix(int rows, int columns, int longest, std::uint64_t seed) {
  Random random(seed);
  HostMatrix A;
  A.columns = columns;
  while (A.rows < rows) {
    const int wanted = columns == 0 || A.rows % 5 == 4 ? 0 : random.below(longest + 1);
    std::vector<int> row;
    for (int k = 0; k < wanted; ++k) row.push_back(random.below(columns));
    if (A.rows + 1 == rows) {
      row.resize(static_cast<std::size_t>(columns));
      std::iota(row.begin(), row.end(), 0);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    A.column_indices.insert(A.column_indices.end(), row.begin(), row.end());
    A.end_row();
  }
  A.values = random_values<double>(A.nonzeros(), seed + 1);
  return A;
}

/// The values that a format stores: slots[i] is the entry whose value is stored at i, or -1 for a zero.
template <class Scalar, class Offset>
std::vector<Scalar> placed_values(const std::vector<double>& values, const std::vector<Offset>& slots) {
  std::vector<Scalar> placed(slots.size(), Scalar(0));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] != static_cast<Offset>(-1))
      placed[i] = static_cast<Scalar>(values[static_cast<std::size_t>(slots[i])]);
  }
  return placed;
}

}  // namespace Tessera::Impl::Test
