// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <tessera/common/Types.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// A dense block with many rows and few columns, in memory that another object owns. Columns are adjacent, or at the
/// places in a row that a list names.
///
/// Column j of row i is data[i * row_stride + column_list[j]], or data[i * row_stride + j] without a list. Strides
/// count elements, not bytes.
template <class Scalar>
struct TallBlock {
  Scalar* data = nullptr;                ///< element (0, 0), in the memory of the backend; null if there are no rows
  Ordinal rows = 0;                      ///< number of rows
  Ordinal columns = 0;                   ///< number of columns
  std::ptrdiff_t row_stride = 0;         ///< elements from one row to the next
  const Ordinal* column_list = nullptr;  ///< in host memory, each at least 0 and less than row_stride; or null

  /// Returns the place of a column in its row.
  Ordinal place(Ordinal j) const { return column_list == nullptr ? j : column_list[j]; }

  /// Returns columns [first, first + count).
  TallBlock some_columns(Ordinal first, Ordinal count) const {
    if (column_list == nullptr) return {data + first, rows, count, row_stride, nullptr};
    return {data, rows, count, row_stride, column_list + first};
  }

  /// Converts to a read-only block.
  template <class T>
  operator TallBlock<T>() const requires(!std::is_const_v<Scalar> && std::is_same_v<T, const Scalar>) {
    return {data, rows, columns, row_stride, column_list};
  }
};

/// Returns whether both blocks have the same elements at the same places: an elementwise operation may then write one
/// and read the other.
template <class A, class B>
bool are_same(const TallBlock<A>& a, const TallBlock<B>& b) {
  if (a.data != b.data || a.rows != b.rows || a.columns != b.columns || a.row_stride != b.row_stride) return false;
  for (Ordinal j = 0; j < a.columns; ++j)
    if (a.place(j) != b.place(j)) return false;
  return true;
}

/// Returns whether the blocks may share an element. Blocks with equal row strides are compared column by column, other
/// blocks by their first and last addresses.
template <class A, class B>
bool share_memory(const TallBlock<A>& a, const TallBlock<B>& b) {
  if (a.rows == 0 || b.rows == 0 || a.columns == 0 || b.columns == 0) return false;
  const auto last_place = [](const auto& block) {
    Ordinal last = block.columns - 1;
    for (Ordinal j = 0; block.column_list != nullptr && j < block.columns; ++j) last = std::max(last, block.place(j));
    return std::ptrdiff_t(last);
  };
  const auto bytes = [&](const auto& block) {
    return sizeof(*block.data) * std::size_t((block.rows - 1) * block.row_stride + last_place(block) + 1);
  };
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data), b_begin = reinterpret_cast<std::uintptr_t>(b.data);
  if (a_begin + bytes(a) <= b_begin || b_begin + bytes(b) <= a_begin) return false;
  const auto between = static_cast<std::ptrdiff_t>(b_begin - a_begin), size = static_cast<std::ptrdiff_t>(sizeof(A));
  if (sizeof(A) != sizeof(B) || between % size != 0) return true;
  // Rows may be longer than the stride.
  const std::ptrdiff_t longest = std::max(last_place(a), last_place(b)) + 1;
  const std::ptrdiff_t stride = a.rows == 1 && b.rows == 1 ? longest + std::abs(between) : a.row_stride;
  if (stride < longest || (a.row_stride != b.row_stride && std::max(a.rows, b.rows) > 1)) return true;
  // Element (k, i) of a is element (l, j) of b if `start` + b.place(j) - a.place(i) is k - l - `rows` whole rows.
  const std::ptrdiff_t rows = between / size / stride, start = between / size % stride;
  for (Ordinal i = 0; i < a.columns; ++i) {
    for (Ordinal j = 0; j < b.columns; ++j) {
      const std::ptrdiff_t apart = start + b.place(j) - a.place(i);
      for (const std::ptrdiff_t more : {-1, 0, 1})
        if (apart == more * stride && rows + more < a.rows && rows + more > -b.rows) return true;
    }
  }
  return false;
}

}  // namespace Tessera::Impl
