// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera::Cuda {

/// Rows of X in 16 bits have their columns in another order, 16 by 16, so that the four elements of a row of Y that a
/// lane sums in two adjacent products m16n8k16, which are columns 2 t and 2 t + 1 of each, are adjacent in Y.
inline constexpr int half_group = 16;

/// Which column of X a place of such a row holds.
TESSERA_FUNCTION constexpr int column_of_half_place(int place) {
  const int product = place / 8 % 2, t = place / 2 % 4;
  return place / half_group * half_group + 4 * t + 2 * product + place % 2;
}
/// And the other way round.
TESSERA_FUNCTION constexpr int half_place_of_column(int column) {
  const int product = column / 2 % 2, t = column / 4 % 4;
  return column / half_group * half_group + 8 * product + 2 * t + column % 2;
}

}  // namespace Tessera::Cuda
