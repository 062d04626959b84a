// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that write blocks: products with a small matrix, sums, and scaled blocks.
#pragma once

#include "GatherRows.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE::Tall {

/// Stores the small matrix in tiles whose columns are adjacent in each row, padded with 0.
template <class Real>
void pack_matrix(Real alpha, const Real* B, std::ptrdiff_t stride, Ordinal rows, Ordinal columns, Real* packed) {
  for_each_tile<Real>(columns, [&](auto vectors, int first) {
    constexpr int width = decltype(vectors)::value * lanes_of<Real>;
    Real* tile = packed + std::ptrdiff_t(first) * rows;
    for (int l = 0; l < width; ++l) {
      const bool is_column = first + l < columns;
      for (Ordinal k = 0; k < rows; ++k)
        tile[k * width + l] = is_column ? alpha * B[k + (first + l) * stride] : Real(0);
    }
  });
}

/// Multiplies `Rows` rows of X into a tile of Y, whose last register has `count` columns.
template <int Rows, int Vectors, bool IsPartial, class Real>
TESSERA_INLINE void multiply_tile(const Real* x, std::ptrdiff_t x_stride, int m, const Real* packed, Real beta, Real* y,
                                  std::ptrdiff_t y_stride, int count) {
  constexpr int lanes = lanes_of<Real>;
  using V = register_t<Real, lanes>;
  V s[Rows][Vectors] = {};
  for (int k = 0; k < m; ++k, packed += Vectors * lanes) {
    V row[Vectors];
    for (int v = 0; v < Vectors; ++v) row[v] = load(packed + v * lanes);
    for (int i = 0; i < Rows; ++i)
      for (int v = 0; v < Vectors; ++v) s[i][v] = fused(x[i * x_stride + k], row[v], s[i][v]);
  }
  const auto for_each_register = [&](const auto& body) __attribute__((always_inline)) {
    for (int i = 0; i < Rows; ++i) {
      for (int v = 0; v + 1 < Vectors; ++v) body(std::false_type{}, y + i * y_stride + v * lanes, s[i][v]);
      body(std::bool_constant<IsPartial>{}, y + i * y_stride + (Vectors - 1) * lanes, s[i][Vectors - 1]);
    }
  };
  // Reads all rows before it writes any: a load right after a partial store waits for it, as if they overlapped.
  if (beta != 0) {
    for_each_register([&](auto is_partial, const Real* from, V& sum) __attribute__((always_inline)) {
      sum = fused(beta, load_some<decltype(is_partial)::value>(from, count), sum);
    });
  }
  for_each_register([&](auto is_partial, Real* to, const V& sum)
                        __attribute__((always_inline)) { store_some<decltype(is_partial)::value>(to, sum, count); });
}

template <int Vectors, bool IsPartial, class Real>
[[gnu::noinline]] void multiply_strip(const Real* x, std::ptrdiff_t x_stride, int m, const Real* packed, Real beta,
                                      Real* y, std::ptrdiff_t y_stride, int count, int rows, Fetch* fetches) {
  constexpr int at_once = Vectors == 1 ? 8 : 4;
  int i = 0;
  for (; rows - i >= at_once; i += at_once) {
    fetches[0].some();
    fetches[1].some();
    multiply_tile<at_once, Vectors, IsPartial>(x + i * x_stride, x_stride, m, packed, beta, y + i * y_stride, y_stride,
                                               count);
  }
  for (; i < rows; ++i)
    multiply_tile<1, Vectors, IsPartial>(x + i * x_stride, x_stride, m, packed, beta, y + i * y_stride, y_stride,
                                         count);
}

