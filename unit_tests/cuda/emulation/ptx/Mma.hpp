// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <limits>

/// The products of src/cuda/ptx/Mma.cuh that kernels use, computed from the operands of all 32 lanes.
namespace Tessera::Impl::Cuda {

/// Computes D += A B, A 16 x 8 and B 8 x 8, summed in double. number: converts an operand's bits to its value.
template <class Scalar, class Operand, class Number>
void emulated_mma_m16n8k8(Scalar (&d)[4], const Operand (&a)[4], const Operand (&b)[2], const Number& number) {
  struct Operands {
    Operand a[4], b[2];
  };
  auto& block = Emulation::Block::running();
  const Operands* lanes = block.exchange("mma", Operands{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}});
  const auto left = [&](int i, int k) { return number(lanes[4 * (i % 8) + k % 4].a[i / 8 + 2 * (k / 4)]); };
  const auto right = [&](int k, int j) { return number(lanes[4 * j + k % 4].b[k / 4]); };
  const int lane = static_cast<int>(block.lane());
  for (int e = 0; e < 4; ++e) {
    double sum = d[e];
    for (int k = 0; k < 8; ++k) sum = std::fma(left(lane / 4 + 8 * (e / 2), k), right(k, 2 * (lane % 4) + e % 2), sum);
    d[e] = static_cast<Scalar>(sum);
  }
}

inline void mma_m16n8k8(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
  emulated_mma_m16n8k8(d, a, b, [](double x) { return x; });
}

inline void mma_m16n8k8_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  emulated_mma_m16n8k8(d, a, b, [](std::uint32_t bits) { return double(__uint_as_float(bits & 0xffffe000u)); });
}

/// Computes D += A B, A 16 x 4 and B 4 x 8.
inline void mma_m16n8k4(double (&d)[4], const double (&a)[2], double b) {
  struct Operands {
    double a[2], b;
  };
  auto& block = Emulation::Block::running();
  const Operands* lanes = block.exchange("mma", Operands{{a[0], a[1]}, b});
  const int g = static_cast<int>(block.lane()) / 4, t = static_cast<int>(block.lane()) % 4;
  for (int e = 0; e < 4; ++e) {
    for (int k = 0; k < 4; ++k) {
      d[e] = std::fma(lanes[4 * g + k].a[e / 2], lanes[4 * (2 * t + e % 2) + k].b, d[e]);
    }
  }
}

/// Computes D += A B, A 16 x 16 and B 16 x 8 of 16-bit elements.
template <class Number>
void emulated_mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                           const Number& number) {
  struct Operands {
    std::uint32_t a[4], b[2];
  };
  auto& block = Emulation::Block::running();
  const Operands* lanes = block.exchange("mma", Operands{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}});
  const auto half = [&](std::uint32_t word, int k) {
    return number(static_cast<std::uint16_t>(word >> (16 * (k % 2))));
  };
  const int lane = static_cast<int>(block.lane());
  for (int e = 0; e < 4; ++e) {
    double sum = d[e];
    for (int k = 0; k < 16; ++k) {
      const int owner = k % 8 / 2;
      const double left = half(lanes[4 * (lane / 4) + owner].a[e / 2 + 2 * (k / 8)], k);
      sum = std::fma(left, half(lanes[4 * (2 * (lane % 4) + e % 2) + owner].b[k / 8], k), sum);
    }
    d[e] = static_cast<float>(sum);
  }
}

inline float from_fp16(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = (bits & 0x8000u) != 0 ? -1.f : 1.f;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * HUGE_VALF;
  return sign * (exponent == 0 ? std::ldexp(float(fraction), -24) : std::ldexp(float(fraction + 1024), exponent - 25));
}
inline std::uint16_t to_fp16(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000u : 0u);
  if (std::isnan(value)) return 0x7fffu;
  const float size = std::fabs(value);
  if (size >= 65520.f) return static_cast<std::uint16_t>(sign | 0x7c00u);
  // Rounds in units in the last place. nearbyint rounds ties to even, and may carry into the exponent.
  const int exponent = size < std::ldexp(1.f, -14) ? -14 : std::ilogb(size);
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | (units + (static_cast<unsigned>(exponent + 14) << 10)));
}
inline std::uint16_t to_bf16(float value) {
  const std::uint32_t bits = __float_as_uint(value);
  if (std::isnan(value)) return 0x7fffu;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

inline void mma_m16n8k16_fp16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  emulated_mma_m16n8k16(d, a, b, [](std::uint16_t bits) { return double(from_fp16(bits)); });
}
inline void mma_m16n8k16_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  emulated_mma_m16n8k16(d, a, b, [](std::uint16_t bits) { return double(__uint_as_float(std::uint32_t(bits) << 16)); });
}

inline std::uint32_t to_fp16_pair(float low, float high) { return to_fp16(low) | std::uint32_t(to_fp16(high)) << 16; }
inline std::uint32_t to_bf16_pair(float low, float high) { return to_bf16(low) | std::uint32_t(to_bf16(high)) << 16; }

/// Computes D += A B, A 16 x 8 and B 8 x 8 of 16-bit elements, by m16n8k16 with zeros as padding.
inline void mma_m16n8k8_fp16(float (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  mma_m16n8k16_fp16(d, {a[0], a[1], 0, 0}, {b, 0});
}
inline void mma_m16n8k8_bf16(float (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  mma_m16n8k16_bf16(d, {a[0], a[1], 0, 0}, {b, 0});
}

/// ldmatrix.x4, with or without .trans.
inline void emulated_ldmatrix(std::uint32_t (&r)[4], const void* row, bool transposed) {
  auto& block = Emulation::Block::running();
  if (!block.is_shared(row, 16)) Emulation::fail("ldmatrix beyond shared memory");
  if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0) Emulation::fail("ldmatrix at a misaligned address");
  const void* const* rows = block.exchange("ldmatrix", row);
  const unsigned g = block.lane() / 4, t = block.lane() % 4;
  for (unsigned i = 0; i < 4; ++i) {
    std::uint16_t element[2];
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned line = transposed ? 2 * t + e : g, place = transposed ? g : 2 * t + e;
      element[e] = static_cast<const std::uint16_t*>(rows[8 * i + line])[place];
    }
    r[i] = element[0] | static_cast<std::uint32_t>(element[1]) << 16;
  }
}
inline void load_matrices(std::uint32_t (&r)[4], const void* row) { emulated_ldmatrix(r, row, false); }
inline void load_matrices_transposed(std::uint32_t (&r)[4], const void* row) { emulated_ldmatrix(r, row, true); }

inline std::uint32_t to_tf32(float value) {
  return std::isfinite(value) ? (__float_as_uint(value) + 0x1000u) & 0xffffe000u : __float_as_uint(value);
}

}  // namespace Tessera::Impl::Cuda
