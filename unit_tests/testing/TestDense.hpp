// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <tessera/Half.hpp>
#include <tessera/common/Multivector.hpp>

#include "TestMatrix.hpp"

namespace Tessera::Impl::Test {

enum class Layout { Left, Right, PaddedLeft, PaddedRight, Scattered };
inline constexpr Layout every_layout[] = {Layout::Left, Layout::Right, Layout::PaddedLeft, Layout::PaddedRight,
                                          Layout::Scattered};

/// A number whose parts are all NaN.
template <class Scalar>
Scalar poison() {
  using Real = real_of_t<sum_of_t<Scalar>>;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  if constexpr (is_complex_v<Scalar>) {
    return {nan, nan};
  } else if constexpr (is_half_v<Scalar>) {
    return Scalar(nan);
  } else {
    return nan;
  }
}

/// A multivector of any layout in host memory, and its copy on a device. Padding holds NaN.
template <class Scalar>
class Dense {
 public:
  Dense(int rows, int columns, Layout layout) : rows_(rows), columns_(columns) {
    switch (layout) {
      case Layout::Left:
        set_strides(1, rows);
        break;
      case Layout::Right:
        set_strides(columns, 1);
        break;
      case Layout::PaddedLeft:
        set_strides(1, rows + 3);
        break;
      case Layout::PaddedRight:
        set_strides(columns + 3, 1);
        break;
      case Layout::Scattered:
        set_strides(2, 2 * rows + 1);
        break;
    }
    memory_.assign(size_t(rows) * row_stride_ + size_t(columns) * column_stride_ + 1, poison<Scalar>());
  }
  void randomize(std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) (*this)(i, j) = random.scalar<Scalar>();
  }
  Scalar& operator()(int i, int j) { return memory_[i * row_stride_ + j * column_stride_]; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  std::ptrdiff_t row_stride() const { return row_stride_; }
  std::ptrdiff_t column_stride() const { return column_stride_; }
  const Scalar* column(int j) const { return memory_.data() + j * column_stride_; }
  std::vector<Scalar>& memory() { return memory_; }
  Multivector<const Scalar> view(const Scalar* data) const {
    return {data, rows_, columns_, row_stride_, column_stride_};
  }
  Multivector<Scalar> view(Scalar* data) const { return {data, rows_, columns_, row_stride_, column_stride_}; }

  /// Whether the padding still holds NaN.
  bool gaps_are_untouched() {
    std::vector<char> is_element(memory_.size(), 0);
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) is_element[i * row_stride_ + j * column_stride_] = 1;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      if (!is_element[k] && memory_[k] == memory_[k]) return false;
    }
    return true;
  }

 private:
  void set_strides(std::ptrdiff_t row, std::ptrdiff_t column) {
    row_stride_ = row;
    column_stride_ = column;
  }
  int rows_, columns_;
  std::ptrdiff_t row_stride_ = 0, column_stride_ = 0;
  std::vector<Scalar> memory_;
};

}  // namespace Tessera::Impl::Test
