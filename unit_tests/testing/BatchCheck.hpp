// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/common/Batch.hpp>
#include <vector>

#include "ProductCheck.hpp"

namespace Tessera::Impl::Test {

/// A batch of products in host memory and on a device, with the expected results. Multivectors lie one after another,
/// with a gap.
template <class Exec, class Scalar>
class BatchCheck {
 public:
  struct Shape {
    int products = 1, columns = 1;
    Layout x = Layout::Right, y = Layout::Right;
    Mode mode = Mode::NoTranspose;
    bool shares_values = false, shares_x = false;
    double alpha = 1, beta = 0;
  };

  template <class Offset>
  BatchCheck(const HostPattern<Offset>& pattern, const Shape& shape, std::uint64_t seed) : shape_(shape) {
    HostPattern<int> A;
    A.rows = pattern.rows;
    A.columns = pattern.columns;
    A.column_indices = pattern.column_indices;
    A.row_offsets.assign(pattern.row_offsets.begin(), pattern.row_offsets.end());
    for (int b = 0; b < shape.products; ++b) {
      const std::uint64_t own = seed + 10 * static_cast<std::uint64_t>(b);
      HostProduct<Scalar, Scalar, int> product(A, shape.columns, shape.x, shape.y, own, shape.mode);
      product.set_factors(number<Scalar>(shape.alpha, shape.alpha / 3), number<Scalar>(shape.beta, -shape.beta), own);
      if (shape.shares_values && b > 0) product.values = products_.front().values;
      if (shape.shares_x && b > 0) product.x = products_.front().x;
      products_.push_back(product);
    }
    for (int b = 0; b < (shape.shares_values ? 1 : shape.products); ++b) append(values_, item(b).values);
    for (int b = 0; b < (shape.shares_x ? 1 : shape.products); ++b) append(x_, item(b).x.memory());
    for (int b = 0; b < shape.products; ++b) append(y_, item(b).y.memory());
    device_values = to_device<Exec>(values_);
    device_x = to_device<Exec>(x_);
    device_y = to_device<Exec>(y_);
  }

  Scalar alpha() const { return products_.front().alpha; }
  Scalar beta() const { return products_.front().beta; }
  ValueBatch<Scalar> values() const {
    const std::size_t entries = item(0).values.size();
    const bool is_shared = shape_.shares_values;
    return {device_values.data(), entries, is_shared ? 0 : stride_of(entries), is_shared ? 1 : shape_.products,
            is_shared};
  }
  MultivectorBatch<const Scalar> x() {
    auto& x = item(0).x;
    const bool is_shared = shape_.shares_x;
    return {x.view(static_cast<const Scalar*>(device_x.data())), is_shared ? 0 : stride_of(x.memory().size()),
            is_shared ? 1 : shape_.products, is_shared};
  }
  MultivectorBatch<Scalar> y() {
    auto& y = item(0).y;
    return {y.view(device_y.data()), stride_of(y.memory().size()), shape_.products, false};
  }

  /// Checks every element of every Y on the device, and that nothing else was written.
  void expect_right(const std::string& what) {
    const auto result = to_host(device_y);
    std::size_t place = 0;
    for (int b = 0; b < shape_.products; ++b) {
      auto& product = item(b);
      auto y = product.y;
      for (Scalar& element : y.memory()) element = result.at(place++);
      for (int gap = 0; gap < gap_elements; ++gap, ++place)
        EXPECT_FALSE(result.at(place) == result.at(place)) << what << ": a gap was written";
      product.expect_right(y, what + ", product " + std::to_string(b));
    }
  }
  /// Returns Y of all products.
  std::vector<Scalar> result() const { return to_host(device_y); }

  Kokkos::View<Scalar*, typename Exec::memory_space> device_values, device_x, device_y;

 private:
  static constexpr int gap_elements = 4;  // keeps elements of 16 bytes aligned

  HostProduct<Scalar, Scalar, int>& item(int b) { return products_.at(static_cast<std::size_t>(b)); }
  const HostProduct<Scalar, Scalar, int>& item(int b) const { return products_.at(static_cast<std::size_t>(b)); }
  static std::ptrdiff_t stride_of(std::size_t elements) { return static_cast<std::ptrdiff_t>(elements) + gap_elements; }
  static void append(std::vector<Scalar>& all, const std::vector<Scalar>& more) {
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), gap_elements, poison<Scalar>());
  }

  Shape shape_;
  std::vector<HostProduct<Scalar, Scalar, int>> products_;
  std::vector<Scalar> values_, x_, y_;
};

}  // namespace Tessera::Impl::Test
