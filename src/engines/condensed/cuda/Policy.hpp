// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>

#include "condensed/cuda/View.hpp"
#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// How a warp multiplies condensed windows. The numbers are in a type because nvcc 13 does not accept a struct of
/// numbers as a template argument of a kernel.
///
/// columns  number of columns of X that a warp multiplies: a multiple of 16
/// warps    number of warps that must fit in a multiprocessor, which limits the registers. A warp waits for a tile,
///          multiplies it and waits for the next. Other warps fill these gaps better than a second tile in registers
/// reads    upper bound on the number of reads with which a lane fetches its part of a row of X. More reads have fewer
///          bank conflicts and more instructions (FragmentLayout)
template <int columns_, int warps_, int reads_>
struct CondensedPolicy {
  static_assert(columns_ % 16 == 0 && warps_ >= 8 && warps_ <= 32 && (reads_ == 1 || reads_ == 2 || reads_ == 4));

  static constexpr int columns = columns_;
  static constexpr int warps = warps_;
  static constexpr int reads = reads_;
  static constexpr XCaching x_caching = XCaching::ReadOnly;
  static constexpr YCaching y_caching = YCaching::Streaming;
  /// Warps of a thread block. They have neighbouring windows, and find shared rows of X in the L1 cache.
  static constexpr int block_warps = 8;
};

/// The kind of product of a kernel: precision, storage of values, strips of a window.
template <Precision precision_, TileValues values_, int strips_>
struct CondensedKind {
  static constexpr Precision precision = precision_;
  static constexpr TileValues values = values_;
  static constexpr int strips = strips_;
};

/// The policies of products, the fastest on an H200: for narrow X (up to 32 columns) and for wide X. Doubles have one
/// policy for all widths.
template <class Scalar, int strips, bool wide>
using TunedCondensedPolicy =
    std::conditional_t<std::is_same_v<Scalar, double>, CondensedPolicy<32, strips == 1 ? 32 : 24, 4>,
                       std::conditional_t<wide, CondensedPolicy<64, strips == 1 ? 24 : 16, 2>,
                                          CondensedPolicy<32, strips == 1 ? 32 : 24, 2>>>;

/// The policies for 16-bit operands, for X with at most 32 columns, at most 64, or more (128).
template <int strips, int columns>
struct HalfCondensedPolicy;
template <int strips>
struct HalfCondensedPolicy<strips, 32> : CondensedPolicy<32, 32, 1> {};
template <>
struct HalfCondensedPolicy<1, 64> : CondensedPolicy<64, 32, 2> {};
template <>
struct HalfCondensedPolicy<2, 64> : CondensedPolicy<64, 24, 1> {};
template <>
struct HalfCondensedPolicy<1, 128> : CondensedPolicy<128, 24, 2> {};
template <>
struct HalfCondensedPolicy<2, 128> : CondensedPolicy<128, 16, 2> {};

}  // namespace Tessera::Impl::Cuda
