// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera {

/// A complex number as the kernels see it: two reals, the real part first, like std::complex and Kokkos::complex.
///
/// The kernels may include neither of those two, so Tessera has its own; data is reinterpreted at the API.
template <class Real>
struct Complex {
  Real re;
  Real im;

  Complex() = default;
  TESSERA_FUNCTION constexpr Complex(Real real, Real imaginary = Real(0)) : re(real), im(imaginary) {}
  template <class Other>
  TESSERA_FUNCTION constexpr explicit Complex(const Complex<Other>& z) : re(Real(z.re)), im(Real(z.im)) {}

  TESSERA_FUNCTION constexpr Complex& operator+=(Complex b) {
    re += b.re;
    im += b.im;
    return *this;
  }
  friend TESSERA_FUNCTION constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend TESSERA_FUNCTION constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend TESSERA_FUNCTION constexpr Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend TESSERA_FUNCTION constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
  friend TESSERA_FUNCTION constexpr bool operator!=(Complex a, Complex b) { return !(a == b); }
};

/// The type of the parts: float for float and for Complex<float>.
template <class Scalar>
struct RealOf {
  using type = Scalar;
};
template <class Real>
struct RealOf<Complex<Real>> {
  using type = Real;
};
template <class Scalar>
using real_of_t = typename RealOf<Scalar>::type;

template <class Scalar>
inline constexpr bool is_complex_v = false;
template <class Real>
inline constexpr bool is_complex_v<Complex<Real>> = true;

/// The complex conjugate; a real number is its own.
template <class Scalar>
TESSERA_FUNCTION constexpr Scalar conjugate(Scalar a) {
  if constexpr (is_complex_v<Scalar>) {
    return {a.re, -a.im};
  } else {
    return a;
  }
}

}  // namespace Tessera
