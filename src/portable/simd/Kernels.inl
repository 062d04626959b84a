// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once per instruction set: the including file defines TESSERA_SIMD_NAMESPACE and TESSERA_SIMD_BYTES, the
// width of a vector register. Nothing here may call an inline function of a shared header (see HostKernels.hpp).
#include <cstdint>
#include <tessera/common/CompiledTypes.hpp>
#include <type_traits>
#include <utility>

#include "HostKernels.hpp"

#ifdef __FMA__
#include <immintrin.h>
#endif

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

#define TESSERA_INLINE [[gnu::always_inline]] inline

constexpr int rows_at_once = 8;  // rows whose sums are finished together, so that a LayoutLeft Y gets whole cache lines
constexpr int vectors_at_once = TESSERA_SIMD_BYTES == 64 ? 8 : 4;  // the most registers of sums for a row

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

/// a * x + sum, rounded once if the instruction set can. It is spelt out because the compiler would fuse some loops and
/// not others, and every column must round alike in any block. (This file is compiled with -ffp-contract=off.)
#ifdef __FMA__
TESSERA_INLINE double fused(double a, double x, double sum) { return __builtin_fma(a, x, sum); }
TESSERA_INLINE float fused(float a, float x, float sum) { return __builtin_fmaf(a, x, sum); }
template <class Real, class V>
TESSERA_INLINE V fused(Real a, V x, V sum) {
  constexpr bool is_double = sizeof(Real) == 8;
  if constexpr (sizeof(V) == 16 && is_double) {
    return V(_mm_fmadd_pd(_mm_set1_pd(a), __m128d(x), __m128d(sum)));
  } else if constexpr (sizeof(V) == 16) {
    return V(_mm_fmadd_ps(_mm_set1_ps(a), __m128(x), __m128(sum)));
  } else if constexpr (sizeof(V) == 32 && is_double) {
    return V(_mm256_fmadd_pd(_mm256_set1_pd(a), __m256d(x), __m256d(sum)));
  } else if constexpr (sizeof(V) == 32) {
    return V(_mm256_fmadd_ps(_mm256_set1_ps(a), __m256(x), __m256(sum)));
#if TESSERA_SIMD_BYTES == 64
  } else if constexpr (sizeof(V) == 64 && is_double) {
    return V(_mm512_fmadd_pd(_mm512_set1_pd(a), __m512d(x), __m512d(sum)));
  } else if constexpr (sizeof(V) == 64) {
    return V(_mm512_fmadd_ps(_mm512_set1_ps(a), __m512(x), __m512(sum)));
#endif
  } else {
    V result;
    for (int l = 0; l < int(sizeof(V) / sizeof(Real)); ++l) result[l] = fused(a, Real(x[l]), Real(sum[l]));
    return result;
  }
}
#else
template <class Real, class V>
TESSERA_INLINE V fused(Real a, V x, V sum) {
  return a * x + sum;
}
#endif

/// a * x + sum in a register of two lanes, each with a factor of its own.
template <class V>
TESSERA_INLINE V fused_lanes(V a, V x, V sum) {
#ifdef __FMA__
  return V(_mm_fmadd_pd(__m128d(a), __m128d(x), __m128d(sum)));
#else
  return a * x + sum;
#endif
}

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
  static constexpr int most_vectors = vectors_at_once / parts;
  static constexpr int max_lanes = most_vectors * vector_lanes;
};

template <class T>
struct Dense {
  const typename T::MatrixReal* values;
  const typename T::Real* x;
  std::ptrdiff_t x_row_stride;  // in reals
  std::ptrdiff_t x_column_stride;
  typename T::Real* y;
  std::ptrdiff_t y_row_stride;
  std::ptrdiff_t y_column_stride;
  typename T::Real alpha[2];
  typename T::Real beta[2];
  const Ordinal* y_rows;  // the row of Y of each row of A, or null
  const Ordinal* x_rows;  // the row of X of each column of A, or null
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
  r.x_column_stride = d.x.column_stride * T::parts;
  r.y = reinterpret_cast<typename T::Real*>(d.y.data);
  r.y_row_stride = d.y.row_stride * T::parts;
  r.y_column_stride = d.y.column_stride * T::parts;
  for (int i = 0; i < 2; ++i) {
    r.alpha[i] = part(d.alpha, i);
    r.beta[i] = part(d.beta, i);
  }
  r.y_rows = d.y_rows;
  r.x_rows = d.x_rows;
  r.conjugate = d.conjugate_values;
  r.overwrite = r.beta[0] == 0 && r.beta[1] == 0;
  r.lanes = d.x.columns * T::parts;
  return r;
}

