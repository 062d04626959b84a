// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once per instruction set: the including file defines TESSERA_SIMD_NAMESPACE and TESSERA_SIMD_BYTES, the
// width of a vector register. Nothing here may call an inline function of a shared header (see HostKernels.hpp).
#include <cstdint>
#include <type_traits>

#include "HostKernels.hpp"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

#define TESSERA_INLINE [[gnu::always_inline]] inline

constexpr int rows_at_once = 8;     // rows whose sums are finished together, so that LayoutLeft Y gets whole lines
constexpr int vectors_at_once = 8;  // registers of sums a row, at most
constexpr int max_lanes_bytes = vectors_at_once * TESSERA_SIMD_BYTES;

/// A SIMD register of Lanes reals; one lane is a plain real.
template <class Real, int Lanes>
struct Register {
  typedef Real type __attribute__((vector_size(Lanes * sizeof(Real)), aligned(alignof(Real)), may_alias));
};
template <class Real>
struct Register<Real, 1> {
  typedef Real type;
};
template <class Real, int Lanes>
using register_t = typename Register<Real, Lanes>::type;

/// The types of a product, and complex numbers taken apart: a complex row of n columns is a real row of 2 n lanes.
template <class MatrixScalar_, class VectorScalar_>
struct Types {
  using MatrixScalar = MatrixScalar_;
  using VectorScalar = VectorScalar_;
  using MatrixReal = real_of_t<MatrixScalar>;
  using Real = real_of_t<VectorScalar>;
  static constexpr bool is_complex = is_complex_v<VectorScalar>;
  static constexpr int parts = is_complex ? 2 : 1;
  static constexpr int vector_lanes = TESSERA_SIMD_BYTES / int(sizeof(Real));
  static constexpr int max_lanes = max_lanes_bytes / int(sizeof(Real));
};

template <class T>
struct Dense {
  const typename T::MatrixReal* values;
  const typename T::Real* x;
  std::ptrdiff_t x_row_stride;  // in reals
  typename T::Real* y;
  std::ptrdiff_t y_row_stride;
  std::ptrdiff_t y_column_stride;
  typename T::Real alpha[2];
  typename T::Real beta[2];
  bool conjugate;
  bool overwrite;  // beta = 0
  int lanes;       // reals in a row of X
};

template <class Real>
TESSERA_INLINE Real part(Real a, int i) {
  return i == 0 ? a : Real(0);
}
template <class Real>
TESSERA_INLINE Real part(Complex<Real> a, int i) {
  return i == 0 ? a.re : a.im;
}

template <class T>
TESSERA_INLINE Dense<T> take_apart(const Product<typename T::MatrixScalar, typename T::VectorScalar>& d) {
  Dense<T> r;
  r.values = reinterpret_cast<const typename T::MatrixReal*>(d.values);
  r.x = reinterpret_cast<const typename T::Real*>(d.x.data);
  r.x_row_stride = d.x.row_stride * T::parts;
  r.y = reinterpret_cast<typename T::Real*>(d.y.data);
  r.y_row_stride = d.y.row_stride * T::parts;
  r.y_column_stride = d.y.column_stride * T::parts;
  for (int i = 0; i < 2; ++i) {
    r.alpha[i] = part(d.alpha, i);
    r.beta[i] = part(d.beta, i);
  }
  r.conjugate = d.conjugate_values;
  r.overwrite = r.beta[0] == 0 && r.beta[1] == 0;
  r.lanes = d.x.columns * T::parts;
  return r;
}

/// The sums of one row for Vectors registers of Lanes lanes. For complex A the products with its real and its imaginary
/// parts are summed apart, so that the loop over the nonzeros has no shuffles; `combine` joins them.
template <class T, int Lanes, int Vectors>
struct Sums {
  using Real = typename T::Real;
  using V = register_t<Real, Lanes>;
  V s[T::parts][Vectors];

  TESSERA_INLINE void clear() {
    for (int p = 0; p < T::parts; ++p)
      for (int j = 0; j < Vectors; ++j) s[p][j] = V{};
  }
  TESSERA_INLINE void add(const typename T::MatrixReal* value, const Real* x) {
    for (int j = 0; j < Vectors; ++j) {
      const V xj = *reinterpret_cast<const V*>(x + j * Lanes);
      for (int p = 0; p < T::parts; ++p) s[p][j] += static_cast<Real>(value[p]) * xj;
    }
  }
  TESSERA_INLINE void store(Real* out, bool conjugate) const {
    if constexpr (!T::is_complex) {
      for (int j = 0; j < Vectors; ++j) *reinterpret_cast<V*>(out + j * Lanes) = s[0][j];
    } else {
      Real imaginary[Vectors * Lanes];
      for (int j = 0; j < Vectors; ++j) {
        *reinterpret_cast<V*>(out + j * Lanes) = s[0][j];
        *reinterpret_cast<V*>(imaginary + j * Lanes) = s[1][j];
      }
      for (int l = 0; l < Vectors * Lanes; l += 2) {
        const Real re = conjugate ? -imaginary[l] : imaginary[l];
        const Real im = conjugate ? -imaginary[l + 1] : imaginary[l + 1];
        out[l] -= im;
        out[l + 1] += re;
      }
    }
  }
};

