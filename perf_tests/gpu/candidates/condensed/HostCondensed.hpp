// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Bench {

/// A matrix in condensed windows (tessera/cuda/condensed/View.hpp), on the host, with compact values.
struct HostCondensed {
  int strips = 1;
  std::vector<int> window_offsets = {0}, tile_offsets = {0}, tile_columns;
  std::vector<std::uint64_t> tile_masks;
  std::vector<double> values;

  int tiles() const { return static_cast<int>(tile_offsets.size()) - 1; }
};

namespace Impl {

/// The distinct columns of rows first, ..., last - 1, ascending.
inline std::vector<int> window_columns(const HostMatrix& A, int first, int last) {
  std::vector<int> columns(A.column_indices.begin() + A.row_offsets[first],
                           A.column_indices.begin() + A.row_offsets[last]);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

/// visit(word of the masks, bit, k) for the entries k of a window.
template <class Visit>
void for_each_place(const HostMatrix& A, int strips, int window, const std::vector<int>& columns, const Visit& visit) {
  const int first = window * 8 * strips, last = std::min(A.rows, first + 8 * strips);
  for (int row = first; row < last; ++row) {
    auto column = columns.begin();
    for (int k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      column = std::lower_bound(column, columns.end(), A.column_indices[k]);
      const auto slot = static_cast<std::size_t>(column - columns.begin());
      visit(slot / 8 * strips + (row - first) / 8, (row - first) % 8 * 8 + static_cast<int>(slot % 8), k);
    }
  }
}

/// Adds a window's tiles: columns, masks, offsets and values.
inline void add_window(const HostMatrix& A, int window, HostCondensed& B) {
  const int first = window * 8 * B.strips, last = std::min(A.rows, first + 8 * B.strips);
  const std::vector<int> columns = window_columns(A, first, last);
  const std::size_t tiles = (columns.size() + 7) / 8, first_word = B.tile_masks.size();
  B.tile_columns.insert(B.tile_columns.end(), columns.begin(), columns.end());
  B.tile_columns.resize(B.tile_columns.size() + 8 * tiles - columns.size(), -1);
  B.tile_masks.resize(first_word + tiles * B.strips, 0);
  for_each_place(A, B.strips, window, columns,
                 [&](std::size_t word, int bit, int) { B.tile_masks[first_word + word] |= std::uint64_t(1) << bit; });
  std::vector<int> word_offsets(tiles * B.strips);
  int offset = B.tile_offsets.back();
  for (std::size_t word = 0; word < word_offsets.size(); ++word) {
    word_offsets[word] = offset;
    offset += __builtin_popcountll(B.tile_masks[first_word + word]);
    if (word % B.strips + 1 == std::size_t(B.strips)) B.tile_offsets.push_back(offset);
  }
  B.values.resize(offset);
  for_each_place(A, B.strips, window, columns, [&](std::size_t word, int bit, int k) {
    const std::uint64_t before = B.tile_masks[first_word + word] & ((std::uint64_t(1) << bit) - 1);
    B.values[word_offsets[word] + __builtin_popcountll(before)] = A.values[k];
  });
  B.window_offsets.push_back(B.tiles());
}

}  // namespace Impl

/// Cost: a sort of each window's columns.
inline HostCondensed build_condensed(const HostMatrix& A, int strips) {
  HostCondensed B;
  B.strips = strips;
  for (int window = 0; window * 8 * strips < A.rows; ++window) Impl::add_window(A, window, B);
  if (B.values.size() != A.values.size()) {
    throw std::logic_error("condensed windows hold " + std::to_string(B.values.size()) + " of " +
                           std::to_string(A.values.size()) + " entries");
  }
  return B;
}

}  // namespace Tessera::Bench
