// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <complex>
#include <type_traits>

namespace Tessera::Impl {

template <class Scalar>
struct ScalarTraits {
  using Real = Scalar;
  static constexpr bool is_complex = false;
};

template <class Part>
struct ScalarTraits<std::complex<Part>> {
  using Real = Part;
  static constexpr bool is_complex = true;
};

template <class Scalar>
using RealOf = typename ScalarTraits<Scalar>::Real;

template <class Scalar>
constexpr bool is_complex = ScalarTraits<Scalar>::is_complex;

template <class Scalar>
constexpr const char* real_name = std::is_same_v<RealOf<Scalar>, float> ? "float" : "double";

template <class Scalar>
Scalar conjugate(const Scalar& value) {
  if constexpr (is_complex<Scalar>) {
    return std::conj(value);
  } else {
    return value;
  }
}

}  // namespace Tessera::Impl
