// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// X^T Y for some rows. Registers hold columns of Y. A tile of sums stays in registers for all rows that fit into the
// first-level cache.
#pragma once

#include "ColumnKernels.inl"
#include "GatherRows.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE::Tall {

/// Adds the products of `Columns` columns of X with `Vectors` registers of Y to sums. The last register has `count`
/// columns. If there are few sums, even and odd rows have separate sums, to hide latency.
template <int Columns, int Vectors, bool IsPartial, class Real>
TESSERA_INLINE void gram_tile(Lines<Real> X, Lines<Real> Y, int count, int rows, Real* sums,
                              std::ptrdiff_t sums_stride) {
  constexpr int lanes = lanes_of<Real>, chains = Columns * Vectors <= 4 ? 2 : 1;
  using V = register_t<Real, lanes>;
  V s[chains][Columns][Vectors] = {};
  const Real *x = X.data, *y = Y.data;
  const auto add_row = [&](V(&to)[Columns][Vectors]) __attribute__((always_inline)) {
    V row[Vectors];
    for (int v = 0; v + 1 < Vectors; ++v) row[v] = load(y + v * lanes);
    row[Vectors - 1] = load_some<IsPartial>(y + (Vectors - 1) * lanes, count);
    for (int i = 0; i < Columns; ++i)
      for (int v = 0; v < Vectors; ++v) to[i][v] = fused(x[i], row[v], to[i][v]);
    x += X.stride;
    y += Y.stride;
  };
  int k = 0;
  for (; k + chains <= rows; k += chains)
    for (int c = 0; c < chains; ++c) add_row(s[c]);
  for (; k < rows; ++k) add_row(s[0]);
  for (int i = 0; i < Columns; ++i) {
    for (int v = 0; v < Vectors; ++v) {
      Real* to = sums + i * sums_stride + v * lanes;
      V sum = s[0][i][v];
      for (int c = 1; c < chains; ++c) sum += s[c][i][v];
      store(to, load(to) + sum);
    }
  }
}

/// Multiplies all columns of X, four at a time, by `Vectors` registers of Y.
template <int Vectors, bool IsPartial, class Real>
[[gnu::noinline]] void gram_strip(Lines<Real> X, int columns, Lines<Real> Y, int count, int rows, Real* sums,
                                  std::ptrdiff_t sums_stride, Fetch* fetches) {
  int i = 0;
  const auto tile = [&](auto width) __attribute__((always_inline)) {
    constexpr int w = decltype(width)::value;
    for (; columns - i >= w; i += w) {
      fetches[0].some();
      fetches[1].some();
      gram_tile<w, Vectors, IsPartial>(Lines<Real>{X.data + i, X.stride}, Y, count, rows, sums + i * sums_stride,
                                       sums_stride);
    }
  };
  tile(std::integral_constant<int, 4>{});
  tile(std::integral_constant<int, 2>{});
  tile(std::integral_constant<int, 1>{});
}

/// Computes sums for so few columns that most lanes would be idle: here a register holds several rows of one column.
template <class Real>
[[gnu::noinline]] void gram_of_few(Lines<Real> X, int x_columns, Lines<Real> Y, int y_columns, int rows, Real* sums,
                                   std::ptrdiff_t sums_stride) {
  using V = register_t<Real, lanes_of<Real>>;
  for (int i = 0; i < x_columns; ++i) {
    for (int j = 0; j < y_columns; ++j) {
      const Real *x = X.row(i), *y = Y.row(j);
      V s[2] = {};
      int k = 0;
      for (; k + 2 * lanes_of<Real> <= rows; k += 2 * lanes_of<Real>)
        for (int v = 0; v < 2; ++v)
          s[v] = fused_vectors<Real>(load(x + k + v * lanes_of<Real>), load(y + k + v * lanes_of<Real>), s[v]);
      s[0] += s[1];
      Real sum = sums[i * sums_stride + j];
      for (int l = 0; l < lanes_of<Real>; ++l) sum += s[0][l];
      for (; k < rows; ++k) sum = fused(x[k], y[k], sum);
      sums[i * sums_stride + j] = sum;
    }
  }
}

/// Computes sums for a Y whose columns are adjacent and fill half a register. Uses registers of half the width, for
/// even and for odd rows.
template <class Real>
[[gnu::noinline]] void gram_of_half(Lines<Real> X, int x_columns, Lines<Real> Y, int rows, Real* sums,
                                    std::ptrdiff_t sums_stride) {
  using V = register_t<Real, lanes_of<Real> / 2>;
  const auto tile = [&](auto count, int first) __attribute__((always_inline)) {
    constexpr int columns = decltype(count)::value;
    V s[2][columns] = {};
    const Real *x = X.data + first, *y = Y.data;
    const auto add = [&](V(&to)[columns]) __attribute__((always_inline)) {
      const V row = load_register<V>(y);
      for (int i = 0; i < columns; ++i) to[i] = fused(x[i], row, to[i]);
      x += X.stride;
      y += Y.stride;
    };
    int k = 0;
    for (; k + 2 <= rows; k += 2) {
      add(s[0]);
      add(s[1]);
    }
    if (k < rows) add(s[0]);
    for (int i = 0; i < columns; ++i) {
      Real* sum = sums + (first + i) * sums_stride;
      store_register(sum, load_register<V>(sum) + (s[0][i] + s[1][i]));
    }
  };
  int i = 0;
  for (; x_columns - i >= 4; i += 4) tile(std::integral_constant<int, 4>{}, i);
  for (; i < x_columns; ++i) tile(std::integral_constant<int, 1>{}, i);
}

