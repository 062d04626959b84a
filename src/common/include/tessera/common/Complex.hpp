// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// A complex number for kernels: two reals, the real part first, like std::complex and Kokkos::complex.
///
/// Kernels may include the headers of neither, so Tessera has a type of its own. The API reinterprets users' data.
template <class Real>
struct Complex {
  Real re;  ///< real part
  Real im;  ///< imaginary part

  /// Leaves the number uninitialized.
  Complex() = default;
  /// Makes a number from its parts.
  TESSERA_FUNCTION constexpr Complex(Real real, Real imaginary = Real(0)) : re(real), im(imaginary) {}
  /// Rounds a number of another precision.
  template <class Other>
  TESSERA_FUNCTION constexpr explicit Complex(const Complex<Other>& z) : re(Real(z.re)), im(Real(z.im)) {}

  /// Adds b.
  TESSERA_FUNCTION constexpr Complex& operator+=(Complex b) {
    re += b.re;
    im += b.im;
    return *this;
  }
  /// Returns a + b.
  friend TESSERA_FUNCTION constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  /// Returns a - b.
  friend TESSERA_FUNCTION constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  /// Returns a b, without the special cases for infinities of Annex G of C99.
  friend TESSERA_FUNCTION constexpr Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// Returns whether both parts are equal.
  friend TESSERA_FUNCTION constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
  /// Returns whether the real or the imaginary parts differ.
  friend TESSERA_FUNCTION constexpr bool operator!=(Complex a, Complex b) { return !(a == b); }
};

/// The real type of a scalar's parts: float for float and for `Complex<float>`.
template <class Scalar>
struct RealOf {
  using type = Scalar;  ///< the real type
};
/// The real type of a complex number's parts.
template <class Real>
struct RealOf<Complex<Real>> {
  using type = Real;  ///< the real type
};
/// The real type of a scalar's parts.
template <class Scalar>
using real_of_t = typename RealOf<Scalar>::type;

/// Whether a scalar is a Complex.
template <class Scalar>
inline constexpr bool is_complex_v = false;
/// True for complex numbers.
template <class Real>
inline constexpr bool is_complex_v<Complex<Real>> = true;

/// Returns the complex conjugate of a number; a real number is unchanged.
template <class Scalar>
TESSERA_FUNCTION constexpr Scalar conjugate(Scalar a) {
  if constexpr (is_complex_v<Scalar>) {
    return {a.re, -a.im};
  } else {
    return a;
  }
}

}  // namespace Tessera::Impl
