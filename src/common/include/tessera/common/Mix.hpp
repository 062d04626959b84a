// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// Mixes the bits of a number so that each affects all bits of the result: the finalizer of SplitMix64, a bijection.
TESSERA_FUNCTION std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// The step between states of SplitMix64: 2^64 over the golden ratio.
inline constexpr std::uint64_t mix_step = 0x9e3779b97f4a7c15u;

/// Mixes two numbers and a place, by combining the halves of a 128-bit product.
TESSERA_FUNCTION std::uint64_t mix_product(std::uint64_t a, std::uint64_t b, std::uint64_t place) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t key = place * mix_step;
  const Wide product = Wide(a ^ (key + 0x2d358dccaa6c78a5u)) * (b ^ (key + 0x8bb84b93962eacc9u));
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace Tessera::Impl
