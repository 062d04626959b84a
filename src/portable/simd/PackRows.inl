// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies X to contiguous rows.
#pragma once

#include "Finish.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

/// Number of rows that are packed, a few columns of each, before the next columns. The hardware prefetcher can follow
/// these few streams, and written cache lines stay in cache until they are complete.
constexpr std::ptrdiff_t run_of_rows = 256;

template <class VectorScalar>
void pack_rows(const Multivector<const VectorScalar>& x, VectorScalar* packed, std::ptrdiff_t packed_stride,
               Ordinal first, Ordinal last) {
  using Real = real_of_t<VectorScalar>;
  constexpr int parts = is_complex_v<VectorScalar> ? 2 : 1;
  using B = Block<Real, parts>;
  const auto pack_block = [&](std::ptrdiff_t row, int rows, int column) __attribute__((always_inline)) {
    const int columns = x.columns - column < B::size ? x.columns - column : B::size;
    const VectorScalar* in = x.data + row * x.row_stride + column * x.column_stride;
    VectorScalar* out = packed + row * packed_stride + column;
    if (rows == B::size && columns == B::size && x.row_stride == 1) {
      B block;
      block.load(reinterpret_cast<const Real*>(in), x.column_stride * parts);
      block.transpose();
      block.store(reinterpret_cast<Real*>(out), packed_stride * parts);
    } else {
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) out[r * packed_stride + c] = in[r * x.row_stride + c * x.column_stride];
    }
  };
  for (std::ptrdiff_t run = first; run < last; run += run_of_rows) {
    const std::ptrdiff_t end = last - run < run_of_rows ? last : run + run_of_rows;
    for (int column = 0; column < x.columns; column += B::size)
      for (std::ptrdiff_t row = run; row < end; row += B::size)
        pack_block(row, end - row < B::size ? int(end - row) : B::size, column);
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
