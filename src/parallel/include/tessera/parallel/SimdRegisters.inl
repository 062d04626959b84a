// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector registers. The file that includes this one is compiled once per instruction set: it defines
// TESSERA_SIMD_NAMESPACE and TESSERA_SIMD_BYTES, the width of a vector register.
#pragma once

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_FMA)
#include <arm_neon.h>
#endif
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define TESSERA_SIMD_FUSES
#endif

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

#define TESSERA_INLINE [[gnu::always_inline]] inline

/// A SIMD register of `Lanes` reals. With one lane it is a plain real.
template <class Real, int Lanes>
struct Register {
  typedef Real type __attribute__((vector_size(Lanes * sizeof(Real))));
};
template <class Real>
struct Register<Real, 1> {
  typedef Real type;
};
template <class Real, int Lanes>
using register_t = typename Register<Real, Lanes>::type;

/// A register in memory, with the alignment of a real. Not for function arguments: GCC for Arm cannot compile these.
template <class Real, class V>
struct InMemory {
  typedef V type __attribute__((aligned(alignof(Real)), may_alias));
};

/// Loads a register V from the reals at `from`.
template <class V, class Real>
TESSERA_INLINE V load_register(const Real* from) {
  return *reinterpret_cast<const typename InMemory<Real, V>::type*>(from);
}

template <class V, class Real>
TESSERA_INLINE void store_register(Real* to, V value) {
  *reinterpret_cast<typename InMemory<Real, V>::type*>(to) = value;
}

// Fused multiply-adds are explicit: otherwise the compiler would fuse some loops and not others, but a column must be
// rounded the same way whatever block it is in. (This file is compiled with -ffp-contract=off.)
#ifdef TESSERA_SIMD_FUSES
TESSERA_INLINE double fused(double a, double x, double sum) { return __builtin_fma(a, x, sum); }
TESSERA_INLINE float fused(float a, float x, float sum) { return __builtin_fmaf(a, x, sum); }
#endif

/// Returns a * x + sum, lane by lane, rounded once if the instruction set has FMA. Real is the type of a lane.
template <class Real, class V>
TESSERA_INLINE V fused_vectors(V a, V x, V sum) {
#ifdef TESSERA_SIMD_FUSES
  [[maybe_unused]] constexpr bool is_double = sizeof(Real) == 8;
  if constexpr (sizeof(V) == sizeof(Real)) {
    return fused(a, x, sum);
#ifdef __FMA__
  } else if constexpr (sizeof(V) == 16 && is_double) {
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
#else
  } else if constexpr (sizeof(V) == 16 && is_double) {
    return V(vfmaq_f64(float64x2_t(sum), float64x2_t(a), float64x2_t(x)));
  } else if constexpr (sizeof(V) == 16) {
    return V(vfmaq_f32(float32x4_t(sum), float32x4_t(a), float32x4_t(x)));
#endif
  } else {
    V result{};
    for (int l = 0; l < int(sizeof(V) / sizeof(Real)); ++l) result[l] = fused(Real(a[l]), Real(x[l]), Real(sum[l]));
    return result;
  }
#else
  return a * x + sum;
#endif
}

/// Like fused_vectors(), with one factor for all lanes. a - V{} broadcasts the factor unchanged to a register.
template <class Real, class V>
TESSERA_INLINE V fused(Real a, V x, V sum) {
#ifdef TESSERA_SIMD_FUSES
  return fused_vectors<Real>(a - V{}, x, sum);
#else
  return a * x + sum;
#endif
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
