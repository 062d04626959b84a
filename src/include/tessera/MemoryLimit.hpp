// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>

namespace Tessera {

/// A limit in bytes that no plan reaches.
inline constexpr std::size_t no_memory_limit = std::numeric_limits<std::size_t>::max();

}  // namespace Tessera
