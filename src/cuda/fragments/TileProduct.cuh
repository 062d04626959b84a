// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>

#include "../ptx/Mma.cuh"

namespace Tessera::Impl::Cuda {

/// Adds left operand (16 x 8) times right operand (8 x 8) to sums, in the arithmetic of a precision. One operand is
/// from X^T, the other from the matrix (layouts: ptx/Mma.cuh). An operand may be used in several products.
template <Precision precision>
struct TileProduct;

/// FP64 operands and sums.
template <>
struct TileProduct<Precision::Native> {
  template <int n>
  struct Operand {
    double at[n];
  };

  template <int n>
  static __device__ __forceinline__ Operand<n> operand(const double (&x)[n]) {
    Operand<n> operand;
#pragma unroll
    for (int i = 0; i < n; ++i) operand.at[i] = x[i];
    return operand;
  }
  static __device__ __forceinline__ void add(double (&sums)[4], const Operand<4>& a, const Operand<2>& b) {
    mma_m16n8k8(sums, a.at, b.at);
  }
};

/// TF32 operands; the tensor core rounds the sums.
template <>
struct TileProduct<Precision::Tf32> {
  template <int n>
  struct Operand {
    std::uint32_t at[n];
  };

  template <int n>
  static __device__ __forceinline__ Operand<n> operand(const float (&x)[n]) {
    Operand<n> operand;
#pragma unroll
    for (int i = 0; i < n; ++i) operand.at[i] = to_tf32(x[i]);
    return operand;
  }
  static __device__ __forceinline__ void add(float (&sums)[4], const Operand<4>& a, const Operand<2>& b) {
    mma_m16n8k8_tf32(sums, a.at, b.at);
  }
};

/// FP32 accuracy. Each operand is the sum of two TF32 numbers; all their products except the smallest are added. The
/// tensor core does not round its sums to nearest. Therefore it sums only one tile, starting from zero, and tiles are
/// added in FP32.
template <>
struct TileProduct<Precision::Tf32x3> {
  template <int n>
  struct Operand {
    std::uint32_t big[n], small[n];
  };

  // x = big + small, with an error of at most 2^-23 |x|.
  //
  // big is x rounded to TF32: half a unit is added to its bits, in two instructions instead of the four of to_tf32.
  // This turns some NaNs into numbers; in that case small is NaN. small has at most 12 bits; the tensor core uses 11.
  template <int n>
  static __device__ __forceinline__ Operand<n> operand(const float (&x)[n]) {
    constexpr std::uint32_t half_unit = 0x1000u, tf32_bits = 0xffffe000u;
    Operand<n> operand;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      operand.big[i] = (__float_as_uint(x[i]) + half_unit) & tf32_bits;
      operand.small[i] = __float_as_uint(x[i] - __uint_as_float(operand.big[i]));
    }
    return operand;
  }
  static __device__ __forceinline__ void add(float (&sums)[4], const Operand<4>& a, const Operand<2>& b) {
    float tile[4] = {0, 0, 0, 0};
    mma_m16n8k8_tf32(tile, a.small, b.big);
    mma_m16n8k8_tf32(tile, a.big, b.small);
    mma_m16n8k8_tf32(tile, a.big, b.big);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] += tile[i];
  }
};

/// 16-bit operands; the tensor core rounds the sums. The left operand is X: a lane holds two adjacent columns in a
/// word, for each of its two tile columns.
template <Precision precision>
struct HalfTileProduct {
  struct Left {
    std::uint32_t at[2];
  };

  static __device__ __forceinline__ std::uint32_t operand(const float (&b)[2]) {
    return precision == Precision::Fp16 ? to_fp16_pair(b[0], b[1]) : to_bf16_pair(b[0], b[1]);
  }
  static __device__ __forceinline__ Left left(std::uint32_t x0, std::uint32_t x1) {
    constexpr unsigned low_halves = 0x5410, high_halves = 0x7632;
    return {{__byte_perm(x0, x1, low_halves), __byte_perm(x0, x1, high_halves)}};
  }
  static __device__ __forceinline__ void add(float (&sums)[4], const Left& a, std::uint32_t b) {
    if constexpr (precision == Precision::Fp16) {
      mma_m16n8k8_fp16(sums, a.at, b);
    } else {
      mma_m16n8k8_bf16(sums, a.at, b);
    }
  }
};
template <>
struct TileProduct<Precision::Fp16> : HalfTileProduct<Precision::Fp16> {};
template <>
struct TileProduct<Precision::Bf16> : HalfTileProduct<Precision::Bf16> {};

}  // namespace Tessera::Impl::Cuda
