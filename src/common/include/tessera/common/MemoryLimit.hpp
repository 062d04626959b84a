// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>

namespace Tessera {

/// As a limit in bytes: none.
inline constexpr std::size_t no_memory_limit = std::numeric_limits<std::size_t>::max();

}  // namespace Tessera
