// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "HostPattern.hpp"
#include "brp/BrpView.hpp"

namespace Tessera::Impl::Test {

/// The block-row partition (BrpView.hpp) on the host. slots has the entry at each place: entries of
/// groups first, then residual entries.
struct HostBrp {
  int rows = 0, columns = 0, f = 1, g = 1;
  std::vector<int> group_windows, group_columns, residual_rows, residual_columns;
  std::vector<Offset> window_groups{0}, window_residuals{0}, residual_offsets{0}, slots;
  std::vector<std::uint8_t> local_ids;

  BrpPattern view() const {
    return {rows,
            columns,
            f,
            g,
            static_cast<Offset>(group_windows.size()),
            group_windows.data(),
            window_groups.data(),
            local_ids.data(),
            group_columns.data(),
            residual_rows.data(),
            residual_offsets.data(),
            residual_columns.data(),
            window_residuals.data()};
  }

  /// Calls visit(name, array) for each array of the pattern.
  template <class Visit>
  void for_each_array(const Visit& visit) const {
    visit("group_windows", group_windows);
    visit("window_groups", window_groups);
    visit("local_ids", local_ids);
    visit("group_columns", group_columns);
    visit("residual_rows", residual_rows);
    visit("residual_offsets", residual_offsets);
    visit("residual_columns", residual_columns);
    visit("window_residuals", window_residuals);
  }
};

struct BrpEntry {
  int column, row;
  std::size_t slot;
};

/// Returns the entries of a window, sorted by column, then row.
template <class From>
std::vector<BrpEntry> brp_window(const HostPattern<From>& A, int window) {
  std::vector<BrpEntry> entries;
  for (int row = 16 * window; row < std::min(A.rows, 16 * window + 16); ++row) {
    for (From k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      entries.push_back({A.column_indices[k], row, static_cast<std::size_t>(k)});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const BrpEntry& a, const BrpEntry& b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  });
  return entries;
}

/// Moves to the front the local columns (of f entries each) that make whole groups. The other entries follow in the
/// same order. Returns the number of entries in front.
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
    B.slots.push_back(static_cast<Offset>(entries[e].slot));
  }
  B.window_groups.push_back(static_cast<Offset>(B.group_windows.size()));
}

inline void add_brp_residual(std::vector<BrpEntry>& entries, std::size_t grouped, HostBrp& B,
                             std::vector<Offset>& slots) {
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
    slots.push_back(static_cast<Offset>(entries[e].slot));
  }
  B.window_residuals.push_back(static_cast<Offset>(B.residual_rows.size()));
}

/// Builds the partition serially, window by window and entry by entry. Cost: a sort of each window's entries.
template <class From>
HostBrp serial_brp(const HostPattern<From>& A, int f, int g) {
  HostBrp B;
  B.rows = A.rows;
  B.columns = A.columns;
  B.f = f;
  B.g = g;
  std::vector<Offset> residual_slots;
  for (int window = 0; 16 * window < A.rows; ++window) {
    auto entries = brp_window(A, window);
    const std::size_t grouped = split_brp_window(entries, f, g);
    add_brp_groups(entries, grouped, window, B);
    add_brp_residual(entries, grouped, B, residual_slots);
  }
  B.slots.insert(B.slots.end(), residual_slots.begin(), residual_slots.end());
  return B;
}

}  // namespace Tessera::Impl::Test
