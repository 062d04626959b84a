// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector registers. The including file is compiled once per instruction set: it defines TESSERA_SIMD_NAMESPACE and
// TESSERA_SIMD_BYTES, the width of a vector register.
#pragma once

#ifdef __FMA__
#include <immintrin.h>
#endif

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

#define TESSERA_INLINE [[gnu::always_inline]] inline

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

/// a * x + sum, lane by lane; Real is the type of a lane.
template <class Real, class V>
TESSERA_INLINE V fused_vectors(V a, V x, V sum) {
#ifdef __FMA__
  constexpr bool is_double = sizeof(Real) == 8;
  if constexpr (sizeof(V) == 16 && is_double) {
    return V(_mm_fmadd_pd(__m128d(a), __m128d(x), __m128d(sum)));
  } else if constexpr (sizeof(V) == 16) {
    return V(_mm_fmadd_ps(__m128(a), __m128(x), __m128(sum)));
  } else if constexpr (sizeof(V) == 32 && is_double) {
    return V(_mm256_fmadd_pd(__m256d(a), __m256d(x), __m256d(sum)));
  } else if constexpr (sizeof(V) == 32) {
    return V(_mm256_fmadd_ps(__m256(a), __m256(x), __m256(sum)));
#if TESSERA_SIMD_BYTES == 64
  } else if constexpr (sizeof(V) == 64 && is_double) {
    return V(_mm512_fmadd_pd(__m512d(a), __m512d(x), __m512d(sum)));
  } else if constexpr (sizeof(V) == 64) {
    return V(_mm512_fmadd_ps(__m512(a), __m512(x), __m512(sum)));
#endif
  } else if constexpr (sizeof(V) == sizeof(Real)) {
    return fused(a, x, sum);
  } else {
    V result;
    for (int l = 0; l < int(sizeof(V) / sizeof(Real)); ++l) result[l] = fused(Real(a[l]), Real(x[l]), Real(sum[l]));
    return result;
  }
#else
  return a * x + sum;
#endif
}

/// a * x + sum in a register of two lanes, each with a factor of its own.
template <class V>
TESSERA_INLINE V fused_lanes(V a, V x, V sum) {
#ifdef __FMA__
  return V(_mm_fmadd_pd(__m128d(a), __m128d(x), __m128d(sum)));
#else
  return a * x + sum;
#endif
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
