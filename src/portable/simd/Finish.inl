// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes sums to rows of Y, and divides rows into blocks of columns for which sums are computed.
#pragma once

#include <utility>

#include "Registers.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

/// Computes alpha * sum + beta * y for one element.
template <class T>
TESSERA_INLINE void finish(const Dense<T>& d, const typename T::Real* sum, typename T::Real* y) {
  using Real = typename T::Real;
  if constexpr (!T::is_complex) {
    const Real scaled = d.alpha[0] * sum[0];
    *y = d.overwrite ? scaled : fused(d.beta[0], *y, scaled);
  } else {
    Real re = fused(d.alpha[0], sum[0], -(d.alpha[1] * sum[1]));
    Real im = fused(d.alpha[0], sum[1], d.alpha[1] * sum[0]);
    if (!d.overwrite) {
      const Real old_re = y[0], old_im = y[1];
      re = fused(d.beta[0], old_re, fused(-d.beta[1], old_im, re));
      im = fused(d.beta[0], old_im, fused(d.beta[1], old_re, im));
    }
    y[0] = re;
    y[1] = im;
  }
}

/// Transposes square blocks of up to Most x Most elements in registers, to read and write LayoutLeft at full speed.
template <class Real, int Parts, int Most = 8>
struct Block {
  static constexpr int fitting = TESSERA_SIMD_BYTES / int(sizeof(Real)) / Parts;
  static constexpr int size = fitting < Most ? fitting : Most;  // rows and columns
  static constexpr int lanes = size * Parts;
  using V = register_t<Real, lanes>;
  V v[size];

  /// Returns the lane that moves to lane l of a pair's first (low) or second (high) register if halves that are `step`
  /// apart are exchanged. Lanes are numbered as by __builtin_shufflevector, which continues in the second register.
  static constexpr int low(int l, int step) { return (l & step) ? lanes + l - step : l; }
  static constexpr int high(int l, int step) { return (l & step) ? lanes + l : l + step; }

  template <int Step, int... L>
  TESSERA_INLINE void exchange(int i, int j, std::integer_sequence<int, L...>) {
    const V a = v[i], b = v[j];
    v[i] = __builtin_shufflevector(a, b, low(L, Step * Parts)...);
    v[j] = __builtin_shufflevector(a, b, high(L, Step * Parts)...);
  }
  template <int Step = 1>
  TESSERA_INLINE void transpose() {
    if constexpr (Step < size) {
      for (int i = 0; i < size; ++i)
        if ((i & Step) == 0) exchange<Step>(i, i + Step, std::make_integer_sequence<int, lanes>{});
      transpose<2 * Step>();
    }
  }
  TESSERA_INLINE void load(const Real* in, std::ptrdiff_t stride) {
    for (int i = 0; i < size; ++i) v[i] = load_register<V>(in + i * stride);
  }
  TESSERA_INLINE void store(Real* out, std::ptrdiff_t stride) const {
    for (int i = 0; i < size; ++i) store_register(out + i * stride, v[i]);
  }
};

/// Writes the sums of 8 rows to a LayoutLeft Y: lanes [0, width), where width is a multiple of B::lanes.
template <class B, class T>
TESSERA_INLINE void finish_blocks(const Dense<T>& d, typename T::Real* y, int width, const typename T::Real* sums) {
  using Real = typename T::Real;
  const Dense<T> local = d;  // a local copy, which no store can alias
  for (int lane = 0; lane < width; lane += B::lanes) {
    for (int row = 0; row < rows_at_once; row += B::size) {
      B block;
      block.load(sums + row * T::max_lanes + lane, T::max_lanes);
      block.transpose();
      Real turned[B::size * B::lanes];
      block.store(turned, B::lanes);
      for (int c = 0; c < B::size; ++c) {
        Real* target = y + row * T::parts + (lane / T::parts + c) * d.y_column_stride;
        for (int r = 0; r < B::lanes; r += T::parts) finish<T>(local, turned + c * B::lanes + r, target + r);
      }
    }
  }
}

