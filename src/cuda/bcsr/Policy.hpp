// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/Format.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <type_traits>

namespace Tessera::Cuda {

/// How a warp multiplies rows of blocks: numbers in a type, for nvcc 13 does not pass a struct of them to a kernel.
///
/// columns  of X that a warp takes: a multiple of 16, of 32 for operands of 16 bits
/// stages   blocks, with their rows of X, that a warp has in shared memory: one that it multiplies, the others on their
///          way
/// warps    that a multiprocessor must be able to hold: limits the registers
template <int columns_, int stages_, int warps_>
struct BcsrPolicy {
  static_assert(columns_ % 16 == 0 && stages_ >= 1 && warps_ % 4 == 0);

  static constexpr int columns = columns_;
  static constexpr int stages = stages_;
  static constexpr int warps = warps_;
  /// Of a block, with neighbouring items.
  static constexpr int block_warps = 4;

  /// Whether 16 bytes of a block without an entry are left out.
  static constexpr bool skips_values = true;
};

/// What is multiplied, as far as the compiler must know: Precision is Native for double, Tf32x3 or Tf32 for float in
/// blocks of 16x8 or 8x8 (Native also 8x4); Fp16 or Bf16 in blocks of 16x16.
template <Precision precision_, int height_, int width_>
struct BcsrKind {
  static constexpr Precision precision = precision_;
  static constexpr int height = height_;
  static constexpr int width = width_;
  static constexpr bool half = is_half(precision);
  /// What the elements of blocks and the staged rows of X are: bits of numbers where C++ has no type for them.
  using Operand =
      std::conditional_t<half, std::uint16_t, std::conditional_t<precision == Precision::Native, double, float>>;
  static_assert(half ? height == 16 && width == 16
                     : height % 8 == 0 && (width == 8 || (width == 4 && precision == Precision::Native)));
};

/// A policy that copies whole blocks: fewer instructions, for kernels that have too many.
template <class Policy>
struct WholeBlocks : Policy {
  static constexpr bool skips_values = false;
};

/// The policies that products run with, the best on an H200: for narrow X (up to 32 columns), wide X (up to 64), and
/// wider X. More columns a warp amortise what is done for every block; registers limit them.
template <class Kind>
struct TunedBcsrPolicies;
template <int height, int width>
struct TunedBcsrPolicies<BcsrKind<Precision::Native, height, width>> {
  using Narrow = BcsrPolicy<32, 3, 20>;
  using Wide = std::conditional_t<height == 16, BcsrPolicy<64, 2, 12>, BcsrPolicy<64, 3, 16>>;
  using Wider = Wide;
};
template <int height, int width>
struct TunedBcsrPolicies<BcsrKind<Precision::Tf32x3, height, width>> {
  using Narrow = BcsrPolicy<32, 4, 24>;
  using Wide = BcsrPolicy<64, 3, 20>;
  using Wider = WholeBlocks<BcsrPolicy<128, 2, 12>>;
};
template <int height, int width>
struct TunedBcsrPolicies<BcsrKind<Precision::Tf32, height, width>> {
  using Narrow = BcsrPolicy<32, 4, 24>;
  using Wide = BcsrPolicy<64, 3, 20>;
  using Wider = Wide;
};
template <Precision precision>
struct TunedBcsrPolicies<BcsrKind<precision, 16, 16>> {
  using Narrow = BcsrPolicy<32, 4, 28>;
  using Wide = BcsrPolicy<64, 3, 20>;
  using Wider = Wide;
};

}  // namespace Tessera::Cuda