/// Multiplies, one number at a time, a few columns of X into a Y with fewer columns than a register has lanes.
template <int Columns, class Real>
[[gnu::noinline]] void multiply_few(const PanelRows<const Real>& X, const Real* packed, Real beta,
                                    const PanelRows<Real>& Y, std::ptrdiff_t first, std::ptrdiff_t last) {
  constexpr int lanes = lanes_of<Real>;
  const int m = X.columns;
  const Ordinal *x_places = X.places, *y_places = Y.places;
  for (std::ptrdiff_t i = first; i < last; ++i) {
    const Real* x = X.data + i * X.row_stride;
    Real* y = Y.data + i * Y.row_stride;
    Real s[Columns] = {};
    for (int k = 0; k < m; ++k)
      for (int j = 0; j < Columns; ++j)
        s[j] = fused(x[x_places == nullptr ? k : x_places[k]], packed[k * lanes + j], s[j]);
    for (int j = 0; j < Columns; ++j) {
      Real* to = y + (y_places == nullptr ? j : y_places[j]);
      *to = beta == 0 ? s[j] : fused(beta, *to, s[j]);
    }
  }
}

/// Multiplies into a Y whose columns are adjacent and fill half a register. Uses registers of half the width.
template <class Real>
[[gnu::noinline]] void multiply_half(const PanelRows<const Real>& X, const Real* packed, Real beta,
                                     const PanelRows<Real>& Y, std::ptrdiff_t first, std::ptrdiff_t last) {
  constexpr int lanes = lanes_of<Real>;
  using V = register_t<Real, lanes / 2>;
  const int m = X.columns;
  const auto multiply = [&](auto count, std::ptrdiff_t row) __attribute__((always_inline)) {
    constexpr int rows = decltype(count)::value;
    const Real* x = X.data + row * X.row_stride;
    V s[rows] = {};
    for (int k = 0; k < m; ++k) {
      const V b = load_register<V>(packed + k * lanes);
      for (int i = 0; i < rows; ++i) s[i] = fused(x[i * X.row_stride + k], b, s[i]);
    }
    for (int i = 0; i < rows; ++i) {
      Real* y = Y.data + (row + i) * Y.row_stride;
      store_register(y, beta == 0 ? s[i] : fused(beta, load_register<V>(y), s[i]));
    }
  };
  for (; last - first >= 8; first += 8) multiply(std::integral_constant<int, 8>{}, first);
  for (; first < last; ++first) multiply(std::integral_constant<int, 1>{}, first);
}

/// Multiplies one chunk of rows of X at a time. A chunk stays in cache for all tiles.
template <class Real>
TESSERA_INLINE void multiply_many(const PanelRows<const Real>& X, const Real* packed, Real beta,
                                  const PanelRows<Real>& Y, bool is_in_place, Ordinal first, Ordinal last) {
  RowBuffer<Real> x_buffer, y_buffer;
  const int m = X.columns, n = Y.columns;
  // If there is one tile, each row of X is read before its row of Y is written.
  const bool copies_x = (is_in_place && n > 3 * lanes_of<Real>) || X.places != nullptr;
  const bool copies_y = Y.places != nullptr || (!has_masks && n % lanes_of<Real> != 0);
  const int step = rows_of_buffer<Real>(m > padded<Real>(n) ? m : padded<Real>(n));
  const int tiles = step / 4 * count_tiles<Real>(n);
  for (std::ptrdiff_t row = first; row < last; row += step) {
    const int rows = last - row < step ? int(last - row) : step;
    Lines<Real> x{X.data + row * X.row_stride, X.row_stride};
    Fetch fetches[2];
    if (copies_x) {
      gather_rows(X, row, rows, x_buffer.elements, std::ptrdiff_t(m));
      x = {x_buffer.elements, m};
    } else {
      fetches[0] = fetch_rows(X.data, X.row_stride, row + step, step, last, tiles);
    }
    Real* y = Y.data + row * Y.row_stride;
    std::ptrdiff_t y_stride = Y.row_stride;
    if (copies_y) {
      y = y_buffer.elements;
      y_stride = padded<Real>(n);
      if (beta != 0) gather_rows({Y.data, Y.row_stride, Y.places, n}, row, rows, y, y_stride);
    } else {
      fetches[1] = fetch_rows<Real>(Y.data, Y.row_stride, row + step, step, last, tiles);
    }
    for_each_tile<Real>(n, [&](auto vectors, int j) {
      constexpr int count = decltype(vectors)::value;
      with_last_register<count, Real>(copies_y ? int(y_stride) : n, j, [&](auto is_partial, int columns) {
        multiply_strip<count, decltype(is_partial)::value>(x.data, x.stride, m, packed + std::ptrdiff_t(j) * m, beta,
                                                           y + j, y_stride, columns, rows, fetches);
      });
    });
    if (copies_y) scatter_rows<Real>(y, y_stride, Y, row, rows);
  }
}

