// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/common/BlockRowPartitionView.hpp>
#include <utility>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Bench {

/// A matrix in the block-row partition (tessera/common/BlockRowPartitionView.hpp), on the host: entry after entry, with
/// nothing of the library's builder.
struct HostBrp {
  int rows = 0, columns = 0, f = 1, g = 1;
  std::vector<int> group_windows, window_groups = {0}, group_columns;
  std::vector<std::uint8_t> local_ids;
  std::vector<int> residual_rows, residual_offsets = {0}, residual_columns, window_residuals = {0};
  std::vector<double> values;  // of the groups, then the residual ones

  int groups() const { return static_cast<int>(group_windows.size()); }
};

namespace Impl {

struct BrpEntry {
  int column, row;
  double value;
};

/// The entries of a window, column by column.
inline std::vector<BrpEntry> brp_window(const HostMatrix& A, int window) {
  std::vector<BrpEntry> entries;
  for (int row = 16 * window; row < std::min(A.rows, 16 * window + 16); ++row) {
    for (int k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      entries.push_back({A.column_indices[k], row, A.values[k]});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const BrpEntry& a, const BrpEntry& b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  });
  return entries;
}

/// Local columns of f entries, as many as make whole groups, in front; the other entries behind, in the same order.
/// Returns how many are in front.
inline std::size_t split_brp_window(std::vector<BrpEntry>& entries, int f, int g) {
  std::vector<BrpEntry> grouped, residual;
  for (std::size_t first = 0; first < entries.size();) {
    std::size_t end = first;
    while (end < entries.size() && entries[end].column == entries[first].column) ++end;
    const std::size_t whole = first + (end - first) / f * f;
    grouped.insert(grouped.end(), entries.begin() + first, entries.begin() + whole);
    residual.insert(residual.end(), entries.begin() + whole, entries.begin() + end);
    first = end;
  }
  const std::size_t kept = grouped.size() / (8 * f * g) * (8 * f * g);
  residual.insert(residual.end(), grouped.begin() + kept, grouped.end());
  grouped.resize(kept);
  std::copy(residual.begin(), residual.end(), std::copy(grouped.begin(), grouped.end(), entries.begin()));
  return kept;
}

inline void add_brp_groups(const std::vector<BrpEntry>& entries, std::size_t grouped, int window, HostBrp& B) {
  for (std::size_t e = 0; e < grouped; ++e) {
    if (e % (8 * B.f * B.g) == 0) B.group_windows.push_back(window);
    if (e % B.f == 0) B.group_columns.push_back(entries[e].column);
    B.local_ids.push_back(static_cast<std::uint8_t>(entries[e].row % 16 * 8 + e / B.f % 8));
    B.values.push_back(entries[e].value);
  }
  B.window_groups.push_back(B.groups());
}

inline void add_brp_residual(std::vector<BrpEntry>& entries, std::size_t grouped, HostBrp& B,
                             std::vector<double>& values) {
  std::sort(entries.begin() + grouped, entries.end(), [](const BrpEntry& a, const BrpEntry& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  });
  for (std::size_t e = grouped; e < entries.size(); ++e) {
    if (e == grouped || entries[e].row != entries[e - 1].row) {
      B.residual_rows.push_back(entries[e].row);
      B.residual_offsets.push_back(B.residual_offsets.back());
    }
    ++B.residual_offsets.back();
    B.residual_columns.push_back(entries[e].column);
    values.push_back(entries[e].value);
  }
  B.window_residuals.push_back(static_cast<int>(B.residual_rows.size()));
}

}  // namespace Impl

/// Cost: a sort of each window.
inline HostBrp build_host_brp(const HostMatrix& A, int f, int g) {
  HostBrp B;
  B.rows = A.rows, B.columns = A.columns, B.f = f, B.g = g;
  std::vector<double> residual_values;
  for (int window = 0; 16 * window < A.rows; ++window) {
    auto entries = Impl::brp_window(A, window);
    const std::size_t grouped = Impl::split_brp_window(entries, f, g);
    Impl::add_brp_groups(entries, grouped, window, B);
    Impl::add_brp_residual(entries, grouped, B, residual_values);
  }
  B.values.insert(B.values.end(), residual_values.begin(), residual_values.end());
  if (B.values.size() != A.values.size()) {
    throw std::logic_error("a block-row partition holds " + std::to_string(B.values.size()) + " of " +
                           std::to_string(A.values.size()) + " entries");
  }
  return B;
}

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

inline std::vector<unsigned> brp_columns(const std::vector<BrpEntry>& entries) {
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
    const auto columns = Impl::brp_columns(Impl::brp_window(A, window));
    for (Impl::BrpCount& count : counts) count.add_window(columns);
  }
  const auto best = std::min_element(counts.begin(), counts.end(), [&](const auto& a, const auto& b) {
    return a.bytes(value_bytes) < b.bytes(value_bytes);
  });
  return {best->f, best->g};
}

}  // namespace Tessera::Bench
