// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Product.hpp>
#include <tessera/portable/Spmm.hpp>
#include <utility>

/// Products with 16-bit X and Y if there is no kernel for them: a few columns at a time are copied to float,
/// multiplied, and rounded.
namespace Tessera::Impl {

/// The float copies of X and Y in scratch memory. Both are row-major, and X comes first.
class WidenedPanels {
 public:
  static constexpr Ordinal most_columns = 64;

  /// \param columns [in] number of columns of the product
  WidenedPanels(Ordinal x_rows, Ordinal y_rows, Ordinal columns)
      : x_rows_(x_rows), y_rows_(y_rows), columns_(std::min(columns, most_columns)) {}

  Ordinal columns() const { return columns_; }
  /// Returns the number of columns of the next panel. A column of several is in no panel of its own, because a column
  /// alone may have another order of summation.
  Ordinal next(Ordinal columns_left) const {
    return columns_left == columns_ + 1 ? columns_ - 1 : std::min(columns_, columns_left);
  }
  std::size_t bytes() const { return alignment + bytes_of(x_rows_) + bytes_of(y_rows_); }

  /// The copies, and the rest of the scratch memory.
  struct Parts {
    Multivector<float> x, y;
    Scratch rest;
  };
  Parts divide(const Scratch& scratch) const {
    const auto address = reinterpret_cast<std::uintptr_t>(scratch.data);
    std::byte* const first = scratch.data + (alignment - address % alignment) % alignment;
    std::byte* const second = first + bytes_of(x_rows_);
    return {panel(first, x_rows_), panel(second, y_rows_), {second + bytes_of(y_rows_), scratch.bytes - bytes()}};
  }

 private:
  static constexpr std::size_t alignment = 256;
  Ordinal stride() const { return (columns_ + 3) / 4 * 4; }
  std::size_t bytes_of(Ordinal rows) const {
    const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride());
    return (elements * sizeof(float) + alignment - 1) / alignment * alignment;
  }
  Multivector<float> panel(std::byte* data, Ordinal rows) const {
    return {reinterpret_cast<float*>(data), rows, columns_, stride(), 1};
  }

  Ordinal x_rows_, y_rows_, columns_;
};

/// Computes a product panel by panel.
///
/// \param scratch  [in,out] WidenedPanels::bytes() more than `multiply` needs
/// \param multiply [in]     multiply(product, scratch) computes a product of floats
template <class ExecutionSpace, class Half, class Multiply>
void multiply_widened(const ExecutionSpace& exec, const Product<float, Half>& product, const Scratch& scratch,
                      const Multiply& multiply) {
  const auto& [x, y] = std::pair(product.x, product.y);
  const WidenedPanels panels(x.rows, y.rows, x.columns);
  const auto parts = panels.divide(scratch);
  for (Ordinal first = 0, count; first < x.columns; first += count) {
    count = panels.next(x.columns - first);
    const auto wide_x = columns_of(parts.x, 0, count), sums = columns_of(parts.y, 0, count);
    widen(exec, columns_of(x, first, count), wide_x);
    Product<float, float> panel{
        product.values, product.conjugate_values, product.alpha, {wide_x.data, x.rows, count, wide_x.row_stride, 1}, 0,
        sums,           product.y_rows,           product.x_rows};
    multiply(panel, parts.rest);
    add_rounded(exec, {sums.data, y.rows, count, sums.row_stride, 1}, product.beta, columns_of(y, first, count));
  }
}

}  // namespace Tessera::Impl