template <class Real>
void multiply_rows(const PanelRows<const Real>& X, const Real* packed, Real beta, const PanelRows<Real>& Y,
                   bool is_in_place, Ordinal first, Ordinal last) {
  const int n = Y.columns;
  if (X.columns <= 4 && n <= 3 && n < lanes_of<Real>) {
    if (n == 1) return multiply_few<1>(X, packed, beta, Y, first, last);
    if (n == 2) return multiply_few<2>(X, packed, beta, Y, first, last);
    return multiply_few<3>(X, packed, beta, Y, first, last);
  }
  if constexpr (lanes_of < Real >> 2) {
    if (n * 2 == lanes_of<Real> && X.places == nullptr && Y.places == nullptr)
      return multiply_half(X, packed, beta, Y, first, last);
  }
  multiply_many(X, packed, beta, Y, is_in_place, first, last);
}

/// Returns alpha a + beta b.
template <bool HasA, bool HasB, class Real>
TESSERA_INLINE Real add_one(Real alpha, const Real* a, Real beta, const Real* b) {
  const Real scaled = HasA ? alpha * *a : Real(0);
  return HasB ? fused(beta, *b, scaled) : scaled;
}
template <bool HasA, bool HasB, class Real>
TESSERA_INLINE void add_line(Real alpha, const Real* a, Real beta, const Real* b, Real* c, std::ptrdiff_t count) {
  constexpr int lanes = lanes_of<Real>;
  using V = register_t<Real, lanes>;
  std::ptrdiff_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const V scaled = HasA ? alpha * load(HasA ? a + j : c) : V{};
    store(c + j, HasB ? fused(beta, load(HasB ? b + j : c), scaled) : scaled);
  }
  for (; j < count; ++j) c[j] = add_one<HasA, HasB>(alpha, HasA ? a + j : nullptr, beta, HasB ? b + j : nullptr);
}

template <bool HasA, bool HasB, class Real>
[[gnu::noinline]] void add_panels(Real alpha, const PanelRows<const Real>& A, Real beta, const PanelRows<const Real>& B,
                                  const PanelRows<Real>& C, std::ptrdiff_t first, std::ptrdiff_t last) {
  const int n = C.columns;
  const auto is_flat = [=](const auto& X) __attribute__((always_inline)) {
    return X.places == nullptr && X.row_stride == n;
  };
  const auto is_plain = [](const auto& X) __attribute__((always_inline)) { return X.places == nullptr; };
  if (is_flat(C) && (!HasA || is_flat(A)) && (!HasB || is_flat(B))) {
    return add_line<HasA, HasB>(alpha, HasA ? A.data + first * n : nullptr, beta, HasB ? B.data + first * n : nullptr,
                                C.data + first * n, (last - first) * n);
  }
  const bool are_plain = is_plain(C) && (!HasA || is_plain(A)) && (!HasB || is_plain(B));
  if (are_plain && n == 1) {
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const Real* a = HasA ? A.data + i * A.row_stride : nullptr;
      const Real* b = HasB ? B.data + i * B.row_stride : nullptr;
      C.data[i * C.row_stride] = add_one<HasA, HasB>(alpha, a, beta, b);
    }
    return;
  }
  for (std::ptrdiff_t i = first; i < last; ++i) {
    const Real* a = HasA ? A.data + i * A.row_stride : nullptr;
    const Real* b = HasB ? B.data + i * B.row_stride : nullptr;
    Real* c = C.data + i * C.row_stride;
    if (are_plain) {
      add_line<HasA, HasB>(alpha, a, beta, b, c, n);
      continue;
    }
    for (int j = 0; j < n; ++j) {
      const Real* aj = !HasA ? nullptr : a + (A.places == nullptr ? j : A.places[j]);
      const Real* bj = !HasB ? nullptr : b + (B.places == nullptr ? j : B.places[j]);
      c[C.places == nullptr ? j : C.places[j]] = add_one<HasA, HasB>(alpha, aj, beta, bj);
    }
  }
}

