// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "Policy.hpp"
#include "fragments/Layout.hpp"
#include "ptx/Mma.cuh"

namespace Tessera::Impl::Cuda {

/// The BcsrTile of a 16x16 block in FP16 or BF16. The block is the left operand of m16n8k16. The right operand is 8
/// columns of the block's rows of X.
template <class Kind, class Policy>
struct BcsrHalfTile {
  using Operand = std::uint16_t;
  using Scalar = float;  // type of the sums

  // Shared memory in units of 16 bytes. A row of the block is two units in alternating order; a row of X is padded by
  // one unit. Hence the eight rows that ldmatrix reads at a time are in different banks.
  static constexpr int unit_operands = 8;
  static constexpr int a_units = 32;
  static constexpr int row_units = Policy::columns / unit_operands;
  static constexpr int row_stride = row_units + 1;
  static constexpr int units = a_units + 16 * row_stride;
  static __device__ __forceinline__ int a_place(int unit) { return unit ^ (unit / 8 % 2); }
  static __device__ __forceinline__ int x_place(int row, int unit) { return a_units + row * row_stride + unit; }
  static_assert(row_units % 4 == 0);

  static constexpr int products = Policy::columns / 8;  // number of m16n8k16 next to each other
  static constexpr int result_rows = 2;
  static constexpr int result_columns = Policy::columns / 4;
  static constexpr int vector = 4;
  using Sums = float[products][4];
  static __device__ __forceinline__ int row(int lane, int p) { return lane / 4 + 8 * p; }
  static __device__ __forceinline__ int column(int lane, int q) { return q / 4 * half_group + 4 * (lane % 4) + q % 4; }
  template <class AnySums>
  static __device__ __forceinline__ auto& at(AnySums& sums, int p, int q) {
    return sums[q / 2][2 * p + q % 2];
  }

  struct Fragments {
    std::uint32_t a[4];
    std::uint32_t x[products / 2][4];  // each has the right operands of two products
  };

  static __device__ __forceinline__ void load(const uint4* stage, int lane, Fragments& fragments) {
    // A lane gives the address of row lane % 8 of matrix lane / 8, one of four 8x8 matrices.
    const int line = lane % 8 + lane / 8 % 2 * 8, half = lane / 16;
    load_matrices(fragments.a, stage + a_place(2 * line + half));
#pragma unroll
    for (int j = 0; j < products / 2; ++j) {
      load_matrices_transposed(fragments.x[j], stage + x_place(line, 2 * j + half));
    }
  }

  static __device__ __forceinline__ void add(const Fragments& fragments, Sums& sums) {
#pragma unroll
    for (int n = 0; n < products; ++n) {
      const std::uint32_t right[2] = {fragments.x[n / 2][n % 2 * 2], fragments.x[n / 2][n % 2 * 2 + 1]};
      if constexpr (Kind::precision == Precision::Fp16) {
        mma_m16n8k16_fp16(sums[n], fragments.a, right);
      } else {
        mma_m16n8k16_bf16(sums[n], fragments.a, right);
      }
    }
  }
};

}  // namespace Tessera::Impl::Cuda
