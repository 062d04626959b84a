// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <tessera/common/Multivector.hpp>
#include <tessera/cuda/ReadableRows.hpp>

namespace Tessera::Cuda {

/// From a row of X to the next; throws std::invalid_argument unless rows_are_readable(x).
template <class Element>
unsigned row_bytes(const Multivector<const Element>& x) {
  if (!rows_are_readable(x)) {
    throw std::invalid_argument("a product with rows of X that are " + std::to_string(x.row_stride) +
                                " elements apart and columns that are " + std::to_string(x.column_stride) +
                                " apart; expected rows of less than 4 GiB of adjacent columns");
  }
  return static_cast<unsigned>(x.row_stride) * static_cast<unsigned>(sizeof(Element));
}

}  // namespace Tessera::Cuda