/// alpha * sum + beta * y for one element. The fused operation is spelt out so that every caller rounds alike.
template <class T>
TESSERA_INLINE void finish(const Dense<T>& d, const typename T::Real* sum, typename T::Real* y) {
  using Real = typename T::Real;
#ifdef __FMA__
  const auto fma = [](Real a, Real b, Real c) {
    return sizeof(Real) == 4 ? __builtin_fmaf(a, b, c) : Real(__builtin_fma(a, b, c));
  };
#else
  const auto fma = [](Real a, Real b, Real c) { return a * b + c; };
#endif
  if constexpr (!T::is_complex) {
    const Real scaled = d.alpha[0] * sum[0];
    *y = d.overwrite ? scaled : fma(d.beta[0], *y, scaled);
  } else {
    Real re = fma(d.alpha[0], sum[0], -(d.alpha[1] * sum[1]));
    Real im = fma(d.alpha[0], sum[1], d.alpha[1] * sum[0]);
    if (!d.overwrite) {
      const Real old_re = y[0], old_im = y[1];
      re = fma(d.beta[0], old_re, fma(-d.beta[1], old_im, re));
      im = fma(d.beta[0], old_im, fma(d.beta[1], old_re, im));
    }
    y[0] = re;
    y[1] = im;
  }
}

/// Writes the sums of `rows` rows, lanes [lane + skip, lane + width), to Y. `sums` holds max_lanes reals a row.
template <class T>
TESSERA_INLINE void finish_rows(const Dense<T>& d, Ordinal row, int rows, int lane, int skip, int width,
                                const typename T::Real* sums) {
  constexpr int p = T::parts;
  typename T::Real* y = d.y + row * d.y_row_stride + (lane / p) * d.y_column_stride;
  if (d.y_column_stride == p) {
    for (int r = 0; r < rows; ++r)
      for (int l = skip; l < width; l += p) finish<T>(d, sums + r * T::max_lanes + l, y + r * d.y_row_stride + l);
  } else if (d.y_row_stride == p && rows == rows_at_once) {
    for (int l = skip; l < width; l += p)
      for (int r = 0; r < rows_at_once; ++r)
        finish<T>(d, sums + r * T::max_lanes + l, y + r * p + (l / p) * d.y_column_stride);
  } else {
    for (int l = skip; l < width; l += p)
      for (int r = 0; r < rows; ++r)
        finish<T>(d, sums + r * T::max_lanes + l, y + r * d.y_row_stride + (l / p) * d.y_column_stride);
  }
}