/// The sums of one row for Vectors registers of Lanes lanes. For complex A, products with real parts and with imaginary
/// parts are summed apart, so that the loop over the nonzeros has no shuffles. `combine` joins them.
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
      for (int p = 0; p < T::parts; ++p) s[p][j] = fused(static_cast<Real>(value[p]), xj, s[p][j]);
    }
  }
  TESSERA_INLINE void add(const Sums& other) {
    for (int p = 0; p < T::parts; ++p)
      for (int j = 0; j < Vectors; ++j) s[p][j] += other.s[p][j];
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

/// alpha * sum + beta * y for one element.
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

  /// Lane l of the pair's first register after exchanging the halves that are `step` apart; both in numbers of
  /// __builtin_shufflevector, which counts on through the second register.
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
    for (int i = 0; i < size; ++i) v[i] = *reinterpret_cast<const V*>(in + i * stride);
  }
  TESSERA_INLINE void store(Real* out, std::ptrdiff_t stride) const {
    for (int i = 0; i < size; ++i) *reinterpret_cast<V*>(out + i * stride) = v[i];
  }
};

/// Writes the sums of 8 rows to a LayoutLeft Y: lanes [0, width), width a multiple of a block's.
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

/// Writes sums likewise for rows that lie anywhere in Y.
template <class T>
[[gnu::noinline]] void scatter_rows(const Dense<T>& d, const Ordinal* places, int rows, int lane, int skip, int width,
                                    const typename T::Real* sums) {
  constexpr int p = T::parts;
  for (int r = 0; r < rows; ++r) {
    typename T::Real* y = d.y + places[r] * d.y_row_stride + (lane / p) * d.y_column_stride;
    for (int l = skip; l < width; l += p) finish<T>(d, sums + r * T::max_lanes + l, y + (l / p) * d.y_column_stride);
  }
}

/// Writes the sums of `rows` rows, lanes [lane + skip, lane + width), to Y. `sums` holds max_lanes reals a row.
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

/// Prefetches the lines of a LayoutLeft Y that the group of rows after the next will write, lanes [lane, lane + width).
/// Each column is a stream in a page of its own. These are more streams than the hardware follows, so that rows would
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

/// Calls body for blocks of 8, 4, 2 or 1 registers from `lane` on, as long as they fit. Returns the first lane left
/// over.
template <class T, int Lanes, class Body>
TESSERA_INLINE int for_each_whole_block(int lane, int lanes, const Body& body) {
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
  return lane;
}

/// Cuts the lanes of a row into blocks of 8, 4, 2 or 1 registers. Lanes that are left over are the end of a block that
/// overlaps the one before it: computed twice, stored once. Rows narrower than a register use shorter registers.
template <class T, int Lanes, class Body>
TESSERA_INLINE void for_each_block(int lanes, const Body& body) {
  const int lane = for_each_whole_block<T, Lanes>(0, lanes, body);
  if (lane == lanes) return;
  if (lane > 0) {
    body.template operator()<Lanes, 1>(lanes - Lanes, Lanes - (lanes - lane));
  } else if constexpr (Lanes > T::parts) {
    for_each_block<T, Lanes / 2>(lanes, body);
  }
}

/// Cuts the lanes likewise for sums in memory, to which no lane may be added twice: the rest takes ever shorter
/// registers.
template <class T, int Lanes, class Body>
TESSERA_INLINE void for_each_disjoint_block(int lane, int lanes, const Body& body) {
  lane = for_each_whole_block<T, Lanes>(lane, lanes, body);
  if constexpr (Lanes > T::parts) for_each_disjoint_block<T, Lanes / 2>(lane, lanes, body);
}

