// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Complex.hpp>

/// Arithmetic whose rounding does not depend on contractions by the compiler. Every product that is added to a sum is
/// an explicit fused multiply-add, except in tiles of a single column, so all others give the same bits.
namespace Tessera::Impl::Cuda {

/// Returns a b + c.
__device__ inline float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
template <class Real>
__device__ inline Complex<Real> fused(Complex<Real> a, Complex<Real> b, Complex<Real> c) {
  const Real re = fused(a.re, b.re, c.re), im = fused(a.re, b.im, c.im);
  return {fused(-a.im, b.im, re), fused(a.im, b.re, im)};
}

/// Returns a b.
__device__ inline float multiplied(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double multiplied(double a, double b) { return __dmul_rn(a, b); }
template <class Real>
__device__ inline Complex<Real> multiplied(Complex<Real> a, Complex<Real> b) {
  const Real re = multiplied(a.re, b.re), im = multiplied(a.re, b.im);
  return {fused(-a.im, b.im, re), fused(a.im, b.re, im)};
}

/// Returns alpha sum + beta y. The function y reads the element of Y. It is not called if beta = 0.
template <class Scalar, class Read>
__device__ inline Scalar scaled_and_added(Scalar alpha, Scalar sum, Scalar beta, const Read& y) {
  const Scalar scaled = multiplied(alpha, sum);
  return beta == Scalar(0) ? scaled : fused(beta, y(), scaled);
}

}  // namespace Tessera::Impl::Cuda
