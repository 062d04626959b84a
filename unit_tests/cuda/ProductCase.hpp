// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <type_traits>
#include <vector>

#include "DeviceMemory.hpp"
#include "HostMatrix.hpp"
#include "condensed/cuda/Schedule.hpp"

/// Random products on tensor cores, and their expected results.
namespace Tessera::Impl::Test {

constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The parameters of a product other than its operands.
struct ProductCase {
  Precision precision = Precision::Native;
  int piece_tiles = 64;  // for staged windows: chunks
  int columns = 32;
  int width = 0;             // the number of columns that the policy is made for; 0: `columns`
  int padding = 0;           // padding of rows of X and Y, in elements
  int misalignment = 0;      // misalignment of X and Y, in elements
  bool left_layout = false;  // column-major X and Y
  bool scatter = false;      // reverses the rows of Y
  bool gather = false;       // reverses the rows of X
  double alpha = 1.5, beta = 0.5;
  std::ptrdiff_t x_row_stride = 0;  // stride in elements for an X of one row; 0: the layout's stride

  /// Text that a kernel adds to the description.
  std::string text() const { return ""; }
};

/// Sets layout, scatter, alignment, padding and beta for variant 0, ..., 63.
inline void set_layout(ProductCase& c, int variant) {
  c.left_layout = (variant & 1) != 0;
  c.scatter = (variant & 2) != 0;
  c.misalignment = (variant & 4) != 0 ? 1 : 0;
  c.padding = (variant & 8) != 0 ? 3 : (variant & 16) != 0 ? 4 : 0;
  c.beta = (variant & 32) != 0 ? 0 : 0.5;
}

/// A stride of more than 4 GiB, in elements.
constexpr std::ptrdiff_t far_apart = (std::ptrdiff_t(1) << 30) + 4;

/// The index of element (i, j) of a multivector in a case's layout.
inline std::size_t place(const ProductCase& c, int rows, int i, int j) {
  const std::size_t stride = std::size_t(c.left_layout ? rows : c.columns) + c.padding;
  return c.misalignment + (c.left_layout ? i + j * stride : i * stride + j);
}
inline std::size_t extent(const ProductCase& c, int rows) {
  return c.misalignment +
         (std::size_t(c.left_layout ? rows : c.columns) + c.padding) * std::size_t(c.left_layout ? c.columns : rows);
}

template <class Scalar>
Multivector<Scalar> view(const ProductCase& c, int rows, Scalar* data) {
  const std::ptrdiff_t stride = (c.left_layout ? rows : c.columns) + c.padding;
  return {data + c.misalignment, rows, c.columns, c.left_layout ? 1 : stride, c.left_layout ? stride : 1};
}

template <class Case>
std::string describe(const HostMatrix& A, const Case& c) {
  return "rows " + std::to_string(A.rows) + ", columns " + std::to_string(A.columns) + ", N " +
         std::to_string(c.columns) + ", " + std::string(to_string(c.precision)) + ", pieces " +
         std::to_string(c.piece_tiles) + ", beta " + std::to_string(c.beta) + ", padding " + std::to_string(c.padding) +
         ", misalignment " + std::to_string(c.misalignment) + (c.x_row_stride == 0 ? "" : ", rows of X far apart") +
         (c.left_layout ? ", left" : "") + (c.scatter ? ", scatter" : "") + (c.gather ? ", gather" : "") + c.text();
}

/// Unit roundoff times a factor. In a row of n entries, errors may be (n + 2) times this times the sum of magnitudes.
template <class MatrixScalar, class Scalar>
double tolerance(Precision precision) {
  constexpr bool sums_doubles = std::is_same_v<MatrixScalar, double> || std::is_same_v<Scalar, double>;
  if (precision == Precision::Native) return 2 * (sums_doubles ? 0x1p-53 : 0x1p-24);
  if (precision == Precision::Tf32x3) return 4 * 0x1p-24;
  return 2 * (precision == Precision::Bf16 ? 0x1p-8 : 0x1p-11);
}
/// The rounding error of storing an element of this size in 16 bits.
template <class Scalar>
double rounding_error(double size) {
  if (!is_half_v<Scalar>) return 0;
  return (std::is_same_v<Scalar, Half> ? 0x1p-11 : 0x1p-8) * size + 0x1p-25;
}
/// The absolute error per term that is allowed for underflow of binary16.
inline double tolerated_underflow(const ProductCase& c) {
  return c.precision == Precision::Fp16 ? 2 * std::abs(c.alpha) * 0x1p-24 : 0;
}

/// The numbers n - 1, ..., 1, 0.
inline std::vector<int> backwards(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

/// Computes Y = alpha A X + beta Y on the device. x and y are indexed by place(); rows of x have the order of A's
/// columns, even if c.gather. `matrix` has the values, the workspace size and the launch of a kernel.
template <class Matrix, class Case, class Scalar>
void multiply(const Matrix& matrix, const HostMatrix& A, const Case& c, std::vector<Scalar> x, std::vector<Scalar>& y) {
  if (c.gather) {
    const std::vector<Scalar> in_order = x;
    for (int i = 0; i < A.columns; ++i) {
      for (int j = 0; j < c.columns; ++j)
        x[place(c, A.columns, A.columns - 1 - i, j)] = in_order[place(c, A.columns, i, j)];
    }
  }
  const OnDevice<Scalar> device_x(x), device_y(y);
  const OnDevice<int> x_rows(backwards(c.gather ? A.columns : 0)), y_rows(backwards(c.scatter ? A.rows : 0));
  Product<std::remove_cv_t<std::remove_pointer_t<decltype(matrix.values())>>, Scalar> product;
  product.values = matrix.values();
  product.alpha = static_cast<sum_of_t<Scalar>>(c.alpha);
  product.x = view<const Scalar>(c, A.columns, device_x.data());
  if (c.x_row_stride != 0) product.x.row_stride = c.x_row_stride;
  product.beta = static_cast<sum_of_t<Scalar>>(c.beta);
  product.y = view<Scalar>(c, A.rows, device_y.data());
  if (c.gather) product.x_rows = x_rows.data();
  if (c.scatter) product.y_rows = y_rows.data();
  const OnDevice<std::byte> workspace(
      std::vector<std::byte>(matrix.workspace_bytes(c.precision, product.x), std::byte(0xff)));
  matrix.launch(c, product, Scratch{workspace.data(), workspace.bytes()});
  y = device_y.to_host();
}

/// Returns the schedule with the case's policy.
template <class Schedule>
Schedule with_policy(Schedule schedule, const ProductCase& c) {
  schedule.width = c.width;
  return schedule;
}

/// A window schedule in device memory.
template <class Item>
struct ScheduleOnDevice {
  OnDevice<Item> items;
  OnDevice<Cuda::CondensedSum> sums;
  Cuda::WindowSchedule<Item> view;

  explicit ScheduleOnDevice(const Cuda::HostWindowSchedule<Item>& host)
      : items(host.items),
        sums(host.sums),
        view{static_cast<int>(host.items.size()), static_cast<int>(host.sums.size()), host.slots, items.data(),
             sums.data()} {}
};

/// Checks each element against its error bound (NaN and infinity exactly), and that padding is untouched.
template <class MatrixScalar, class Scalar>
void expect_right(const HostMatrix& A, const ProductCase& c, const std::vector<Scalar>& x, const std::vector<Scalar>& y,
                  const std::vector<Scalar>& result) {
  std::vector<Scalar> rest = result;
  int shown = 0;
  for (int i = 0; i < A.rows; ++i) {
    const int y_row = c.scatter ? A.rows - 1 - i : i;
    for (int j = 0; j < c.columns; ++j) {
      const std::size_t at = place(c, A.rows, y_row, j);
      double expected = c.beta == 0 ? 0 : c.beta * double(y[at]), size = std::abs(expected);
      for (int k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
        const double term =
            c.alpha * static_cast<MatrixScalar>(A.values[k]) * double(x[place(c, A.columns, A.column_indices[k], j)]);
        expected += term;
        size += std::abs(term);
      }
      const double bound = (tolerance<MatrixScalar, Scalar>(c.precision) * size + tolerated_underflow(c)) *
                           (A.row_offsets[i + 1] - A.row_offsets[i] + 2);
      const double computed = result[at];
      const bool right = std::isnan(expected)   ? std::isnan(computed)
                         : std::isinf(expected) ? computed == expected
                                                : std::abs(computed - expected) <=
                                                      bound + rounding_error<Scalar>(std::abs(expected) + bound);
      if (!right && shown++ < 3) ADD_FAILURE() << "Y(" << i << ", " << j << ") = " << computed << ", not " << expected;
      rest[at] = y[at];
    }
  }
  EXPECT_TRUE(y.empty() || std::memcmp(rest.data(), y.data(), y.size() * sizeof(Scalar)) == 0) << "padding was written";
  if (shown > 3) ADD_FAILURE() << shown << " elements are wrong";
}

/// Copies columns first, ..., first + part.columns - 1 of a multivector to the layout of `part`.
template <class Scalar>
std::vector<Scalar> columns_of(const ProductCase& c, const ProductCase& part, int rows, int first,
                               const std::vector<Scalar>& all) {
  std::vector<Scalar> some(extent(part, rows));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < part.columns; ++j) some[place(part, rows, i, j)] = all[place(c, rows, i, first + j)];
  }
  return some;
}

/// Returns a product with x_rows. Kernels reject it if their format itself lists the rows of X to read.
template <class Scalar>
Product<Scalar, Scalar> product_with_x_rows() {
  static const Ordinal x_rows[1] = {0};
  Product<Scalar, Scalar> product;
  product.x_rows = x_rows;
  return product;
}

}  // namespace Tessera::Impl::Test
