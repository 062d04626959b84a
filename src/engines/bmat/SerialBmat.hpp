// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bmat/BmatView.hpp"
#include "condensed/SerialCondensed.hpp"

namespace Tessera::Test {

/// BMat (tessera/common/BmatView.hpp) on the host. slots: the entry at each place.
template <class Offset>
struct HostBmat {
  int rows = 0, columns = 0;
  std::vector<Offset> window_offsets, value_offsets, slots;
  std::vector<int> tile_columns;
  std::vector<std::uint32_t> tile_words;

  BmatPattern<Offset> view() const {
    return {rows, columns, window_offsets.data(), value_offsets.data(), tile_columns.data(), tile_words.data()};
  }

  /// Calls visit(name, array) for each array of the pattern.
  template <class Visit>
  void for_each_array(const Visit& visit) const {
    visit("window_offsets", window_offsets);
    visit("value_offsets", value_offsets);
    visit("tile_columns", tile_columns);
    visit("tile_words", tile_words);
  }
};

/// Adds tile t of windows of two strips: the same elements, in another order.
template <class Offset>
void add_bmat_tile(const HostCondensed<Offset>& A, std::size_t t, HostBmat<Offset>& B) {
  const std::uint64_t* masks = A.tile_masks.data() + 2 * t;
  for (int w = 0; w < 4; ++w) {
    const int strip = w % 2;
    const std::size_t first = std::size_t(A.tile_offsets[t]) + (strip == 0 ? 0 : __builtin_popcountll(masks[0]));
    std::uint32_t word = 0;
    for (int bit = 0; bit < 32; ++bit) {
      const int strip_bit = bit / 4 * 8 + w / 2 * 4 + bit % 4;
      if ((masks[strip] >> strip_bit & 1u) == 0) continue;
      word |= std::uint32_t(1) << bit;
      B.slots.push_back(A.slots[first + __builtin_popcountll(masks[strip] & ((std::uint64_t(1) << strip_bit) - 1))]);
    }
    B.tile_words.push_back(word);
  }
}

/// Tile by tile, from condensed windows of two strips. Cost: a sort of each window's columns.
template <class Offset, class From>
HostBmat<Offset> serial_bmat(const HostPattern<From>& A) {
  HostCondensed<Offset> condensed = serial_condensed<Offset>(A, 2);
  HostBmat<Offset> B;
  B.rows = A.rows;
  B.columns = A.columns;
  B.window_offsets = std::move(condensed.window_offsets);
  B.tile_columns = std::move(condensed.tile_columns);
  for (const Offset tile : B.window_offsets) B.value_offsets.push_back(condensed.tile_offsets[tile]);
  B.slots.reserve(condensed.slots.size());
  for (std::size_t t = 0; t < condensed.tiles(); ++t) add_bmat_tile(condensed, t, B);
  return B;
}

}  // namespace Tessera::Test
