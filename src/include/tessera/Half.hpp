// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>
#include <tessera/common/Types.hpp>
#include <type_traits>

/// @file
/// Numbers with 16 bits in memory. Arithmetic is done in float: an element is converted to float, exactly, when it is
/// read, and rounded to nearest, ties to even, when it is written. On NVIDIA GPUs each conversion is one instruction.
///
/// Kokkos::Experimental::half_t and bhalf_t have the same representation if they have 16 bits. In builds of Kokkos
/// without 16-bit types, they are float.
namespace Tessera {

namespace Impl {
template <class To, class From>
TESSERA_FUNCTION To with_bits_of(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(To));
  return result;
}
}  // namespace Impl

/// binary16 of IEEE 754 (FP16): 11 bits of significand, magnitudes from 2^-24 to 65504.
struct Half {
  std::uint16_t bits;  ///< the number as binary16

  /// Leaves the number uninitialized.
  Half() = default;
  /// Rounds to the nearest number. 65520 and larger numbers become infinite.
  TESSERA_FUNCTION explicit Half(float value) : bits(rounded(value)) {}
  /// Returns the number as a float, exactly.
  TESSERA_FUNCTION operator float() const { return widened(bits); }

 private:
  static TESSERA_FUNCTION std::uint16_t rounded(float value) {
#ifdef __CUDA_ARCH__
    std::uint16_t result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(value));
    return result;
#else
    const auto word = Impl::with_bits_of<std::uint32_t>(value);
    const std::uint32_t sign = word >> 16 & 0x8000u, size = word & 0x7fffffffu;
    std::uint32_t result;
    if (size > 0x7f800000u) {
      result = 0x7fffu;  // not a number
    } else if (size >= 0x477ff000u) {
      result = 0x7c00u;
    } else if (size < 0x38800000u) {
      // Numbers below 2^-14 are multiples of 2^-24, as floats from 1/2 to 1 are.
      result = Impl::with_bits_of<std::uint32_t>(Impl::with_bits_of<float>(size) + 0.5f) - 0x3f000000u;
    } else {
      result = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;
    }
    return static_cast<std::uint16_t>(result | sign);
#endif
  }

  static TESSERA_FUNCTION float widened(std::uint16_t bits) {
#ifdef __CUDA_ARCH__
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(bits));
    return result;
#else
    const std::uint32_t sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
    // The exponent field of a float is larger by 112. Numbers below 2^-14 are computed as differences from 2^-14, not
    // as floats below 2^-126, because some programs make processors treat these as zero.
    std::uint32_t word = (size << 13) + 0x38000000u;
    if (size >= 0x7c00u) word = 0x7f800000u | size << 13;
    if (size < 0x400u) {
      const float above = Impl::with_bits_of<float>((size << 13) + 0x38800000u);
      word = Impl::with_bits_of<std::uint32_t>(above - 0x1p-14f);
    }
    return Impl::with_bits_of<float>(word | sign);
#endif
  }
};

/// bfloat16 (BF16): the upper 16 bits of a float, with 8 bits of significand.
struct BFloat16 {
  std::uint16_t bits;  ///< the number as the upper half of a float

  /// Leaves the number uninitialized.
  BFloat16() = default;
  /// Rounds to the nearest number.
  TESSERA_FUNCTION explicit BFloat16(float value) : bits(rounded(value)) {}
  /// Returns the number as a float, exactly.
  TESSERA_FUNCTION operator float() const { return Impl::with_bits_of<float>(std::uint32_t(bits) << 16); }

 private:
  static TESSERA_FUNCTION std::uint16_t rounded(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint16_t result;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(value));
    return result;
#else
    const auto word = Impl::with_bits_of<std::uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;  // not a number
    return static_cast<std::uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
#endif
  }
};

namespace Impl {

/// Whether elements of a type have 16 bits.
template <class Scalar>
inline constexpr bool is_half_v = std::is_same_v<Scalar, Half> || std::is_same_v<Scalar, BFloat16>;

/// The type in which elements of a type are multiplied and added: float for 16 bits, else the type itself.
template <class Scalar>
using sum_of_t = std::conditional_t<is_half_v<Scalar>, float, Scalar>;

}  // namespace Impl

}  // namespace Tessera
