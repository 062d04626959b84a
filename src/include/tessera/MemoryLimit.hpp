// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>

namespace Tessera {

/// The value of a memory limit in bytes that means that there is no limit.
inline constexpr std::size_t no_memory_limit = std::numeric_limits<std::size_t>::max();

}  // namespace Tessera