/// Transposes rows: line j of the buffer becomes column j.
template <class Real>
TESSERA_INLINE Lines<Real> transpose_rows(const PanelRows<const Real>& X, std::ptrdiff_t first, int rows, Real* buffer,
                                          std::ptrdiff_t stride) {
  for (int j = 0; j < X.columns; ++j) {
    const Real* in = X.data + first * X.row_stride + (X.places == nullptr ? j : X.places[j]);
    for (int i = 0; i < rows; ++i) buffer[j * stride + i] = in[i * X.row_stride];
  }
  return {buffer, stride};
}

/// Returns rows of X: in place if columns are adjacent and the stride suits caches, otherwise in a buffer.
template <class Real>
TESSERA_INLINE Lines<Real> lines_of(const PanelRows<const Real>& X, std::ptrdiff_t first, int rows, bool in_registers,
                                    Real* buffer, std::ptrdiff_t stride) {
  // Long strides are often powers of two. A cache can hold only few lines at such distances.
  const bool is_narrow = X.row_stride > X.columns && X.row_stride * std::ptrdiff_t(sizeof(Real)) >= 512;
  if (X.places == nullptr && !is_narrow && !(in_registers && !has_masks && X.columns % lanes_of<Real> != 0))
    return {X.data + first * X.row_stride, X.row_stride};
  gather_rows(X, first, rows, buffer, stride);
  return {buffer, stride};
}

template <class Real>
TESSERA_INLINE void gram_of_lines(Lines<Real> x, int x_columns, Lines<Real> y, int y_columns, bool is_same, int rows,
                                  Real* sums, std::ptrdiff_t sums_stride, Fetch* fetches) {
  for_each_tile<Real>(
      y_columns, [&](auto vectors, int j) __attribute__((always_inline)) {
        constexpr int registers = decltype(vectors)::value, width = registers * lanes_of<Real>;
        const int columns = is_same && j + width < x_columns ? j + width : x_columns;  // j >= i
        with_last_register<registers, Real>(
            y_columns, j, [&](auto is_partial, int count) __attribute__((always_inline)) {
              gram_strip<registers, decltype(is_partial)::value>(x, columns, Lines<Real>{y.data + j, y.stride}, count,
                                                                 rows, sums + j, sums_stride, fetches);
            });
      });
}

/// Computes sums for so few columns that registers hold rows.
template <class Real>
TESSERA_INLINE void gram_rows_of_few(const PanelRows<const Real>& X, const PanelRows<const Real>& Y, bool is_same,
                                     Ordinal first, Ordinal last, Real* sums, std::ptrdiff_t sums_stride) {
  if (X.columns == 1 && Y.columns == 1) {
    Real sum;
    dot_rows(X, Y, first, last, &sum);
    sums[0] += sum;
    return;
  }
  RowBuffer<Real> x_buffer, y_buffer;
  const int step = RowBuffer<Real>::size / 8;  // rows of at most 8 columns
  for (std::ptrdiff_t row = first; row < last; row += step) {
    const int rows = last - row < step ? int(last - row) : step;
    const Lines<Real> x = transpose_rows(X, row, rows, x_buffer.elements, step);
    const Lines<Real> y = is_same ? x : transpose_rows(Y, row, rows, y_buffer.elements, step);
    gram_of_few(x, X.columns, y, Y.columns, rows, sums, sums_stride);
  }
}

template <class Real>
void gram_rows(const PanelRows<const Real>& X, const PanelRows<const Real>& Y, bool is_same, Ordinal first,
               Ordinal last, Real* sums, std::ptrdiff_t sums_stride) {
  if constexpr (lanes_of < Real >> 2) {
    if (Y.columns * 2 == lanes_of<Real> && X.columns > 1 && X.columns <= 8 && X.places == nullptr &&
        Y.places == nullptr) {
      const Lines<Real> x{X.data + first * X.row_stride, X.row_stride}, y{Y.data + first * Y.row_stride, Y.row_stride};
      return gram_of_half(x, X.columns, y, int(last - first), sums, sums_stride);
    }
  }
  const int most = X.columns > Y.columns ? X.columns : Y.columns;
  const bool are_few = most == 1 || (most * 2 <= lanes_of<Real> && !has_masks);
  if (are_few) return gram_rows_of_few(X, Y, is_same, first, last, sums, sums_stride);
  RowBuffer<Real> x_buffer, y_buffer;
  const std::ptrdiff_t x_stride = padded<Real>(X.columns), y_stride = padded<Real>(Y.columns);
  // The first-level cache must also hold the rows that are prefetched.
  const int most_rows = rows_of_buffer<Real>(x_stride > y_stride ? x_stride : y_stride);
  const int step = most_rows > 64 ? most_rows / 4 : 16;
  const int tiles = (X.columns + 3) / 4 * count_tiles<Real>(Y.columns);
  for (std::ptrdiff_t row = first; row < last; row += step) {
    const int rows = last - row < step ? int(last - row) : step;
    const Lines<Real> y = lines_of(Y, row, rows, true, y_buffer.elements, y_stride);
    const Lines<Real> x = is_same ? y : lines_of(X, row, rows, false, x_buffer.elements, x_stride);
    Fetch fetches[2];
    if (y.data != y_buffer.elements) fetches[0] = fetch_rows(Y.data, Y.row_stride, row + step, step, last, tiles);
    if (x.data != x_buffer.elements && !is_same)
      fetches[1] = fetch_rows(X.data, X.row_stride, row + step, step, last, tiles);
    gram_of_lines(x, X.columns, y, Y.columns, is_same, rows, sums, sums_stride, fetches);
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE::Tall
