// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/common/Mix.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// Returns the random number in [-1, 1) for a position.
template <class Scalar>
KOKKOS_FUNCTION Scalar random_element(std::uint64_t seed, std::int64_t row, Ordinal column) {
  const std::uint64_t place = mix_bits(static_cast<std::uint64_t>(row) + seed * mix_step);
  const std::uint64_t bits = mix_bits(place + (static_cast<std::uint64_t>(column) + 1) * mix_step);
  // The number of bits is that of a significand, so no number is rounded up to 1.
  constexpr int digits = sizeof(Scalar) == 8 ? 53 : 24;
  return Scalar(static_cast<std::int64_t>(bits >> (64 - digits)) - (std::int64_t(1) << (digits - 1))) /
         Scalar(std::int64_t(1) << (digits - 1));
}

}  // namespace Tessera::Impl