/// Writes the sums of rows that may be anywhere in Y.
template <class T>
[[gnu::noinline]] void scatter_rows(const Dense<T>& d, const Ordinal* places, int rows, int lane, int skip, int width,
                                    const typename T::Real* sums) {
  constexpr int p = T::parts;
  for (int r = 0; r < rows; ++r) {
    typename T::Real* y = d.y + places[r] * d.y_row_stride + (lane / p) * d.y_column_stride;
    for (int l = skip; l < width; l += p) finish<T>(d, sums + r * T::max_lanes + l, y + (l / p) * d.y_column_stride);
  }
}

/// Writes the sums of `rows` rows, lanes [lane + skip, lane + width), to Y. `sums` has max_lanes reals per row.
template <class T>
TESSERA_INLINE void finish_rows(const Dense<T>& dense, Ordinal row, int rows, int lane, int skip, int width,
                                const typename T::Real* sums) {
  constexpr int p = T::parts;
  const Dense<T> d = dense;  // a local copy, which no store can alias
  if (d.y_rows != nullptr) return scatter_rows<T>(d, d.y_rows + row, rows, lane, skip, width, sums);
  typename T::Real* y = d.y + row * d.y_row_stride + (lane / p) * d.y_column_stride;
  if (d.y_column_stride == p) {
    for (int r = 0; r < rows; ++r)
      for (int l = skip; l < width; l += p) finish<T>(d, sums + r * T::max_lanes + l, y + r * d.y_row_stride + l);
    return;
  }
  if (d.y_row_stride == p && rows == rows_at_once && skip == 0) {
    using Whole = Block<typename T::Real, p>;
    using Small = Block<typename T::Real, p, 4>;
    if (width % Whole::lanes == 0) return finish_blocks<Whole>(d, y, width, sums);
    if (width % Small::lanes == 0) return finish_blocks<Small>(d, y, width, sums);
  }
  for (int l = skip; l < width; l += p)
    for (int r = 0; r < rows; ++r)
      finish<T>(d, sums + r * T::max_lanes + l, y + r * d.y_row_stride + (l / p) * d.y_column_stride);
}

/// Prefetches the lines of a LayoutLeft Y that the group of rows after the next will write, in lanes [lane, lane +
/// width). Each column is a stream in a page of its own. The hardware cannot follow so many streams, and rows would
/// wait for each line that is not in cache. Prefetches past the end of Y do nothing.
template <class T>
TESSERA_INLINE void prefetch_rows(const Dense<T>& d, std::ptrdiff_t row, int lane, int width) {
  constexpr int p = T::parts;
  constexpr int line = 64 / int(sizeof(typename T::VectorScalar));  // rows
  if (d.y_row_stride != p || d.y_column_stride == p || d.y_rows != nullptr) return;
  const typename T::Real* y = d.y + (row + 3 * rows_at_once - 1) * p + (lane / p) * d.y_column_stride;
  for (int c = 0; c < width / p; ++c)
    for (int r = 0; r < rows_at_once; r += line) __builtin_prefetch(y + c * d.y_column_stride - r * p, 1);
}

/// Cuts the lanes of a row into blocks of 8, 4, 2 or 1 registers. The remaining lanes are the end of a block that
/// overlaps the previous one, so some lanes are computed twice, but stored once. Narrower rows use shorter registers.
template <class T, int Lanes, class Body>
TESSERA_INLINE void for_each_block(int lanes, const Body& body) {
  int lane = 0;
  const auto cut = [&](auto vectors) __attribute__((always_inline)) {
    constexpr int width = decltype(vectors)::value * Lanes;
    for (; lanes - lane >= width; lane += width) body.template operator()<Lanes, decltype(vectors)::value>(lane, 0);
  };
  if constexpr (Lanes * int(sizeof(typename T::Real)) == TESSERA_SIMD_BYTES) {
    if constexpr (T::most_vectors >= 8) cut(std::integral_constant<int, 8>{});
    if constexpr (T::most_vectors >= 4) cut(std::integral_constant<int, 4>{});
    cut(std::integral_constant<int, 2>{});
  }
  cut(std::integral_constant<int, 1>{});
  if (lane == lanes) return;
  if (lane > 0) {
    body.template operator()<Lanes, 1>(lanes - Lanes, Lanes - (lanes - lane));
  } else if constexpr (Lanes > T::parts) {
    for_each_block<T, Lanes / 2>(lanes, body);
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
