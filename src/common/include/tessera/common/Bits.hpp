// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/Types.hpp>

/// @file
/// Operations on masks for host and device. Device code cannot use the standard header for bits.
namespace Tessera::Impl {

/// Returns the number of bits that are set.
TESSERA_FUNCTION int popcount(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __popcll(bits);
#else
  return __builtin_popcountll(bits);
#endif
}

/// Returns the position of the lowest bit that is set. `bits` must not be 0.
TESSERA_FUNCTION int lowest_bit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return __builtin_ctzll(bits);
#endif
}

/// Returns the position of the highest bit that is set. `bits` must not be 0.
TESSERA_FUNCTION int highest_bit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return 63 - __clzll(static_cast<long long>(bits));
#else
  return 63 - __builtin_clzll(bits);
#endif
}

/// Returns a word whose lowest `count` bits are set, 0 <= count < 64.
TESSERA_FUNCTION constexpr std::uint64_t low_bits(int count) { return (std::uint64_t(1) << count) - 1; }

}  // namespace Tessera::Impl
