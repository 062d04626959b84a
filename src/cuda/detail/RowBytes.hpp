// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/common/Multivector.hpp>

namespace Tessera::Cuda {

/// From a row of X to the next; throws std::length_error if 32 bits cannot hold it.
template <class Element>
unsigned row_bytes(const Multivector<const Element>& x) {
  const std::size_t bytes = static_cast<std::size_t>(x.row_stride) * sizeof(Element);
  if (bytes > std::numeric_limits<unsigned>::max()) {
    throw std::length_error("a product with rows of X that are " + std::to_string(bytes) +
                            " bytes apart; expected less than 4 GiB");
  }
  return static_cast<unsigned>(bytes);
}

}  // namespace Tessera::Cuda
