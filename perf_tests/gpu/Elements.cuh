// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "Multivector.hpp"

namespace Tessera::Impl::Bench {

__host__ __device__ inline std::uint64_t mix(std::uint64_t key) {  // the finaliser of splitmix64
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9ull;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EBull;
  return key ^ (key >> 31);
}

/// Element (i, j) of X and of the initial Y: uniform in [-1, 1), with all bits of a Scalar.
template <class Scalar>
__host__ __device__ inline Scalar element(std::uint64_t seed, std::int64_t i, std::int64_t j) {
  const std::uint64_t key =
      mix(seed * 0x9E3779B97F4A7C15ull + (static_cast<std::uint64_t>(i) << 20) + static_cast<std::uint64_t>(j));
  return static_cast<Scalar>(static_cast<double>(mix(key) >> 11) * 0x1p-52 - 1);
}

/// A NaN that no arithmetic produces.
template <class Scalar>
__host__ __device__ inline auto poison_bits() {
  if constexpr (sizeof(Scalar) == 4) {
    return std::uint32_t{0x7fc0beefu};
  } else {
    return std::uint64_t{0x7ff8dead0000beefull};
  }
}

template <class Scalar>
__device__ inline auto bits_of(Scalar value) {
  if constexpr (sizeof(Scalar) == 4) {
    return static_cast<std::uint32_t>(__float_as_uint(value));
  } else {
    return static_cast<std::uint64_t>(__double_as_longlong(value));
  }
}

template <class Scalar>
__device__ inline Scalar poison_value() {
  if constexpr (sizeof(Scalar) == 4) {
    return __uint_as_float(poison_bits<Scalar>());
  } else {
    return __longlong_as_double(static_cast<long long>(poison_bits<Scalar>()));
  }
}

}  // namespace Tessera::Impl::Bench
