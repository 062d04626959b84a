// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../condensed/Policy.hpp"

namespace Tessera::Cuda {

/// Who multiplies the residual rows of a block-row partition.
enum class BrpResidual {
  CudaCores,    ///< the warp that has the groups of the window, on CUDA cores: Y is written once; for benchmarks
  TensorCores,  ///< the same warp on tensor cores: 8 residual entries are a tile with one entry a column
  SecondKernel  ///< a kernel of their own that adds to Y, on CUDA cores, as in the paper; for benchmarks
};

/// How groups are multiplied.
enum class BrpGroups {
  TensorCores,  ///< tiles of all groups of an item have one accumulator
  TileSums,     ///< each tile has its own, which is then added; for benchmarks
  CudaCores     ///< for benchmarks
};

/// How a warp multiplies a block-row partition: see CondensedPolicy.
template <int columns_, int warps_, int reads_, BrpResidual residual_, BrpGroups groups_ = BrpGroups::TensorCores>
struct BrpPolicy : CondensedPolicy<columns_, warps_, reads_> {
  static constexpr BrpResidual residual = residual_;
  static constexpr BrpGroups groups = groups_;
};

/// For columns that cannot be read in vectors: few, or badly aligned.
template <class Policy>
using NarrowBrpPolicy = BrpPolicy<16, 24, 4, Policy::residual, Policy::groups>;

/// What of a window a kernel multiplies.
enum class BrpPart { All, Groups, Residual };

/// What is multiplied, as far as the compiler must know: f is that of the format.
template <Precision precision_, int f_, BrpPart part_ = BrpPart::All>
struct BrpKind {
  static_assert(f_ == 1 || f_ == 2 || f_ == 4);

  static constexpr Precision precision = precision_;
  static constexpr int f = f_;
  static constexpr BrpPart part = part_;
  static constexpr bool has_groups = part != BrpPart::Residual;
  static constexpr bool has_residual = part != BrpPart::Groups;

  template <BrpPart other>
  using with_part = BrpKind<precision_, f_, other>;
};

/// The policies that products run with, for narrow X (up to 32 columns) and wide X. On an H200 residual entries are
/// faster on tensor cores, above all where rows of a window differ in length: there lanes have nothing to wait for.
template <class Scalar, bool wide>
struct TunedBrpPolicy;
template <bool wide>
struct TunedBrpPolicy<double, wide> : BrpPolicy<32, 16, 2, BrpResidual::TensorCores> {};
template <>
struct TunedBrpPolicy<float, false> : BrpPolicy<32, 24, 2, BrpResidual::TensorCores> {};
template <>
struct TunedBrpPolicy<float, true> : BrpPolicy<64, 16, 2, BrpResidual::TensorCores> {};

}  // namespace Tessera::Cuda
