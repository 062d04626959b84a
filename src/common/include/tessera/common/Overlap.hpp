// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Multivector.hpp>

namespace Tessera::Impl {

/// Returns the distance in elements from the first to the last element of a multivector that is not empty.
template <class Scalar>
std::ptrdiff_t span_of(const Multivector<Scalar>& v) {
  return (v.rows - 1) * v.row_stride + (v.columns - 1) * v.column_stride;
}

/// A multivector as lines of evenly spaced elements. Lines are columns or rows, whichever have the smaller stride.
struct Lines {
  std::ptrdiff_t length, step;     ///< elements of a line, and distance from one element to the next
  std::ptrdiff_t count, distance;  ///< number of lines, and distance from one line to the next

  /// Returns whether a line ends before the next one begins.
  bool are_apart() const { return step > 0 && (length - 1) * step < distance; }

  template <class Scalar>
  static Lines of(const Multivector<Scalar>& v, bool are_columns) {
    return are_columns ? Lines{v.rows, v.row_stride, v.columns, v.column_stride}
                       : Lines{v.columns, v.column_stride, v.rows, v.row_stride};
  }
};

/// Returns whether the lines of x, which start at 0, share an element with those of y, which have the same step and
/// distance and start at `start`.
inline bool meet(const Lines& x, const Lines& y, std::ptrdiff_t start) {
  // Lines i of x and j of y share elements only if their starts are less than a line apart: q = i - j has three values.
  const std::ptrdiff_t least = start - (x.length - 1) * x.step, most = start + (y.length - 1) * x.step;
  std::ptrdiff_t q = least / x.distance - 1;
  for (q = std::max(q, 1 - y.count); q < x.count && q * x.distance <= most; ++q) {
    const std::ptrdiff_t from_line = start - q * x.distance;
    if (from_line % x.step != 0) continue;
    const std::ptrdiff_t p = from_line / x.step;  // elements between the starts of the two lines
    if (p > -y.length && p < x.length) return true;
  }
  return false;
}

/// Returns whether X and Y share memory. Returns true without a closer check if the ranges of their bytes overlap and
/// their strides differ; otherwise the result is exact: interleaved columns or rows of one larger multivector share no
/// memory. Cost: a few operations for any size.
template <class Scalar>
bool overlap(Multivector<const Scalar> x, Multivector<const Scalar> y) {
  if (x.rows == 0 || x.columns == 0 || y.rows == 0 || y.columns == 0) return false;
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x.data), y_begin = reinterpret_cast<std::uintptr_t>(y.data);
  const auto x_bytes = (static_cast<std::uintptr_t>(span_of(x)) + 1) * sizeof(Scalar);
  const auto y_bytes = (static_cast<std::uintptr_t>(span_of(y)) + 1) * sizeof(Scalar);
  if (x_begin + x_bytes <= y_begin || y_begin + y_bytes <= x_begin) return false;
  // The stride between columns does not matter if there is one column; nor does that between rows if there is one row.
  if (x.columns == 1) x.column_stride = y.columns == 1 ? std::max(span_of(x), span_of(y)) + 1 : y.column_stride;
  if (y.columns == 1) y.column_stride = x.column_stride;
  if (x.rows == 1) x.row_stride = y.rows == 1 ? std::max(span_of(x), span_of(y)) + 1 : y.row_stride;
  if (y.rows == 1) y.row_stride = x.row_stride;
  const auto between = static_cast<std::ptrdiff_t>(y_begin - x_begin);
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(Scalar));
  if (x.row_stride != y.row_stride || x.column_stride != y.column_stride || between % size != 0) return true;
  const bool are_columns = x.row_stride < x.column_stride;
  const auto x_lines = Lines::of(x, are_columns), y_lines = Lines::of(y, are_columns);
  if (!x_lines.are_apart() || !y_lines.are_apart()) return true;
  return meet(x_lines, y_lines, between / size);
}

}  // namespace Tessera::Impl
