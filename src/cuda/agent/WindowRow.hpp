// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera::Cuda {

/// Row r of a window, for has_row: the last window may reach beyond 2^31 - 1, where such a row is a negative number.
TESSERA_FUNCTION constexpr Ordinal row_of_window(Ordinal window, int height, int r) {
  return static_cast<Ordinal>(static_cast<unsigned>(window) * static_cast<unsigned>(height) + static_cast<unsigned>(r));
}

/// Whether a matrix of so many rows has a row. Compares without signs, at the cost of a comparison with them.
TESSERA_FUNCTION constexpr bool has_row(Ordinal rows, Ordinal row) {
  return static_cast<unsigned>(row) < static_cast<unsigned>(rows);
}

}  // namespace Tessera::Cuda