/// Up to 8 adjacent rows of a matrix in CSR, without the type of the offsets: less to compile.
struct RowGroup {
  const Ordinal* columns;
  int rows;
  std::ptrdiff_t offsets[rows_at_once + 1];
};

/// The number of entries of a row that are summed on their own.
constexpr std::ptrdiff_t block_entries = 8;

/// The sums of one row. An addition takes several cycles and needs the one before it, so that a single sum would leave
/// the processor idle. In each block of 8 entries, those at even and at odd places are summed apart and joined. The
/// sums of blocks are added up, and blocks do not wait for each other. The last entries are summed likewise, and added.
/// All of this is the same for any number of columns. Rows are taken one after the other, so that the matrix is one
/// stream, which the hardware prefetches.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void csr_sums(const RowGroup& group, int row, const Dense<T>& d, int lane, typename T::Real* out) {
  using RowSums = Sums<T, Lanes, Vectors>;
  const Ordinal* columns = group.columns;
  const auto* x = d.x + lane;
  const std::ptrdiff_t stride = d.x_row_stride;
  std::ptrdiff_t k = group.offsets[row];
  const std::ptrdiff_t end = group.offsets[row + 1];
  const auto sum_of = [&](std::ptrdiff_t i, std::ptrdiff_t last) __attribute__((always_inline)) {
    RowSums even, odd;
    even.clear();
    odd.clear();
    for (; last - i >= 2; i += 2) {
      even.add(d.values + i * T::parts, x + columns[i] * stride);
      odd.add(d.values + (i + 1) * T::parts, x + columns[i + 1] * stride);
    }
    if (i < last) even.add(d.values + i * T::parts, x + columns[i] * stride);
    even.add(odd);
    return even;
  };
  RowSums sum;
  sum.clear();
  for (; end - k >= block_entries; k += block_entries) sum.add(sum_of(k, k + block_entries));
  sum.add(sum_of(k, end));
  sum.store(out, d.conjugate);
}

template <class T>
[[gnu::noinline]] void csr_group(const RowGroup& group, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  const auto block = [&]<int Lanes, int Vectors>(int lane, int skip) __attribute__((always_inline)) {
    prefetch_rows(d, first_row, lane, Lanes * Vectors);
    for (int r = 0; r < group.rows; ++r) csr_sums<T, Lanes, Vectors>(group, r, d, lane, sums + r * T::max_lanes);
    finish_rows<T>(d, first_row, group.rows, lane, skip, Lanes * Vectors, sums);
  };
  for_each_block<T, T::vector_lanes>(d.lanes, block);
}

