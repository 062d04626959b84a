// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of a product whose complex numbers are split into reals, and the sums of a row.
#pragma once

#include <cstddef>
#include <tessera/parallel/SimdRegisters.inl>
#include <type_traits>

#include "HostKernels.hpp"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

constexpr int rows_at_once = 8;  // rows whose sums are finished together, to write whole cache lines of a LayoutLeft Y
constexpr int vectors_at_once = TESSERA_SIMD_BYTES == 64 ? 8 : 4;  // upper bound on the registers of sums for a row

/// The types of a product whose complex numbers are split: a complex row of n columns is a real row of 2 n lanes.
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
  typename T::Real* y;
  std::ptrdiff_t y_row_stride;
  std::ptrdiff_t y_column_stride;
  typename T::Real alpha[2];
  typename T::Real beta[2];
  const Ordinal* y_rows;  // the row of Y of each row of A, or null
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
  r.y_rows = d.y_rows;
  r.conjugate = d.conjugate_values;
  r.overwrite = r.beta[0] == 0 && r.beta[1] == 0;
  r.lanes = d.x.columns * T::parts;
  return r;
}

/// The sums of one row in Vectors registers of Lanes lanes. For complex A, products with real and with imaginary parts
/// have separate sums, so the loop over the nonzeros has no shuffles. store() combines them.
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
      const V xj = load_register<V>(x + j * Lanes);
      for (int p = 0; p < T::parts; ++p) s[p][j] = fused(static_cast<Real>(value[p]), xj, s[p][j]);
    }
  }
  TESSERA_INLINE void add(const Sums& other) {
    for (int p = 0; p < T::parts; ++p)
      for (int j = 0; j < Vectors; ++j) s[p][j] += other.s[p][j];
  }
  TESSERA_INLINE void store(Real* out, bool conjugate) const {
    if constexpr (!T::is_complex) {
      for (int j = 0; j < Vectors; ++j) store_register(out + j * Lanes, s[0][j]);
    } else {
      Real imaginary[Vectors * Lanes];
      for (int j = 0; j < Vectors; ++j) {
        store_register(out + j * Lanes, s[0][j]);
        store_register(imaginary + j * Lanes, s[1][j]);
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

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
