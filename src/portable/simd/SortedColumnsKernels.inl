// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of sorted columns.
#pragma once

#include "Finish.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

/// Adjacent columns of a matrix in sorted columns, step by step: a block, or a piece of one column.
template <class T>
struct ColumnBlock {
  const Ordinal* columns;
  const Ordinal* rows;
  const typename T::MatrixReal* values;
  std::ptrdiff_t width;
  std::ptrdiff_t steps;
};

/// i times a register of complex numbers.
template <class V, int... L>
TESSERA_INLINE V turned(V x, std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(x, -x, (L % 2 == 0 ? int(sizeof...(L)) + L + 1 : L - 1)...);
}

/// Vectors registers of a row of alpha X. For complex X, s[1] holds i alpha X, so that adding a multiple of the row
/// takes no shuffles.
template <class T, int Lanes, int Vectors>
struct ScaledRow {
  using Real = typename T::Real;
  using V = register_t<Real, Lanes>;
  V s[T::parts][Vectors];

  TESSERA_INLINE void load(const Dense<T>& d, const Real* x) {
    Real gathered[Vectors * Lanes];
    if (d.x_column_stride != T::parts) {
      for (int l = 0; l < Vectors * Lanes; ++l) gathered[l] = x[l / T::parts * d.x_column_stride + l % T::parts];
      x = gathered;
    }
    for (int j = 0; j < Vectors; ++j) {
      const V xj = load_register<V>(x + j * Lanes);
      s[0][j] = d.alpha[0] * xj;
      if constexpr (T::is_complex) {
        constexpr auto lanes = std::make_integer_sequence<int, Lanes>{};
        s[0][j] = fused(d.alpha[1], turned(xj, lanes), s[0][j]);
        s[1][j] = turned(s[0][j], lanes);
      }
    }
  }
  /// y += value alpha x, registers `stride` reals apart.
  template <class Stride>
  TESSERA_INLINE void add_to(Real* y, Stride stride, const typename T::MatrixReal* value, bool conjugate) const {
    for (int j = 0; j < Vectors; ++j) {
      Real* target = y + j * stride;
      V sum = fused(static_cast<Real>(value[0]), s[0][j], load_register<V>(target));
      if constexpr (T::is_complex) {
        const auto imaginary = static_cast<Real>(value[1]);
        sum = fused(conjugate ? -imaginary : imaginary, s[1][j], sum);
      }
      store_register(target, sum);
    }
  }
};

/// Y += alpha A X for one block of A, one column of A after the other. A row of X stays in registers while multiples of
/// it are added to the rows of Y in which the column has entries. Each entry reads and writes a row of Y, which bounds
/// the product, not the arithmetic.
template <class T, int Lanes, int Vectors, class Stride>
TESSERA_INLINE void add_columns(const ColumnBlock<T>& block, const Dense<T>& dense, int lane, Stride y_stride) {
  using Real = typename T::Real;
  const Dense<T> d = dense;  // a local copy, which no store can alias
  const Real* x = d.x + lane / T::parts * d.x_column_stride;
  Real* y = d.y + lane / T::parts * d.y_column_stride;
  const std::ptrdiff_t end = block.width * block.steps;
  for (std::ptrdiff_t c = 0; c < block.width; ++c) {
    ScaledRow<T, Lanes, Vectors> row;
    row.load(d, x + block.columns[c] * d.x_row_stride);
    for (std::ptrdiff_t k = c; k < end; k += block.width)
      row.add_to(y + block.rows[k] * d.y_row_stride, y_stride, block.values + k * T::parts, d.conjugate);
  }
}

/// All columns of X for one block of A, which stays in cache. If rows of Y are not contiguous, four columns are taken
/// at a time, so that each entry of A is read once for them.
template <class T>
[[gnu::noinline]] void column_block(const ColumnBlock<T>& block, const Dense<T>& d) {
  if (d.y_column_stride == T::parts) {
    for_each_disjoint_block<T, T::vector_lanes>(0, d.lanes, [&]<int Lanes, int Vectors>(int lane, int) {
      add_columns<T, Lanes, Vectors>(block, d, lane, std::integral_constant<std::ptrdiff_t, Lanes>{});
    });
    return;
  }
  int lane = 0;
  for (; d.lanes - lane >= 4 * T::parts; lane += 4 * T::parts)
    add_columns<T, T::parts, 4>(block, d, lane, d.y_column_stride);
  for (; lane < d.lanes; lane += T::parts) add_columns<T, T::parts, 1>(block, d, lane, d.y_column_stride);
}

template <class MatrixScalar, class VectorScalar, class Offset>
void sorted_columns(const SortedColumnsPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product,
                    Ordinal first, Ordinal last) {
  using T = Types<MatrixScalar, VectorScalar>;
  Dense<T> d = take_apart<T>(product);
  d.x += first * d.x_column_stride;
  d.y += first * d.y_column_stride;
  d.lanes = (last - first) * T::parts;
  const auto add = [&](Ordinal position, Ordinal width, const Offset* offsets) {
    const auto begin = static_cast<std::ptrdiff_t>(offsets[0]);
    const std::ptrdiff_t elements = static_cast<std::ptrdiff_t>(offsets[1]) - begin;
    column_block<T>(
        {A.column_order + position, A.row_indices + begin, d.values + begin * T::parts, width, elements / width}, d);
  };
  for (Offset block = 0; block < A.blocks; ++block) add(A.block_positions[block], A.width, A.block_offsets + block);
  for (Offset piece = 0; piece < A.pieces; ++piece) {
    const auto from_right = static_cast<Ordinal>(A.piece_columns[piece] & ~A.split_bit);
    add(A.positions - 1 - from_right, 1, A.piece_offsets + piece);
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