/// One column of X in rows of one real: the same sums without the code for blocks of columns, which is too slow for
/// short rows. The time of such a row is that of mispredicted branches. Entries go four at a time and the last ones one
/// after the other, so that at most two branches are mispredicted. (The function is aligned, because the alignment of
/// its code makes a third of the time of short rows.)
///
/// \param x_stride [in] elements from row to row of X; a constant if it is 1
/// \param write    [in] takes a row of the matrix and its sum
template <class T, class Offset, class Stride, class Write>
[[gnu::noinline, gnu::aligned(64)]] void csr_rows_one_lane(const CsrPattern<Offset>& A, const Dense<T>& d,
                                                           Ordinal first, Ordinal last, Stride x_stride, Write write) {
  using Real = typename T::Real;
  using Pair = register_t<Real, 2>;  // the even and the odd sum
  const Ordinal* columns = A.column_indices;
  const Offset* offsets = A.row_offsets;
  const auto* values = d.values;
  const Real* x = d.x;
  const auto add = [=](Real& sum, std::ptrdiff_t k) {
    sum = fused(static_cast<Real>(values[k]), x[columns[k] * x_stride], sum);
  };
  const auto add_four = [=](Pair& sums, std::ptrdiff_t k) {
    if constexpr (sizeof(Pair) == 16) {
      for (int i = 0; i < 4; i += 2) {
        const Pair factors{static_cast<Real>(values[k + i]), static_cast<Real>(values[k + i + 1])};
        sums = fused_lanes(factors, Pair{x[columns[k + i] * x_stride], x[columns[k + i + 1] * x_stride]}, sums);
      }
    } else {
      Real even = sums[0], odd = sums[1];
      for (int i = 0; i < 4; ++i) add(i % 2 == 0 ? even : odd, k + i);
      sums = Pair{even, odd};
    }
  };
  auto k = static_cast<std::ptrdiff_t>(offsets[first]);
  for (std::ptrdiff_t row = first; row < last; ++row) {
    const auto end = static_cast<std::ptrdiff_t>(offsets[row + 1]);
    Real sum = 0, even = 0, odd = 0;
    while (end - k >= 4) {
      Pair sums{};
      add_four(sums, k);
      k += 4;
      if (end - k < 4) {
        even = sums[0];
        odd = sums[1];
        break;
      }
      add_four(sums, k);
      k += 4;
      sum += sums[0] + sums[1];
    }
    if (k < end) {
      add(even, k);
      if (k + 1 < end) {
        add(odd, k + 1);
        if (k + 2 < end) add(even, k + 2);
      }
    }
    write(row, sum + (even + odd));
    k = end;
  }
}

template <class T, class Offset>
TESSERA_INLINE void csr_one_lane(const CsrPattern<Offset>& A, const Dense<T>& d, Ordinal first, Ordinal last) {
  using Real = typename T::Real;
  constexpr std::integral_constant<std::ptrdiff_t, 1> one;
  if (d.x_row_stride != 1 || d.y_row_stride != 1 || d.y_rows != nullptr) {
    const auto write = [d](std::ptrdiff_t row, Real sum) {
      finish(d, &sum, d.y + (d.y_rows == nullptr ? row : d.y_rows[row]) * d.y_row_stride);
    };
    csr_rows_one_lane(A, d, first, last, d.x_row_stride, write);
  } else if (d.overwrite) {
    const auto write = [y = d.y, alpha = d.alpha[0]](std::ptrdiff_t row, Real sum) { y[row] = alpha * sum; };
    csr_rows_one_lane(A, d, first, last, one, write);
  } else {
    const auto write = [y = d.y, alpha = d.alpha[0], beta = d.beta[0]](std::ptrdiff_t row, Real sum) {
      y[row] = fused(beta, y[row], alpha * sum);
    };
    csr_rows_one_lane(A, d, first, last, one, write);
  }
}

template <class MatrixScalar, class VectorScalar, class Offset>
void csr_rows(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
              Ordinal last) {
  using T = Types<MatrixScalar, VectorScalar>;
  const Dense<T> d = take_apart<T>(product);
  if constexpr (T::parts == 1) {
    if (d.lanes == 1) return csr_one_lane(A, d, first, last);
  }
  RowGroup group;
  group.columns = A.column_indices;
  for (Ordinal row = first; row<last; row = last - row> rows_at_once ? row + rows_at_once : last) {
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

/// Multiplies tile after tile, so that the rows of X of a tile are read from cache for each of its rows.
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
    prefetch_rows(d, first_row, lane, Lanes * Vectors);
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
    bittcf_window({A.tile_masks + tile, A.tile_columns + static_cast<std::ptrdiff_t>(tile) * 8,
                   static_cast<std::ptrdiff_t>(A.window_offsets[window + 1] - tile),
                   static_cast<std::ptrdiff_t>(A.tile_offsets[tile]), rows},
                  row, d);
  }
}

/// The upper or the lower 8 rows of a window in BMat, without the type of the offsets.
struct HalfWindow {
  const std::uint32_t* words;  // of the window's tiles
  const Ordinal* columns;
  std::ptrdiff_t tiles;
  std::ptrdiff_t first_value;
  int half;  // 0: the upper
  int rows;
};

