// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of each column over the rows.
#pragma once

#include "GatherRows.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE::Tall {

/// Operations that add an element to a sum, and join two sums, for registers or single numbers. Sums begin with 0.
template <class Real>
struct Products {
  static constexpr bool has_two = true;
  template <class V>
  TESSERA_INLINE static V add(V sum, V x, V y) {
    return fused_vectors<Real>(x, y, sum);
  }
  template <class V>
  TESSERA_INLINE static V join(V a, V b) {
    return a + b;
  }
};
template <class Real>
struct Magnitudes {
  static constexpr bool has_two = false;
  template <class V>
  TESSERA_INLINE static V add(V sum, V x, V) {
    return sum + (x < 0 ? -x : x);
  }
  template <class V>
  TESSERA_INLINE static V join(V a, V b) {
    return a + b;
  }
};
template <class Real>
struct Greatest {
  static constexpr bool has_two = false;
  template <class V>
  TESSERA_INLINE static V add(V most, V x, V) {
    return join(most, x < 0 ? -x : x);
  }
  /// Returns the greater one, or NaN if one of them is NaN.
  template <class V>
  TESSERA_INLINE static V join(V a, V b) {
    return b <= a ? a : (a != a ? a : b);
  }
};

/// Adds `Vectors` registers of adjacent columns to sums, with `Apart` independent partial sums over rows.
template <class Op, int Lanes, int Vectors, int Apart, class Real>
TESSERA_INLINE void sum_columns(const Real* x, std::ptrdiff_t x_stride, const Real* y, std::ptrdiff_t y_stride,
                                int rows, Real* sums) {
  using V = register_t<Real, Lanes>;
  const auto load_lanes = [](const Real* from) __attribute__((always_inline)) { return load_register<V>(from); };
  V s[Apart][Vectors] = {};
  int k = 0;
  const auto add_row = [&](V(&to)[Vectors], const Real* xk, const Real* yk) __attribute__((always_inline)) {
    for (int v = 0; v < Vectors; ++v) {
      const V xv = load_lanes(xk + v * Lanes);
      to[v] = Op::add(to[v], xv, Op::has_two ? load_lanes(yk + v * Lanes) : xv);
    }
  };
  for (; k + Apart <= rows; k += Apart)
    for (int r = 0; r < Apart; ++r) add_row(s[r], x + (k + r) * x_stride, y + (k + r) * y_stride);
  for (; k < rows; ++k) add_row(s[0], x + k * x_stride, y + k * y_stride);
  for (int v = 0; v < Vectors; ++v) {
    V sum = load_lanes(sums + v * Lanes);
    for (int r = 0; r < Apart; ++r) sum = Op::join(sum, s[r][v]);
    store_register(sums + v * Lanes, sum);
  }
}

/// Sums all columns. The columns that do not fill a register use shorter and shorter registers.
template <class Op, int Lanes, class Real>
TESSERA_INLINE void sum_all_columns(const Real* x, std::ptrdiff_t x_stride, const Real* y, std::ptrdiff_t y_stride,
                                    int rows, int j, int columns, Real* sums) {
  if constexpr (Lanes == lanes_of<Real>) {
    for (; columns - j >= 8 * Lanes; j += 8 * Lanes)
      sum_columns<Op, Lanes, 8, 1>(x + j, x_stride, y + j, y_stride, rows, sums + j);
    for (; columns - j >= 4 * Lanes; j += 4 * Lanes)
      sum_columns<Op, Lanes, 4, 2>(x + j, x_stride, y + j, y_stride, rows, sums + j);
  }
  for (; columns - j >= Lanes; j += Lanes)
    sum_columns<Op, Lanes, 1, 8>(x + j, x_stride, y + j, y_stride, rows, sums + j);
  if constexpr (Lanes > 1) sum_all_columns<Op, Lanes / 2>(x, x_stride, y, y_stride, rows, j, columns, sums);
}

/// Returns the number of adjacent rows that are handled as one long row if rows have few columns.
TESSERA_INLINE int rows_of_one(int columns) { return columns == 1 ? 32 : columns < 8 ? 16 : columns < 32 ? 4 : 1; }

