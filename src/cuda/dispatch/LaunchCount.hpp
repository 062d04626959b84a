// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace Tessera::Cuda {

/// As the unsigned number that grids, and indices of tasks, are; throws std::length_error for more than 2^31 - 1.
inline unsigned launch_count(std::size_t count) {
  if (count > std::size_t(std::numeric_limits<int>::max())) {
    throw std::length_error("a kernel cannot have " + std::to_string(count) + " blocks or tasks");
  }
  return static_cast<unsigned>(count);
}

}  // namespace Tessera::Cuda