template <class Real>
void add_rows(Real alpha, const PanelRows<const Real>& A, Real beta, const PanelRows<const Real>& B,
              const PanelRows<Real>& C, Ordinal first, Ordinal last) {
  if (alpha == 0 && beta == 0) {
    add_panels<false, false>(alpha, A, beta, B, C, first, last);
  } else if (beta == 0) {
    add_panels<true, false>(alpha, A, beta, B, C, first, last);
  } else if (alpha == 0) {
    add_panels<true, false>(beta, B, alpha, A, C, first, last);
  } else {
    add_panels<true, true>(alpha, A, beta, B, C, first, last);
  }
}

template <class Real>
TESSERA_INLINE void scale_line(const Real* factors, Real* x, int count) {
  constexpr int lanes = lanes_of<Real>;
  int j = 0;
  for (; j + lanes <= count; j += lanes) store(x + j, load(factors + j) * load(x + j));
  for (; j < count; ++j) x[j] *= factors[j];
}

template <class Real>
void scale_rows_by_column(const Real* factors, const PanelRows<Real>& X, Ordinal first, Ordinal last) {
  const int n = X.columns;
  if (X.places != nullptr) {
    for (std::ptrdiff_t i = first; i < last; ++i)
      for (int j = 0; j < n; ++j) X.data[i * X.row_stride + X.places[j]] *= factors[j];
    return;
  }
  // Several rows with few columns are handled as one long row, with repeated factors.
  Real repeated[256];
  const int joined = X.row_stride == n ? 256 / n : 1;
  for (int k = 0; k < joined * n; ++k) repeated[k] = factors[k % n];
  std::ptrdiff_t i = first;
  for (; i + joined <= last; i += joined) scale_line(repeated, X.data + i * X.row_stride, joined * n);
  for (; i < last; ++i) scale_line(repeated, X.data + i * X.row_stride, n);
}

template <class Real>
void scale_rows_by_row(const Real* factors, const PanelRows<const Real>& X, const PanelRows<Real>& Y, Ordinal first,
                       Ordinal last) {
  constexpr int lanes = lanes_of<Real>;
  const int n = X.columns;
  const bool are_plain = X.places == nullptr && Y.places == nullptr;
  std::ptrdiff_t i = first;
  if (are_plain && n == 1 && X.row_stride == 1 && Y.row_stride == 1) {
    for (; i + lanes <= last; i += lanes) store(Y.data + i, load(factors + i) * load(X.data + i));
  }
  if (are_plain && n == 1) {
    for (; i < last; ++i) Y.data[i * Y.row_stride] = factors[i] * X.data[i * X.row_stride];
    return;
  }
  for (; i < last; ++i) {
    const Real* x = X.data + i * X.row_stride;
    Real* y = Y.data + i * Y.row_stride;
    if (are_plain) {
      add_line<true, false>(factors[i], x, Real(0), x, y, n);
      continue;
    }
    for (int j = 0; j < n; ++j)
      y[Y.places == nullptr ? j : Y.places[j]] = factors[i] * x[X.places == nullptr ? j : X.places[j]];
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE::Tall
