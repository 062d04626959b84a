// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <set>

#include "HostPattern.hpp"
#include "row_groups/RowGroupsView.hpp"

namespace Tessera::Impl::Test {

/// Adds a row with these columns.
inline void add_row(HostPattern<Offset>& A, const std::vector<int>& columns) {
  A.column_indices.insert(A.column_indices.end(), columns.begin(), columns.end());
  A.end_row();
}

/// Makes runs of 1 to 6 equal rows, some rows with one more column, and some runs empty.
inline HostPattern<Offset> rows_in_runs(int rows, std::uint64_t seed) {
  Random random(seed);
  HostPattern<Offset> A;
  A.columns = 200;
  while (A.rows < rows) {
    std::vector<int> columns;
    for (int j = random.below(20); j < 199; j += 1 + random.below(20)) columns.push_back(j);
    if (random.below(6) == 0) columns.clear();
    for (int run = 1 + random.below(6); run > 0 && A.rows < rows; --run) {
      std::vector<int> row = columns;
      if (random.below(3) == 0) row.push_back(199);
      add_row(A, row);
    }
  }
  return A;
}

/// Row groups (RowGroupsView.hpp) on the host. slots has the canonical entry at each place, or -1.
struct HostRowGroups {
  int rows = 0, columns = 0;
  std::vector<int> chunk_groups{0}, first_rows{0}, group_columns;
  std::vector<Offset> column_offsets{0}, value_offsets{0}, slots;
  std::vector<std::uint8_t> column_masks;

  RowGroupsPattern view() const {
    return {rows,
            columns,
            static_cast<int>(first_rows.size()) - 1,
            chunk_groups.data(),
            first_rows.data(),
            column_offsets.data(),
            value_offsets.data(),
            group_columns.data(),
            column_masks.data()};
  }

  /// Calls visit(name, array) for each array of the pattern.
  template <class Visit>
  void for_each_array(const Visit& visit) const {
    visit("chunk_groups", chunk_groups);
    visit("first_rows", first_rows);
    visit("column_offsets", column_offsets);
    visit("value_offsets", value_offsets);
    visit("group_columns", group_columns);
    visit("column_masks", column_masks);
  }
};

/// Returns the distinct columns of the rows [first, last).
template <class From>
std::set<int> columns_of_rows(const HostPattern<From>& A, int first, int last) {
  const auto begin = A.column_indices.begin();
  return {begin + static_cast<std::ptrdiff_t>(A.row_offsets[first]),
          begin + static_cast<std::ptrdiff_t>(A.row_offsets[last])};
}

/// Returns the heights of the groups of the rows [first, last). Costs are counted in tenths.
template <class From>
std::vector<int> row_group_heights(const HostPattern<From>& A, int first, int last, int group_rows) {
  std::vector<long long> least(last - first + 1, 0);  // minimal cost of the rows from each row on
  std::vector<int> chosen(last - first, 0);
  for (int row = last - 1; row >= first; --row) {
    for (int height = std::min(group_rows, last - row); height >= 1; --height) {
      const auto columns = static_cast<long long>(columns_of_rows(A, row, row + height).size());
      const long long cost = 30 + columns * (10 + 3 * height) + least[row + height - first];
      if (chosen[row - first] != 0 && cost > least[row - first]) continue;
      least[row - first] = cost;
      chosen[row - first] = height;
    }
  }
  std::vector<int> heights;
  for (int row = first; row < last; row += heights.back()) heights.push_back(chosen[row - first]);
  return heights;
}

/// Adds the group of the rows [first, first + height).
template <class From>
void add_row_group(const HostPattern<From>& A, int first, int height, HostRowGroups& B) {
  for (const int column : columns_of_rows(A, first, first + height)) {
    unsigned mask = 0;
    for (int r = 0; r < height; ++r) {
      const auto begin = A.column_indices.begin() + static_cast<std::ptrdiff_t>(A.row_offsets[first + r]);
      const auto end = A.column_indices.begin() + static_cast<std::ptrdiff_t>(A.row_offsets[first + r + 1]);
      const auto found = std::find(begin, end, column);
      if (found != end) mask |= 1u << r;
      B.slots.push_back(static_cast<Offset>(found != end ? found - A.column_indices.begin() : -1));
    }
    B.group_columns.push_back(column);
    B.column_masks.push_back(static_cast<std::uint8_t>(mask));
  }
  while (B.group_columns.size() % 4 != 0) {
    B.group_columns.push_back(B.group_columns.back());
    B.column_masks.push_back(0);
    B.slots.insert(B.slots.end(), static_cast<std::size_t>(height), static_cast<Offset>(-1));
  }
  B.first_rows.push_back(first + height);
  B.column_offsets.push_back(static_cast<Offset>(B.group_columns.size()));
  B.value_offsets.push_back(static_cast<Offset>(B.slots.size()));
}

/// Builds row groups serially, chunk by chunk and group by group. Cost: sets of the columns of every few rows.
template <class From>
HostRowGroups serial_row_groups(const HostPattern<From>& A, int group_rows = 4) {
  HostRowGroups B;
  B.rows = A.rows;
  B.columns = A.columns;
  for (int first = 0; first < A.rows; first += 256) {
    for (const int height : row_group_heights(A, first, std::min(A.rows, first + 256), group_rows))
      add_row_group(A, B.first_rows.back(), height, B);
    B.chunk_groups.push_back(static_cast<int>(B.first_rows.size()) - 1);
  }
  return B;
}

}  // namespace Tessera::Impl::Test
