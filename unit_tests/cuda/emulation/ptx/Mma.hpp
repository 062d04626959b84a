// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

/// The products of src/cuda/ptx/Mma.cuh that kernels use, from what all 32 lanes hold.
namespace Tessera::Cuda {

/// D += A B, A 16 x 8 and B 8 x 8, added up in double precision. number: what an operand's bits stand for.
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

inline std::uint32_t to_tf32(float value) {
  return std::isfinite(value) ? (__float_as_uint(value) + 0x1000u) & 0xffffe000u : __float_as_uint(value);
}

}  // namespace Tessera::Cuda