/// Cuts the lanes of a row into blocks of 8, 4, 2 or 1 registers. Lanes that are left over are the end of a block that
/// overlaps the one before it: computed twice, stored once. Rows narrower than a register use shorter registers.
template <class T, int Lanes, class Body>
TESSERA_INLINE void for_each_block(int lanes, const Body& body) {
  int lane = 0;
  const auto cut = [&](auto vectors) {
    constexpr int width = decltype(vectors)::value * Lanes;
    for (; lanes - lane >= width; lane += width) body.template operator()<Lanes, decltype(vectors)::value>(lane, 0);
  };
  if constexpr (Lanes * int(sizeof(typename T::Real)) == TESSERA_SIMD_BYTES) {
    cut(std::integral_constant<int, 8>{});
    cut(std::integral_constant<int, 4>{});
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

/// Up to 8 adjacent rows of a matrix in CSR, without the type of the offsets: less to compile.
struct RowGroup {
  const Ordinal* columns;
  int rows;
  std::ptrdiff_t offsets[rows_at_once + 1];
};

/// The sums of Rows adjacent rows side by side: independent chains of additions, which one row alone does not have.
template <class T, int Lanes, int Vectors, int Rows>
TESSERA_INLINE void csr_sums(const RowGroup& group, int row, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[Rows];
  std::ptrdiff_t common = group.offsets[row + 1] - group.offsets[row];
  for (int r = 0; r < Rows; ++r) {
    sums[r].clear();
    const std::ptrdiff_t length = group.offsets[row + r + 1] - group.offsets[row + r];
    common = length < common ? length : common;
  }
  const auto add = [&](int r, std::ptrdiff_t k) {
    sums[r].add(d.values + k * T::parts, d.x + group.columns[k] * d.x_row_stride + lane);
  };
  for (std::ptrdiff_t k = 0; k < common; ++k)
    for (int r = 0; r < Rows; ++r) add(r, group.offsets[row + r] + k);
  for (int r = 0; r < Rows; ++r) {
    for (std::ptrdiff_t k = group.offsets[row + r] + common; k < group.offsets[row + r + 1]; ++k) add(r, k);
    sums[r].store(out + r * T::max_lanes, d.conjugate);
  }
}

template <class T>
[[gnu::noinline]] void csr_group(const RowGroup& group, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  for_each_block<T, T::vector_lanes>(d.lanes, [&]<int Lanes, int Vectors>(int lane, int skip) {
    constexpr int together = Vectors * T::parts >= 4 ? 1 : 4 / (Vectors * T::parts);
    int r = 0;
    for (; r + together <= group.rows; r += together)
      csr_sums<T, Lanes, Vectors, together>(group, r, d, lane, sums + r * T::max_lanes);
    if constexpr (together > 1) {
      for (; r < group.rows; ++r) csr_sums<T, Lanes, Vectors, 1>(group, r, d, lane, sums + r * T::max_lanes);
    }
    finish_rows<T>(d, first_row, group.rows, lane, skip, Lanes * Vectors, sums);
  });
}

template <class MatrixScalar, class VectorScalar, class Offset>
void csr_rows(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
              Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  RowGroup group;
  group.columns = A.column_indices;
  for (Ordinal row = first; row < last; row += rows_at_once) {
    group.rows = last - row < rows_at_once ? last - row : rows_at_once;
    for (int r = 0; r <= group.rows; ++r) group.offsets[r] = static_cast<std::ptrdiff_t>(A.row_offsets[row + r]);
    csr_group(group, row, d);
  }
}

/// The tiles of one window, without the type of the offsets.
struct Window {
  const std::uint64_t* masks;
  const Ordinal* columns;
  std::ptrdiff_t tiles;
  std::ptrdiff_t first_entry;
  int rows;
};

/// Tile after tile, so that the X rows of a tile are read from cache for each of its matrix rows.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void bittcf_sums(const Window& window, const Dense<T>& d, int lane, typename T::Real* out) {
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
[[gnu::noinline]] void bittcf_window(const Window& window, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  for_each_block<T, T::vector_lanes>(d.lanes, [&]<int Lanes, int Vectors>(int lane, int skip) {
    bittcf_sums<T, Lanes, Vectors>(window, d, lane, sums);
    finish_rows<T>(d, first_row, window.rows, lane, skip, Lanes * Vectors, sums);
  });
}

template <class MatrixScalar, class VectorScalar, class Offset>
void bittcf_windows(const BitTcfPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                    Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  for (Ordinal window = first; window < last; ++window) {
    const Ordinal row = window * rows_at_once;
    const Offset tile = A.window_offsets[window];
    const int rows = A.rows - row < rows_at_once ? A.rows - row : rows_at_once;
    bittcf_window({A.tile_masks + tile, A.tile_columns + tile * 8,
                   static_cast<std::ptrdiff_t>(A.window_offsets[window + 1] - tile),
                   static_cast<std::ptrdiff_t>(A.tile_offsets[tile]), rows},
                  row, d);
  }
}

/// Blocks of 8 rows by 8 columns, so that both the reads along columns and the writes along rows use whole lines.
template <class VectorScalar>
void pack_rows(const Multivector<const VectorScalar>& x, VectorScalar* packed, std::ptrdiff_t packed_stride,
               Ordinal first, Ordinal last) {
  constexpr int block = 8;
  for (Ordinal row = first; row < last; row += block) {
    const int rows = last - row < block ? last - row : block;
    for (int column = 0; column < x.columns; column += block) {
      const int columns = x.columns - column < block ? x.columns - column : block;
      const VectorScalar* in = x.data + row * x.row_stride + column * x.column_stride;
      VectorScalar* out = packed + row * packed_stride + column;
      if (rows == block && columns == block && x.row_stride == 1) {
        for (int r = 0; r < block; ++r)
          for (int c = 0; c < block; ++c) out[r * packed_stride + c] = in[r + c * x.column_stride];
      } else {
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < columns; ++c) out[r * packed_stride + c] = in[r * x.row_stride + c * x.column_stride];
      }
    }
  }
}

template <class MatrixScalar, class VectorScalar, class Offset>
struct Table {
  static constexpr HostKernels<MatrixScalar, VectorScalar, Offset> kernels = {csr_rows, bittcf_windows, pack_rows};
};

template <class MatrixScalar, class VectorScalar, class Offset>
const HostKernels<MatrixScalar, VectorScalar, Offset>& kernels() {
  return Table<MatrixScalar, VectorScalar, Offset>::kernels;
}

#define TESSERA_INSTANTIATE(M, V)                   \
  template const HostKernels<M, V, int>& kernels(); \
  template const HostKernels<M, V, std::size_t>& kernels();
TESSERA_INSTANTIATE(float, float)
TESSERA_INSTANTIATE(double, double)
TESSERA_INSTANTIATE(float, double)
TESSERA_INSTANTIATE(Complex<float>, Complex<float>)
TESSERA_INSTANTIATE(Complex<double>, Complex<double>)

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
