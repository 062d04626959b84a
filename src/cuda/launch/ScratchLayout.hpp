// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tessera/common/Product.hpp>

namespace Tessera::Cuda {

/// Elements from a row of scratch to the next, so that vectors of 16 bytes fit.
inline std::ptrdiff_t padded(Ordinal columns) { return (static_cast<std::ptrdiff_t>(columns) + 3) / 4 * 4; }

/// Bytes of so many rows of scratch.
template <class Scalar>
std::size_t padded_bytes(std::size_t rows, Ordinal columns) {
  return rows * static_cast<std::size_t>(padded(columns)) * sizeof(Scalar);
}

/// The scratch memory of a product: sums of the pieces that windows are cut into, then rows of X, if they are packed.
struct ScratchLayout {
  std::size_t packed = 0;  // where rows of X begin
  std::size_t bytes = 0;
};

/// Both parts begin at multiples of 256 bytes.
inline ScratchLayout scratch_layout(std::size_t partial_bytes, std::size_t packed_bytes) {
  constexpr std::size_t alignment = 256;
  const auto rounded = [](std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  return {rounded(partial_bytes), rounded(partial_bytes) + rounded(packed_bytes)};
}

/// Throws std::invalid_argument unless a product has all the scratch memory that it needs.
inline void expect_scratch(const char* function, const ScratchLayout& layout, const Scratch& workspace) {
  if (workspace.bytes >= layout.bytes) return;
  throw std::invalid_argument(std::string(function) + ": a workspace of " + std::to_string(workspace.bytes) +
                              " bytes, " + std::to_string(layout.bytes) + " are needed");
}

}  // namespace Tessera::Cuda
