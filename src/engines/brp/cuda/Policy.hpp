// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "condensed/cuda/Policy.hpp"

namespace Tessera::Impl::Cuda {

/// The policy for columns that cannot be read in vectors, because they are few or not aligned.
using NarrowBrpPolicy = CondensedPolicy<16, 24, 4>;

/// The kind of product of a kernel: the precision, and the f of the format.
template <Precision precision_, int f_>
struct BrpKind {
  static_assert(f_ == 1 || f_ == 2 || f_ == 4);

  static constexpr Precision precision = precision_;
  static constexpr int f = f_;
};

/// The policies of products, for narrow X (up to 32 columns) and for wide X. Doubles have one policy for all widths.
template <class Scalar, bool wide>
using TunedBrpPolicy =
    std::conditional_t<std::is_same_v<Scalar, double>, CondensedPolicy<32, 16, 2>,
                       std::conditional_t<wide, CondensedPolicy<64, 16, 2>, CondensedPolicy<32, 24, 2>>>;

}  // namespace Tessera::Impl::Cuda
