// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/common/Types.hpp>
#include <utility>
#include <vector>

namespace Tessera::Impl {

/// Makes a row canonical in place: sorts it by column, and sums duplicates in their order. Returns the number of
/// remaining entries. `scratch` may be used again for the next row.
template <class Scalar>
std::size_t sort_row(Ordinal* columns, Scalar* values, std::size_t count,
                     std::vector<std::pair<Ordinal, Scalar>>& scratch) {
  const auto not_ascending = [](Ordinal left, Ordinal right) { return left >= right; };
  if (std::adjacent_find(columns, columns + count, not_ascending) == columns + count) return count;

  scratch.clear();
  if (scratch.capacity() < count) scratch.reserve(std::max(count, 2 * scratch.capacity()));
  for (std::size_t k = 0; k < count; ++k) scratch.emplace_back(columns[k], values[k]);
  std::stable_sort(scratch.begin(), scratch.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::size_t kept = 0;
  for (const auto& [column, value] : scratch) {
    if (kept > 0 && columns[kept - 1] == column) {
      values[kept - 1] += value;
    } else {
      columns[kept] = column;
      values[kept] = value;
      ++kept;
    }
  }
  return kept;
}

}  // namespace Tessera::Impl
