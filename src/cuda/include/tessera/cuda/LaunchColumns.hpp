// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera::Cuda {

/// Columns of X that products on tensor cores take at most; they throw std::length_error for more. Times the rows of a
/// window, or the bytes of an element, they are counted in 32 bits.
inline constexpr Ordinal most_launch_columns = 1 << 24;

}  // namespace Tessera::Cuda
