// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "../HostFormats.hpp"

namespace Tessera::Bench {
namespace Impl {

/// What the windows that were added become with one f and g; entries are not placed, rows are bits.
struct BrpCount {
  int f, g;
  std::size_t groups = 0, residuals = 0, residual_rows = 0;

  /// columns: the rows that have an entry in each, ascending.
  void add_window(const std::vector<unsigned>& columns) {
    const std::size_t width = 8 * static_cast<std::size_t>(g);
    unsigned open_rows = 0, left_rows = 0;  // of columns that await the rest of a group; of entries in no local column
    std::size_t open = 0;
    for (unsigned rows : columns) {
      int entries = __builtin_popcount(rows);
      for (; entries >= f; entries -= f) {
        for (int i = 0; i < f; ++i, rows &= rows - 1) open_rows |= rows & -rows;
        if (++open == width) ++groups, open = 0, open_rows = 0;
      }
      left_rows |= rows;
      residuals += entries;
    }
    residuals += open * f;
    residual_rows += __builtin_popcount(open_rows | left_rows);
  }

  /// What a product with 128 columns moves, as the format counts it (choose_brp_parameters).
  double bytes(std::size_t value_bytes) const {
    const double vector_row = 128.0 * static_cast<double>(value_bytes);
    const double local_columns = 8.0 * g * static_cast<double>(groups);
    return 4.0 * static_cast<double>(groups) + (4 + vector_row) * (local_columns + static_cast<double>(residuals)) +
           local_columns * f + (8 + 2 * vector_row) * static_cast<double>(residual_rows);
  }
};

inline std::vector<unsigned> brp_columns(const std::vector<Test::BrpEntry>& entries) {
  std::vector<unsigned> columns;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (e == 0 || entries[e].column != entries[e - 1].column) columns.push_back(0);
    columns.back() |= 1u << entries[e].row % 16;
  }
  return columns;
}

}  // namespace Impl

/// f and g of 1, 2 and 4 that move the fewest bytes, of those that align groups to 128 bytes.
inline std::pair<int, int> choose_brp(const HostMatrix& A, std::size_t value_bytes) {
  std::vector<Impl::BrpCount> counts;
  for (const int f : {1, 2, 4}) {
    for (const int g : {1, 2, 4}) {
      if (static_cast<std::size_t>(f * g) * value_bytes % 16 == 0) counts.push_back({f, g});
    }
  }
  for (int window = 0; 16 * window < A.rows; ++window) {
    const auto columns = Impl::brp_columns(Test::brp_window(A, window));
    for (Impl::BrpCount& count : counts) count.add_window(columns);
  }
  const auto best = std::min_element(counts.begin(), counts.end(), [&](const auto& a, const auto& b) {
    return a.bytes(value_bytes) < b.bytes(value_bytes);
  });
  return {best->f, best->g};
}

}  // namespace Tessera::Bench
