// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <complex>
#include <cstdint>
#include <tessera/common/Mix.hpp>
#include <type_traits>

#include "ScalarTraits.hpp"

namespace Tessera::Impl {

// Random numbers are functions of the place where they are used, hence the order of use and the number of threads do
// not matter. Operations use integers or are exact, because the distributions of <random> differ between libraries.

/// Returns the next number of the splitmix64 generator: a bijection of x that looks random.
inline std::uint64_t mix(std::uint64_t x) { return mix_bits(x + mix_step); }

inline std::uint64_t hash(std::uint64_t seed, std::uint64_t a, std::uint64_t b) { return mix(mix(mix(seed) + a) + b); }

/// Returns a number that is uniform in [-1, 1): an exact multiple of the spacing of floating-point numbers below 1.
template <class Real>
Real uniform_real(std::uint64_t bits) {
  if constexpr (std::is_same_v<Real, float>) {
    return static_cast<float>(bits >> 40) * 0x1p-23F - 1.0F;
  } else {
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
  }
}

template <class Scalar>
Scalar uniform_scalar(std::uint64_t bits) {
  if constexpr (is_complex<Scalar>) {
    const auto real = uniform_real<RealOf<Scalar>>(bits);
    return {real, uniform_real<RealOf<Scalar>>(mix(bits))};
  } else {
    return uniform_real<Scalar>(bits);
  }
}

/// Returns a number that is uniform in [0, count), for a count of at most 2^32. The bias is less than count / 2^32.
inline std::uint64_t below(std::uint64_t bits, std::uint64_t count) { return ((bits >> 32) * count) >> 32; }

}  // namespace Tessera::Impl
