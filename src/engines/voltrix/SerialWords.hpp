// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/SerialCondensed.hpp"
#include "voltrix/WordsView.hpp"

namespace Tessera::Impl::Test {

/// BMat with the words of its paper (WordsView.hpp) on the host. slots[p] is the entry at place p.
struct HostBmatWords {
  int rows = 0, columns = 0;
  std::vector<Offset> window_offsets, tile_offsets, slots;
  std::vector<int> tile_columns;
  std::vector<std::uint32_t> tile_words;

  BmatWords view() const {
    return {rows, columns, window_offsets.data(), tile_offsets.data(), tile_columns.data(), tile_words.data()};
  }
};

/// Adds tile t of condensed windows of two strips: the same elements, in the order of the words.
inline void add_bmat_tile(const HostCondensed& A, std::size_t t, HostBmatWords& B) {
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

/// Builds the words tile by tile from condensed windows of two strips. Cost: a sort of each window's columns.
template <class From>
HostBmatWords serial_bmat_words(const HostPattern<From>& A) {
  HostCondensed condensed = serial_condensed(A, 2);
  HostBmatWords B;
  B.rows = A.rows;
  B.columns = A.columns;
  B.window_offsets = std::move(condensed.window_offsets);
  B.tile_columns = std::move(condensed.tile_columns);
  B.tile_offsets = condensed.tile_offsets;
  B.slots.reserve(condensed.slots.size());
  for (std::size_t t = 0; t < condensed.tiles(); ++t) add_bmat_tile(condensed, t, B);
  return B;
}

}  // namespace Tessera::Impl::Test
