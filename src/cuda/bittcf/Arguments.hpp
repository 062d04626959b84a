// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/bittcf/Schedule.hpp>

#include "../condensed/Arguments.hpp"

namespace Tessera::Cuda {

/// What the kernel for BitTCF is given: A as condensed windows of one strip, and the items of each block of threads.
template <class Offset, class Scalar>
struct BitTcfArguments : CondensedArguments<Offset, Scalar, Scalar> {
  int block_count = 0;
  const int* block_items = nullptr;
};

}  // namespace Tessera::Cuda
