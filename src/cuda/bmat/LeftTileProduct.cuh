// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../fragments/TileProduct.cuh"

namespace Tessera::Cuda {

/// Sums += left operand (16 rows of the matrix, 8 tile columns) times right operand (8 tile columns, 8 columns of X):
/// TileProduct with the matrix on the left, whose operand is made once for many columns of X.
template <Precision precision>
struct LeftTileProduct;

/// FP64 operands and sums.
template <>
struct LeftTileProduct<Precision::Native> {
  struct Left {
    double a[4];
  };

  static __device__ __forceinline__ Left left(const double (&a)[4]) { return {{a[0], a[1], a[2], a[3]}}; }
  static __device__ __forceinline__ void add(double (&sums)[4], const Left& a, double b0, double b1) {
    const double b[2] = {b0, b1};
    mma_m16n8k8(sums, a.a, b);
  }
};

/// Operands rounded to TF32, sums as the tensor core makes them.
template <>
struct LeftTileProduct<Precision::Tf32> {
  struct Left {
    std::uint32_t a[4];
  };

  static __device__ __forceinline__ Left left(const float (&a)[4]) {
    return {{to_tf32(a[0]), to_tf32(a[1]), to_tf32(a[2]), to_tf32(a[3])}};
  }
  static __device__ __forceinline__ void add(float (&sums)[4], const Left& a, float b0, float b1) {
    const std::uint32_t b[2] = {to_tf32(b0), to_tf32(b1)};
    mma_m16n8k8_tf32(sums, a.a, b);
  }
};

/// FP32 accuracy, as TileProduct has it.
template <>
struct LeftTileProduct<Precision::Tf32x3> {
  struct Left {
    std::uint32_t big[4], small[4];
  };

  static __device__ __forceinline__ Left left(const float (&a)[4]) {
    Left left;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const auto parts = TileProduct<Precision::Tf32x3>::split(a[i]);
      left.big[i] = parts.big;
      left.small[i] = parts.small;
    }
    return left;
  }
  static __device__ __forceinline__ void add(float (&sums)[4], const Left& a, float b0, float b1) {
    const auto p0 = TileProduct<Precision::Tf32x3>::split(b0), p1 = TileProduct<Precision::Tf32x3>::split(b1);
    const std::uint32_t big[2] = {p0.big, p1.big}, small[2] = {p0.small, p1.small};
    TileProduct<Precision::Tf32x3>::add_parts(sums, a.big, a.small, big, small);
  }
};

}  // namespace Tessera::Cuda
