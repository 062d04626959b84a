// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/common/Types.hpp>

/// Slabs of columns of X, which are multiplied one after another.
namespace Tessera::Impl {

/// Number of columns that are packed together: 256 bytes of a row, four cache lines.
template <class VectorScalar>
inline constexpr Ordinal slab_columns = 256 / sizeof(VectorScalar);

/// Elements of a row of X that a lane of a device reads at once: 16 bytes.
template <class VectorScalar>
inline constexpr int lane_elements = sizeof(VectorScalar) < 16 ? 16 / sizeof(VectorScalar) : 1;

/// Calls body(first, count) for [0, columns), `width` columns at a time.
template <class Body>
void for_each_part(Ordinal columns, Ordinal width, const Body& body) {
  for (std::ptrdiff_t first = 0; first < columns; first += width)
    body(static_cast<Ordinal>(first), static_cast<Ordinal>(std::min<std::ptrdiff_t>(width, columns - first)));
}

}  // namespace Tessera::Impl
