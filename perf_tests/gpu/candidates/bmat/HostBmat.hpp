// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BmatView.hpp>

#include "../condensed/HostCondensed.hpp"

namespace Tessera::Bench {

/// A matrix in BMat (tessera/common/BmatView.hpp), on the host.
struct HostBmat {
  int rows = 0, columns = 0;
  std::vector<int> window_offsets, value_offsets, tile_columns;
  std::vector<std::uint32_t> tile_words;
  std::vector<double> values;

  BmatPattern<int> view() const {
    return {rows, columns, window_offsets.data(), value_offsets.data(), tile_columns.data(), tile_words.data()};
  }
};

namespace Impl {

/// Adds tile t of windows of two strips: the same elements, in another order.
inline void add_bmat_tile(const HostCondensed& A, std::size_t t, HostBmat& B) {
  const std::uint64_t* masks = A.tile_masks.data() + 2 * t;
  for (int w = 0; w < 4; ++w) {
    const int strip = w % 2;
    const int first = A.tile_offsets[t] + (strip == 0 ? 0 : __builtin_popcountll(masks[0]));
    std::uint32_t word = 0;
    for (int bit = 0; bit < 32; ++bit) {
      const int strip_bit = bit / 4 * 8 + w / 2 * 4 + bit % 4;
      if ((masks[strip] >> strip_bit & 1u) == 0) continue;
      word |= std::uint32_t(1) << bit;
      B.values.push_back(A.values[first + __builtin_popcountll(masks[strip] & ((std::uint64_t(1) << strip_bit) - 1))]);
    }
    B.tile_words.push_back(word);
  }
}

}  // namespace Impl

/// Cost: a sort of each window's columns.
inline HostBmat build_bmat(const HostMatrix& A) {
  HostCondensed condensed = build_condensed(A, 2);
  HostBmat B;
  B.rows = A.rows, B.columns = A.columns;
  B.window_offsets = std::move(condensed.window_offsets);
  B.tile_columns = std::move(condensed.tile_columns);
  for (const int tile : B.window_offsets) B.value_offsets.push_back(condensed.tile_offsets[tile]);
  B.values.reserve(condensed.values.size());
  for (std::size_t t = 0; t + 1 < condensed.tile_offsets.size(); ++t) Impl::add_bmat_tile(condensed, t, B);
  return B;
}

}  // namespace Tessera::Bench
