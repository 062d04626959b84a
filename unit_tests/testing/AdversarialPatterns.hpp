// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "TestMatrix.hpp"

namespace Tessera::Impl::Test {

/// Patterns whose shapes end at, before and after the edges of windows and tiles, with rows of every kind.
template <class Offset>
std::vector<HostPattern<Offset>> adversarial_patterns() {
  std::vector<HostPattern<Offset>> patterns;
  for (const int rows : {0, 1, 7, 8, 9, 15, 16, 17, 64, 65}) {
    for (const int columns : {0, 1, 7, 8, 9, 63, 64, 65}) {
      patterns.push_back(random_pattern<Offset>(rows, columns, 1.0, 1));                  // full
      patterns.push_back(random_pattern<Offset>(rows, columns, 0.2, rows + columns, 3));  // with empty rows
    }
  }
  patterns.push_back(random_pattern<Offset>(400, 300, 0.02, 5));
  patterns.push_back(random_pattern<Offset>(33, 1500, 0.3, 7, 5));       // long rows
  HostPattern<Offset> hub = random_pattern<Offset>(20, 4000, 0.001, 6);  // one full row among nearly empty ones
  for (int j = 0; j < hub.columns; ++j) hub.column_indices.push_back(j);
  hub.end_row();
  patterns.push_back(hub);
  return patterns;
}

}  // namespace Tessera::Impl::Test
