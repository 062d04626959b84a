// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/common/Types.hpp>
#include <tessera/cuda/LaunchColumns.hpp>

namespace Tessera::Cuda {

/// As the unsigned number that grids, and indices of tasks, are; throws std::length_error for more than 2^31 - 1.
inline unsigned launch_count(std::size_t count) {
  if (count > std::size_t(std::numeric_limits<int>::max())) {
    throw std::length_error("a kernel cannot have " + std::to_string(count) + " blocks or tasks");
  }
  return static_cast<unsigned>(count);
}

/// Slabs of so many columns that a product has; throws std::length_error beyond most_launch_columns.
inline Ordinal slab_count(Ordinal columns, int slab_columns) {
  if (columns > most_launch_columns) {
    throw std::length_error("a kernel cannot multiply " + std::to_string(columns) +
                            " columns at once; expected at most " + std::to_string(most_launch_columns));
  }
  return window_count(columns, slab_columns);
}

}  // namespace Tessera::Cuda
