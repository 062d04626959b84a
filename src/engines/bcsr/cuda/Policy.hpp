// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <type_traits>

namespace Tessera::Impl::Cuda {

/// How a warp multiplies rows of blocks. The numbers are in a type because nvcc 13 does not accept a struct of numbers
/// as a template argument of a kernel.
///
/// columns  number of columns of X that a warp multiplies: a multiple of 16, or of 32 for 16-bit operands
/// stages   number of blocks, with their rows of X, that a warp holds in shared memory: it multiplies one while it
///          copies the others
/// warps    number of warps that must fit in a multiprocessor, which limits the registers
template <int columns_, int stages_, int warps_>
struct BcsrPolicy {
  static_assert(columns_ % 16 == 0 && stages_ >= 1 && warps_ % 4 == 0);

  static constexpr int columns = columns_;
  static constexpr int stages = stages_;
  static constexpr int warps = warps_;
  /// Warps of a thread block. They have neighbouring items.
  static constexpr int block_warps = 4;

  /// Whether 16 bytes of a block are skipped if they have no entry.
  static constexpr bool skips_values = true;
};

/// The kind of product of a kernel. Blocks of 16x8 and 8x8 are for Native (double) and for Tf32x3 and Tf32 (float),
/// blocks of 8x4 for Native only, blocks of 16x16 for Fp16 and Bf16.
template <Precision precision_, int height_, int width_>
struct BcsrKind {
  static constexpr Precision precision = precision_;
  static constexpr int height = height_;
  static constexpr int width = width_;
  static constexpr bool half = is_half(precision);
  /// The type of elements of blocks and of staged rows of X. 16-bit numbers are stored as bits: C++ has no such type.
  using Operand =
      std::conditional_t<half, std::uint16_t, std::conditional_t<precision == Precision::Native, double, float>>;
  static_assert(half ? height == 16 && width == 16
                     : height % 8 == 0 && (width == 8 || (width == 4 && precision == Precision::Native)));
};

/// A policy that copies whole blocks. This saves instructions in kernels that have too many.
template <class Policy>
struct WholeBlocks : Policy {
  static constexpr bool skips_values = false;
};

/// The policies of products, the fastest on an H200: for narrow X (up to 32 columns), wide X (up to 64), and wider X.
/// With more columns per warp, the work per block costs less; registers limit the columns.
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

}  // namespace Tessera::Impl::Cuda
