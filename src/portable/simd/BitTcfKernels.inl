// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of windows in BitTCF.
#pragma once

#include <cstdint>

#include "Finish.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

/// The tiles of one window, independent of the type of the offsets.
struct BitTcfWindow {
  const std::uint64_t* masks;
  const Ordinal* columns;
  std::ptrdiff_t tiles;
  std::ptrdiff_t first_entry;
  int rows;
};

/// Multiplies one tile after another, so each row of a tile finds the tile's rows of X in cache.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void bittcf_sums(const BitTcfWindow& window, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) sums[r].clear();
  const typename T::MatrixReal* value = d.values + window.first_entry * T::parts;
  for (std::ptrdiff_t tile = 0; tile < window.tiles; ++tile) {
    const std::uint64_t mask = window.masks[tile];
    const Ordinal* columns = window.columns + tile * 8;
    for (int r = 0; r < rows_at_once; ++r) {
      unsigned bits = static_cast<unsigned>(mask >> (8 * r)) & 0xffu;
      if (bits == 0) continue;
      Sums<T, Lanes, Vectors> sum = sums[r];
      for (; bits != 0; bits &= bits - 1, value += T::parts)
        sum.add(value, d.x + columns[__builtin_ctz(bits)] * d.x_row_stride + lane);
      sums[r] = sum;
    }
  }
  for (int r = 0; r < rows_at_once; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

template <class T>
[[gnu::noinline]] void bittcf_window(const BitTcfWindow& window, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  for_each_block<T, T::vector_lanes>(d.lanes, [&]<int Lanes, int Vectors>(int lane, int skip) {
    prefetch_rows(d, first_row, lane, Lanes * Vectors);
    bittcf_sums<T, Lanes, Vectors>(window, d, lane, sums);
    finish_rows<T>(d, first_row, window.rows, lane, skip, Lanes * Vectors, sums);
  });
}

template <class MatrixScalar, class VectorScalar>
void bittcf_windows(const BitTcfPattern& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                    Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  for (Ordinal window = first; window < last; ++window) {
    const Ordinal row = window * rows_at_once;
    const Offset tile = A.window_offsets[window];
    const int rows = A.rows - row < rows_at_once ? A.rows - row : rows_at_once;
    const BitTcfWindow tiles{A.tile_masks + tile, A.tile_columns + static_cast<std::ptrdiff_t>(tile) * 8,
                             static_cast<std::ptrdiff_t>(A.window_offsets[window + 1] - tile),
                             static_cast<std::ptrdiff_t>(A.tile_offsets[tile]), rows};
    bittcf_window(tiles, row, d);
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
