// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <tessera/dense/TallBlock.hpp>
#include <utility>
#include <vector>

namespace Tessera::Impl {

/// Columns of the blocks of a call, and the corresponding rows of its small matrix.
template <class Scalar>
struct JoinedColumns {
  TallBlock<const Scalar> block;
  std::vector<Ordinal> rows;
};

/// Returns each block separately.
template <class Scalar>
std::vector<JoinedColumns<Scalar>> separate_columns(std::span<const TallBlock<const Scalar>> blocks) {
  std::vector<JoinedColumns<Scalar>> result;
  Ordinal row = 0;
  for (const auto& block : blocks) {
    std::vector<Ordinal> rows(static_cast<std::size_t>(block.columns));
    std::iota(rows.begin(), rows.end(), row);
    row += block.columns;
    if (block.columns > 0) result.push_back({block, std::move(rows)});
  }
  return result;
}

/// Returns the same block without a list if its columns are adjacent.
template <class Scalar>
TallBlock<Scalar> without_list(const TallBlock<Scalar>& block) {
  for (Ordinal j = 0; j < block.columns; ++j)
    if (block.place(j) != block.place(0) + j) return block;
  return {block.data + block.place(0), block.rows, block.columns, block.row_stride, nullptr};
}

/// Returns whether the columns of b follow the columns of a in each row.
template <class Scalar>
bool continues(const TallBlock<Scalar>& a, const TallBlock<Scalar>& b) {
  return a.column_list == nullptr && b.column_list == nullptr && a.rows > 1 && a.row_stride == b.row_stride &&
         b.data == a.data + a.columns;
}

/// Joins blocks with adjacent columns, into blocks of at most `most_columns` columns, each in the place of its first:
/// solvers pass views of a larger block.
template <class Scalar>
std::vector<JoinedColumns<Scalar>> join_columns(std::span<const TallBlock<const Scalar>> blocks, Ordinal most_columns) {
  auto result = separate_columns(blocks);
  for (auto& columns : result)
    if (columns.block.rows > 0) columns.block = without_list(columns.block);
  for (std::size_t i = 0; i < result.size();) {
    const auto next = std::find_if(result.begin(), result.end(), [&](const auto& other) {
      return continues(result[i].block, other.block) && result[i].block.columns + other.block.columns <= most_columns;
    });
    if (next == result.end()) {
      ++i;
      continue;
    }
    result[i].block.columns += next->block.columns;
    result[i].rows.insert(result[i].rows.end(), next->rows.begin(), next->rows.end());
    i -= next < result.begin() + std::ptrdiff_t(i);
    result.erase(next);
  }
  return result;
}

}  // namespace Tessera::Impl
