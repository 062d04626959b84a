// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera::Cuda {

/// The most columns of X that products on tensor cores take; for more they throw std::length_error. Products of this
/// number with the rows of a window, or with the bytes of an element, fit in 32 bits.
inline constexpr Ordinal most_launch_columns = 1 << 24;

}  // namespace Tessera::Cuda