/// Sums rows with adjacent columns, one chunk of rows at a time. A chunk stays in cache for all registers of columns.
template <class Op, class Real>
[[gnu::noinline]] void sum_lines(const Real* x, std::ptrdiff_t x_stride, const Real* y, std::ptrdiff_t y_stride,
                                 std::ptrdiff_t rows, int columns, Real* sums) {
  const int joined = x_stride == columns && y_stride == columns ? rows_of_one(columns) : 1;
  const int width = joined * columns;
  Real wide[128] = {};
  const int step = rows_of_buffer<Real>(width);
  const std::ptrdiff_t wide_rows = rows / joined;
  for (std::ptrdiff_t row = 0; row < wide_rows; row += step) {
    const int some = wide_rows - row < step ? int(wide_rows - row) : step;
    sum_all_columns<Op, lanes_of<Real>>(x + row * joined * x_stride, joined * x_stride, y + row * joined * y_stride,
                                        joined * y_stride, some, 0, width, wide);
  }
  for (int k = 0; k < width; ++k) sums[k % columns] = Op::join(sums[k % columns], wide[k]);
  const std::ptrdiff_t done = wide_rows * joined;
  if (done == rows) return;
  sum_all_columns<Op, lanes_of<Real>>(x + done * x_stride, x_stride, y + done * y_stride, y_stride, int(rows - done), 0,
                                      columns, sums);
}

/// Sums one column that has a stride: a solver may keep two vectors as the columns of one block.
template <class Op, class Real>
[[gnu::noinline]] Real sum_apart(const Real* x, std::ptrdiff_t x_stride, const Real* y, std::ptrdiff_t y_stride,
                                 std::ptrdiff_t rows) {
  constexpr int apart = 8;
  Real s[apart] = {};
  std::ptrdiff_t i = 0;
  for (; i + apart <= rows; i += apart)
    for (int r = 0; r < apart; ++r) s[r] = Op::add(s[r], x[(i + r) * x_stride], y[(i + r) * y_stride]);
  for (; i < rows; ++i) s[0] = Op::add(s[0], x[i * x_stride], y[i * y_stride]);
  for (int r = 1; r < apart; ++r) s[0] = Op::join(s[0], s[r]);
  return s[0];
}

template <class Op, class Real>
TESSERA_INLINE void sum_rows(const PanelRows<const Real>& X, const PanelRows<const Real>& Y, Ordinal first,
                             Ordinal last, Real* sums) {
  const int columns = X.columns;
  for (int j = 0; j < columns; ++j) sums[j] = 0;
  const auto is_read_in_place = [=](const PanelRows<const Real>& Z) __attribute__((always_inline)) {
    return Z.places == nullptr && (Z.row_stride == columns || columns >= 32);
  };
  if (is_read_in_place(X) && is_read_in_place(Y)) {
    return sum_lines<Op>(X.data + first * X.row_stride, X.row_stride, Y.data + first * Y.row_stride, Y.row_stride,
                         std::ptrdiff_t(last) - first, columns, sums);
  }
  if (columns == 1 && X.places == nullptr && Y.places == nullptr) {
    sums[0] = sum_apart<Op>(X.data + first * X.row_stride, X.row_stride, Y.data + first * Y.row_stride, Y.row_stride,
                            std::ptrdiff_t(last) - first);
    return;
  }
  RowBuffer<Real> x_buffer, y_buffer;
  const bool is_same = X.data == Y.data && X.row_stride == Y.row_stride && X.places == Y.places;
  const int step = rows_of_buffer<Real>(columns);
  for (std::ptrdiff_t row = first; row < last; row += step) {
    const int rows = last - row < step ? int(last - row) : step;
    gather_rows(X, row, rows, x_buffer.elements, columns);
    if (Op::has_two && !is_same) gather_rows(Y, row, rows, y_buffer.elements, columns);
    const Real* y = Op::has_two && !is_same ? y_buffer.elements : x_buffer.elements;
    sum_lines<Op>(x_buffer.elements, std::ptrdiff_t(columns), y, std::ptrdiff_t(columns), rows, columns, sums);
  }
}

template <class Real>
void dot_rows(const PanelRows<const Real>& X, const PanelRows<const Real>& Y, Ordinal first, Ordinal last, Real* sums) {
  sum_rows<Products<Real>>(X, Y, first, last, sums);
}
template <class Real>
void magnitude_rows(const PanelRows<const Real>& X, Ordinal first, Ordinal last, Real* sums) {
  sum_rows<Magnitudes<Real>>(X, X, first, last, sums);
}
template <class Real>
void greatest_rows(const PanelRows<const Real>& X, Ordinal first, Ordinal last, Real* greatest) {
  sum_rows<Greatest<Real>>(X, X, first, last, greatest);
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE::Tall