/// Half a tile is two words, one for its left columns and one for its right columns. Their values lie apart, each in
/// the order of the rows.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void bmat_sums(const HalfWindow& window, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) sums[r].clear();
  const typename T::MatrixReal* value = d.values + window.first_value * T::parts;  // of the next word
  for (std::ptrdiff_t tile = 0; tile < window.tiles; ++tile) {
    const Ordinal* columns = window.columns + tile * 8;
    const typename T::MatrixReal* values[2] = {};
    std::uint32_t words[2] = {};
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t word = window.words[tile * 4 + w];
      if (w % 2 == window.half) {
        words[w / 2] = word;
        values[w / 2] = value;
      }
      value += __builtin_popcount(word) * T::parts;
    }
    for (int r = 0; r < rows_at_once; ++r) {
      if (((words[0] | words[1]) >> (4 * r) & 0xfu) == 0) continue;
      Sums<T, Lanes, Vectors> sum = sums[r];
      for (int side = 0; side < 2; ++side) {
        for (unsigned bits = words[side] >> (4 * r) & 0xfu; bits != 0; bits &= bits - 1, values[side] += T::parts)
          sum.add(values[side], d.x + columns[4 * side + __builtin_ctz(bits)] * d.x_row_stride + lane);
      }
      sums[r] = sum;
    }
  }
  for (int r = 0; r < rows_at_once; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

template <class T>
[[gnu::noinline]] void bmat_half(const HalfWindow& window, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  for_each_block<T, T::vector_lanes>(d.lanes, [&]<int Lanes, int Vectors>(int lane, int skip) {
    prefetch_rows(d, first_row, lane, Lanes * Vectors);
    bmat_sums<T, Lanes, Vectors>(window, d, lane, sums);
    finish_rows<T>(d, first_row, window.rows, lane, skip, Lanes * Vectors, sums);
  });
}

template <class MatrixScalar, class VectorScalar, class Offset>
void bmat_windows(const BmatPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                  Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  for (Ordinal window = first; window < last; ++window) {
    const auto tile = static_cast<std::ptrdiff_t>(A.window_offsets[window]);
    HalfWindow half{A.tile_words + tile * 4,
                    A.tile_columns + tile * 8,
                    static_cast<std::ptrdiff_t>(A.window_offsets[window + 1]) - tile,
                    static_cast<std::ptrdiff_t>(A.value_offsets[window]),
                    0,
                    0};
    for (; half.half < 2 && window * 16 < A.rows - half.half * 8; ++half.half) {
      const Ordinal row = window * 16 + half.half * 8;
      half.rows = A.rows - row < rows_at_once ? A.rows - row : rows_at_once;
      bmat_half(half, row, d);
    }
  }
}

/// Up to 8 adjacent rows of a window of blocks, without the type of the offsets.
struct BlockRows {
  const std::uint64_t* masks;
  const Ordinal* columns;
  std::ptrdiff_t blocks;
  std::ptrdiff_t first_value;  // of the window
  int block_width;
  int block_size;
  int mask_words;  // of a block
  int first;       // row of the window
  int rows;
};

/// Bits [first, first + count) of a mask, 0 < count <= 64.
TESSERA_INLINE std::uint64_t mask_bits(const std::uint64_t* words, int first, int count) {
  const std::uint64_t* word = words + first / 64;
  const int shift = first % 64;
  const std::uint64_t bits = shift + count > 64 ? word[0] >> shift | word[1] << (64 - shift) : word[0] >> shift;
  return bits & ~std::uint64_t(0) >> (64 - count);
}

/// Multiplies block after block, so that the rows of X of a block are read from cache for each of its rows. Full rows
/// of a block, which this format is for, are a plain loop.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void bcsr_sums(const BlockRows& group, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) sums[r].clear();
  const std::uint64_t full_row = ~std::uint64_t(0) >> (64 - group.block_width);
  for (std::ptrdiff_t block = 0; block < group.blocks; ++block) {
    const std::uint64_t* mask = group.masks + block * group.mask_words;
    const auto* values = d.values + (group.first_value + block * group.block_size) * T::parts;
    const std::ptrdiff_t column = std::ptrdiff_t(group.columns[block]) * group.block_width;
    const auto* x = d.x + column * d.x_row_stride + lane;
    for (int r = 0; r < group.rows; ++r) {
      const int first_bit = (group.first + r) * group.block_width;
      std::uint64_t bits = mask_bits(mask, first_bit, group.block_width);
      if (bits == 0) continue;
      Sums<T, Lanes, Vectors> sum = sums[r];
      const auto* row = values + first_bit * T::parts;
      if (d.x_rows != nullptr) {
        for (; bits != 0; bits &= bits - 1) {
          const int c = __builtin_ctzll(bits);
          sum.add(row + c * T::parts, d.x + d.x_rows[column + c] * d.x_row_stride + lane);
        }
      } else if (bits == full_row) {
        for (int c = 0; c < group.block_width; ++c) sum.add(row + c * T::parts, x + c * d.x_row_stride);
      } else {
        for (; bits != 0; bits &= bits - 1) {
          const int c = __builtin_ctzll(bits);
          sum.add(row + c * T::parts, x + c * d.x_row_stride);
        }
      }
      sums[r] = sum;
    }
  }
  for (int r = 0; r < group.rows; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

template <class T>
[[gnu::noinline]] void bcsr_group(const BlockRows& group, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  for_each_block<T, T::vector_lanes>(d.lanes, [&]<int Lanes, int Vectors>(int lane, int skip) {
    prefetch_rows(d, first_row, lane, Lanes * Vectors);
    bcsr_sums<T, Lanes, Vectors>(group, d, lane, sums);
    finish_rows<T>(d, first_row, group.rows, lane, skip, Lanes * Vectors, sums);
  });
}

template <class MatrixScalar, class VectorScalar, class Offset>
void bcsr_windows(const BcsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                  Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  const int height = A.block.height;
  BlockRows group;
  group.block_width = A.block.width;
  group.block_size = height * A.block.width;
  group.mask_words = (group.block_size + 63) / 64;
  for (Ordinal window = first; window < last; ++window) {
    const auto block = static_cast<std::ptrdiff_t>(A.block_offsets[window]);
    group.masks = A.block_masks + block * group.mask_words;
    group.columns = A.block_columns + block;
    group.blocks = static_cast<std::ptrdiff_t>(A.block_offsets[window + 1]) - block;
    group.first_value = block * group.block_size;
    const Ordinal row = window * height;
    const int rows = A.rows - row < height ? A.rows - row : height;
    for (group.first = 0; group.first < rows; group.first += rows_at_once) {
      group.rows = rows - group.first < rows_at_once ? rows - group.first : rows_at_once;
      bcsr_group(group, row + group.first, d);
    }
  }
}

/// A strip of 8 rows of a staged window, as it lies in the chunks of the window.
struct StagedStrip {
  const StagedChunk* chunks;  // of the window
  const Ordinal* columns;     // of the slots of these chunks
  const std::byte* tiles;     // of the matrix
  std::ptrdiff_t count;       // of chunks
  int slots;                  // of a chunk
  int header_bytes;           // of a chunk
  int granule;                // values in 16 bytes
  int strip;
  int rows;
};

/// Chunk after chunk and tile after tile, as in BitTCF. A tile's columns are slots of its chunk, or of the one before.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void staged_sums(const StagedStrip& window, const Dense<T>& d, int lane, typename T::Real* out) {
  Sums<T, Lanes, Vectors> sums[rows_at_once];
  for (int r = 0; r < rows_at_once; ++r) sums[r].clear();
  for (std::ptrdiff_t chunk = 0; chunk < window.count; ++chunk) {
    const std::byte* data = window.tiles + 16 * std::ptrdiff_t(window.chunks[chunk].tiles);
    const auto* strip_tiles = reinterpret_cast<const std::uint16_t*>(data) + window.strip;
    const auto* tiles = reinterpret_cast<const StagedTile<1>*>(data + window.header_bytes);
    const std::ptrdiff_t first_value = std::ptrdiff_t(window.chunks[chunk].values) * window.granule;
    for (int t = strip_tiles[0]; t < strip_tiles[1]; ++t) {
      const std::uint64_t mask = tiles[t].masks[0];
      const typename T::MatrixReal* value = d.values + (first_value + tiles[t].first_value) * T::parts;
      const typename T::Real* x[8];
      for (int c = 0; c < 8; ++c) {
        const int code = tiles[t].codes[c];
        const Ordinal column = window.columns[(chunk - (code >> 15)) * window.slots + (code & 0x7fff) / 4];
        x[c] = d.x + column * d.x_row_stride + lane;
      }
      for (int r = 0; r < rows_at_once; ++r) {
        unsigned bits = static_cast<unsigned>(mask >> (8 * r)) & 0xffu;
        if (bits == 0) continue;
        Sums<T, Lanes, Vectors> sum = sums[r];
        for (; bits != 0; bits &= bits - 1, value += T::parts) sum.add(value, x[__builtin_ctz(bits)]);
        sums[r] = sum;
      }
    }
  }
  for (int r = 0; r < rows_at_once; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

template <class T>
[[gnu::noinline]] void staged_strip(const StagedStrip& strip, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  for_each_block<T, T::vector_lanes>(d.lanes, [&]<int Lanes, int Vectors>(int lane, int skip) {
    prefetch_rows(d, first_row, lane, Lanes * Vectors);
    staged_sums<T, Lanes, Vectors>(strip, d, lane, sums);
    finish_rows<T>(d, first_row, strip.rows, lane, skip, Lanes * Vectors, sums);
  });
}

template <class MatrixScalar, class VectorScalar, class Offset>
void staged_windows(const StagedWindowsPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product,
                    Ordinal first, Ordinal last) {
  const auto d = take_apart<Types<MatrixScalar, VectorScalar>>(product);
  const int strips = A.window_rows / rows_at_once;
  for (Ordinal window = first; window < last; ++window) {
    const std::ptrdiff_t chunk = A.window_offsets[window];
    StagedStrip strip{A.chunks + chunk,
                      A.chunk_columns + chunk * A.chunk_slots,
                      A.tiles,
                      A.window_offsets[window + 1] - chunk,
                      A.chunk_slots,
                      (2 * (strips + 1) + 15) / 16 * 16,
                      A.granule,
                      0,
                      0};
    for (; strip.strip < strips && window * A.window_rows < A.rows - strip.strip * rows_at_once; ++strip.strip) {
      const Ordinal row = window * A.window_rows + strip.strip * rows_at_once;
      strip.rows = A.rows - row < rows_at_once ? A.rows - row : rows_at_once;
      staged_strip(strip, row, d);
    }
  }
}

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
      const V xj = *reinterpret_cast<const V*>(x + j * Lanes);
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
      V& target = *reinterpret_cast<V*>(y + j * stride);
      V sum = fused(static_cast<Real>(value[0]), s[0][j], V(target));
      if constexpr (T::is_complex) {
        const auto imaginary = static_cast<Real>(value[1]);
        sum = fused(conjugate ? -imaginary : imaginary, s[1][j], sum);
      }
      target = sum;
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

/// The number of rows that are packed for some columns before the others. A few columns at a time, in long pieces, are
/// streams that the hardware follows, and written lines stay in cache until they are whole.
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

template <class MatrixScalar, class VectorScalar, class Offset>
struct Table {
  static constexpr HostKernels<MatrixScalar, VectorScalar, Offset> kernels = {
      csr_rows, bittcf_windows, bmat_windows, bcsr_windows, staged_windows, sorted_columns, pack_rows};
};

template <class MatrixScalar, class VectorScalar, class Offset>
const HostKernels<MatrixScalar, VectorScalar, Offset>& kernels() {
  return Table<MatrixScalar, VectorScalar, Offset>::kernels;
}

#define TESSERA_INSTANTIATE(Ignored, M, V, Offset) template const HostKernels<M, V, Offset>& kernels();
TESSERA_FOR_EACH_PRODUCT(, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
