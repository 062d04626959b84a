// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>

#include "../ptx/Mma.cuh"

namespace Tessera::Cuda {

/// Sums += left operand (16 columns of X, 8 tile columns) times right operand (8 tile columns, 8 rows of the matrix),
/// with the arithmetic of a precision. Layouts as in ptx/Mma.cuh.
template <Precision precision>
struct TileProduct;

/// FP64 operands and sums.
template <>
struct TileProduct<Precision::Native> {
  struct Right {
    double b[2];
  };

  static __device__ __forceinline__ Right right(double b0, double b1) { return {{b0, b1}}; }
  static __device__ __forceinline__ void add(double (&sums)[4], const double (&a)[4], const Right& b) {
    mma_m16n8k8(sums, a, b.b);
  }
};

/// Operands rounded to TF32, sums as the tensor core makes them.
template <>
struct TileProduct<Precision::Tf32> {
  struct Right {
    std::uint32_t b[2];
  };

  static __device__ __forceinline__ Right right(float b0, float b1) { return {{to_tf32(b0), to_tf32(b1)}}; }
  static __device__ __forceinline__ void add(float (&sums)[4], const float (&a)[4], const Right& b) {
    const std::uint32_t left[4] = {to_tf32(a[0]), to_tf32(a[1]), to_tf32(a[2]), to_tf32(a[3])};
    mma_m16n8k8_tf32(sums, left, b.b);
  }
};

/// FP32 accuracy: each operand is the sum of two TF32 numbers, whose products but the smallest are added up. The tensor
/// core does not round its sums to nearest, so that it sums a tile only, from zero; tiles are added in FP32.
template <>
struct TileProduct<Precision::Tf32x3> {
  // x = big + small, up to 2^-23 |x|.
  //
  // big is x rounded to TF32 by adding half a unit to its bits, in two instructions where to_tf32 takes four. That
  // turns some NaNs into numbers; then small is NaN. Of small, at most 12 bits, the tensor core drops those beyond 11.
  struct Parts {
    std::uint32_t big, small;
  };
  static __device__ __forceinline__ Parts split(float x) {
    constexpr std::uint32_t half_unit = 0x1000u, tf32_bits = 0xffffe000u;
    const std::uint32_t big = (__float_as_uint(x) + half_unit) & tf32_bits;
    return {big, __float_as_uint(x - __uint_as_float(big))};
  }

  struct Right {
    std::uint32_t big[2], small[2];
  };

  static __device__ __forceinline__ Right right(float b0, float b1) {
    const Parts p0 = split(b0), p1 = split(b1);
    return {{p0.big, p1.big}, {p0.small, p1.small}};
  }
  static __device__ __forceinline__ void add(float (&sums)[4], const float (&a)[4], const Right& b) {
    std::uint32_t big[4], small[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Parts parts = split(a[i]);
      big[i] = parts.big;
      small[i] = parts.small;
    }
    add_parts(sums, big, small, b.big, b.small);
  }
  static __device__ __forceinline__ void add_parts(float (&sums)[4], const std::uint32_t (&big_a)[4],
                                                   const std::uint32_t (&small_a)[4], const std::uint32_t (&big_b)[2],
                                                   const std::uint32_t (&small_b)[2]) {
    float tile[4] = {0, 0, 0, 0};
    mma_m16n8k8_tf32(tile, small_a, big_b);
    mma_m16n8k8_tf32(tile, big_a, small_b);
    mma_m16n8k8_tf32(tile, big_a, big_b);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] += tile[i];
  }
};

/// Operands of 16 bits, sums as the tensor core makes them. Of X, a lane has two adjacent columns in a word, for each
/// of its two tile columns.
template <Precision precision>
struct HalfTileProduct {
  struct Right {
    std::uint32_t b;
  };

  static __device__ __forceinline__ Right right(float b0, float b1) {
    return {precision == Precision::Fp16 ? to_fp16_pair(b0, b1) : to_bf16_pair(b0, b1)};
  }
  static __device__ __forceinline__ void add(float (&sums)[4], std::uint32_t x0, std::uint32_t x1, const Right& b) {
    constexpr unsigned low_halves = 0x5410, high_halves = 0x7632;
    const std::uint32_t left[2] = {__byte_perm(x0, x1, low_halves), __byte_perm(x0, x1, high_halves)};
    if constexpr (precision == Precision::Fp16) {
      mma_m16n8k8_fp16(sums, left, b.b);
    } else {
      mma_m16n8k8_bf16(sums, left, b.b);
    }
  }
};
template <>
struct TileProduct<Precision::Fp16> : HalfTileProduct<Precision::Fp16> {};
template <>
struct TileProduct<Precision::Bf16> : HalfTileProduct<Precision::Bf16> {};

}  // namespace Tessera::Cuda
