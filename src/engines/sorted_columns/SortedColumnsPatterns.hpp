// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "AdversarialPatterns.hpp"
#include "TestMatrix.hpp"
#include "sorted_columns/SortedColumns.hpp"

namespace Tessera::Impl::Test {

/// Returns the patterns for all formats, and patterns with columns of every length.
inline std::vector<HostPattern<Offset>> patterns_for_sorted_columns() {
  auto patterns = adversarial_patterns<Offset>();
  HostPattern<Offset> triangle, hubs = random_pattern<Offset>(0, 90, 0, 0), staircase = hubs;
  triangle.columns = 70;
  for (int i = 0; i < 70; ++i) {
    for (int j = i; j < 70; ++j) triangle.column_indices.push_back(j);
    triangle.end_row();
  }
  for (int i = 0; i < 300; ++i) {  // three full columns, and scattered entries
    for (int j = 0; j < 90; ++j)
      if (j % 40 == 7 || (i * 7 + j * j) % 61 == 0) hubs.column_indices.push_back(j);
    hubs.end_row();
  }
  for (int i = 0; i < 130; ++i) {  // lengths in steps of 33 entries, 32 columns each
    for (int j = 0; j < 90; ++j)
      if (i < 33 * (1 + j / 32)) staircase.column_indices.push_back(j);
    staircase.end_row();
  }
  patterns.insert(patterns.end(), {triangle, hubs, staircase});
  return patterns;
}

template <class Exec>
auto sorted_columns_of(const HostPattern<Offset>& A, int width, int height) {
  return build_sorted_columns(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros(), width, height);
}

}  // namespace Tessera::Impl::Test
