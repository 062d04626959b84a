// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "HostPattern.hpp"

namespace Tessera::Impl::Test {

/// Condensed windows of 8 rows per strip (condensed/CondensedView.hpp) on the host: BitTCF (bittcf/BitTcfView.hpp) with
/// one strip, BMat (bmat/BmatView.hpp) with two. slots[p] is the entry at place p.
struct HostCondensed {
  int strips = 1;
  std::vector<Offset> window_offsets{0}, tile_offsets{0}, slots;
  std::vector<int> tile_columns;
  std::vector<std::uint64_t> tile_masks;

  std::size_t tiles() const { return tile_offsets.size() - 1; }

  /// Calls visit(name, array) for each array of the pattern.
  template <class Visit>
  void for_each_array(const Visit& visit) const {
    visit("window_offsets", window_offsets);
    visit("tile_offsets", tile_offsets);
    visit("tile_columns", tile_columns);
    visit("tile_masks", tile_masks);
  }
};

/// Returns the distinct columns of rows first, ..., last - 1 in ascending order.
template <class From>
std::vector<int> distinct_columns_of(const HostPattern<From>& A, int first, int last) {
  std::vector<int> columns(A.column_indices.begin() + static_cast<std::ptrdiff_t>(A.row_offsets[first]),
                           A.column_indices.begin() + static_cast<std::ptrdiff_t>(A.row_offsets[last]));
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

/// Calls visit(word of the window's masks, bit, entry) for the entries of a window.
template <class From, class Visit>
void for_each_condensed_entry(const HostPattern<From>& A, int strips, int window, const std::vector<int>& columns,
                              const Visit& visit) {
  const int first = window * 8 * strips, last = std::min(A.rows, first + 8 * strips);
  for (int row = first; row < last; ++row) {
    auto column = columns.begin();
    for (From k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      column = std::lower_bound(column, columns.end(), A.column_indices[k]);
      const auto slot = static_cast<std::size_t>(column - columns.begin());
      visit(slot / 8 * strips + (row - first) / 8, (row - first) % 8 * 8 + static_cast<int>(slot % 8), k);
    }
  }
}

/// Adds a window's tiles: columns, masks, offsets and entries.
template <class From>
void add_condensed_window(const HostPattern<From>& A, int window, HostCondensed& B) {
  const int first = window * 8 * B.strips, last = std::min(A.rows, first + 8 * B.strips);
  const std::vector<int> columns = distinct_columns_of(A, first, last);
  const std::size_t tiles = (columns.size() + 7) / 8, first_word = B.tile_masks.size();
  B.tile_columns.insert(B.tile_columns.end(), columns.begin(), columns.end());
  B.tile_columns.resize(B.tile_columns.size() + 8 * tiles - columns.size(), -1);
  B.tile_masks.resize(first_word + tiles * B.strips, 0);
  for_each_condensed_entry(A, B.strips, window, columns, [&](std::size_t word, int bit, From) {
    B.tile_masks[first_word + word] |= std::uint64_t(1) << bit;
  });
  std::vector<std::size_t> word_offsets(tiles * B.strips);
  std::size_t offset = B.slots.size();
  for (std::size_t word = 0; word < word_offsets.size(); ++word) {
    word_offsets[word] = offset;
    offset += __builtin_popcountll(B.tile_masks[first_word + word]);
    if (word % B.strips + 1 == std::size_t(B.strips)) B.tile_offsets.push_back(static_cast<Offset>(offset));
  }
  B.slots.resize(offset);
  for_each_condensed_entry(A, B.strips, window, columns, [&](std::size_t word, int bit, From k) {
    const std::uint64_t before = B.tile_masks[first_word + word] & ((std::uint64_t(1) << bit) - 1);
    B.slots[word_offsets[word] + __builtin_popcountll(before)] = static_cast<Offset>(k);
  });
  B.window_offsets.push_back(static_cast<Offset>(B.tiles()));
}

/// Builds the format serially, window by window and entry by entry. Cost: a sort of each window's columns.
template <class From>
HostCondensed serial_condensed(const HostPattern<From>& A, int strips) {
  HostCondensed B;
  B.strips = strips;
  for (int window = 0; window * 8 * strips < A.rows; ++window) add_condensed_window(A, window, B);
  return B;
}

}  // namespace Tessera::Impl::Test
