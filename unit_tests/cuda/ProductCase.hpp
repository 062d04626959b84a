// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/condensed/View.hpp>
#include <vector>

#include "../../perf_tests/gpu/Candidate.hpp"
#include "DeviceMemory.hpp"

/// Products on tensor cores for the tests: random ones, and what is right.
namespace Tessera::Test {

using Bench::HostMatrix;

constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// How a product is asked for, besides its operands.
struct ProductCase {
  int strips = 1;  // of a window; of staged windows: blocks of a strip
  Cuda::TileValues values = Cuda::TileValues::Dense;
  Precision precision = Precision::Native;
  int piece_tiles = 64;  // or chunks, of staged windows
  int columns = 32;
  int padding = 0;           // of rows of X and Y, in elements
  int misalignment = 0;      // of X and Y, in elements
  bool left_layout = false;  // column-major X and Y
  bool scatter = false;      // rows of Y backwards
  double alpha = 1.5, beta = 0.5;
  std::ptrdiff_t x_row_stride = 0;  // if it is not 0: of X instead, which then has but one row
};

/// More than 4 GiB, in elements.
constexpr std::ptrdiff_t far_apart = (std::ptrdiff_t(1) << 30) + 4;

/// Element (i, j) of a block of columns in a case's layout.
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

inline std::string describe(const HostMatrix& A, const ProductCase& c) {
  return "rows " + std::to_string(A.rows) + ", columns " + std::to_string(A.columns) + ", N " +
         std::to_string(c.columns) + ", strips " + std::to_string(c.strips) +
         (c.values == Cuda::TileValues::Dense ? ", dense, " : ", compact, ") + std::string(to_string(c.precision)) +
         ", pieces " + std::to_string(c.piece_tiles) + ", beta " + std::to_string(c.beta) + ", padding " +
         std::to_string(c.padding) + ", misalignment " + std::to_string(c.misalignment) +
         (c.x_row_stride == 0 ? "" : ", rows of X far apart") + (c.left_layout ? ", left" : "") +
         (c.scatter ? ", scatter" : "");
}

/// The unit roundoff that a precision promises, and how many times (entries of the row + 2) it may err.
inline double tolerance(Precision precision) {
  if (precision == Precision::Native) return 2 * 0x1p-53;
  if (precision == Precision::Single) return 2 * 0x1p-24;
  if (precision == Precision::Tf32x3) return 4 * 0x1p-24;
  return 2 * (precision == Precision::Bf16 ? 0x1p-8 : 0x1p-11);
}
/// And what is added for each: half of what binary16 has no bits for, from an operand of at most 1.
inline double tolerated_underflow(const ProductCase& c) {
  return c.precision == Precision::Fp16 ? 2 * std::abs(c.alpha) * 0x1p-24 : 0;
}

/// Rows with up to `longest` entries each; every fifth is empty, the last has an entry in each column.
inline HostMatrix random_matrix(int rows, int columns, int longest, unsigned seed) {
  std::mt19937 random(seed);
  HostMatrix A;
  A.rows = rows;
  A.columns = columns;
  A.row_offsets = {0};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row;
    const int wanted = columns == 0 || i % 5 == 4 ? 0 : static_cast<int>(random() % (longest + 1u));
    for (int k = 0; k < wanted; ++k) row.push_back(static_cast<int>(random() % static_cast<unsigned>(columns)));
    if (i + 1 == rows) {
      row.resize(columns);
      for (int j = 0; j < columns; ++j) row[j] = j;
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    A.column_indices.insert(A.column_indices.end(), row.begin(), row.end());
    A.row_offsets.push_back(static_cast<int>(A.column_indices.size()));
  }
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t k = 0; k < A.column_indices.size(); ++k) A.values.push_back(uniform(random));
  return A;
}

template <class Scalar>
std::vector<Scalar> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Scalar> values(count);
  for (Scalar& value : values) value = static_cast<Scalar>(uniform(random));
  return values;
}

/// What a case multiplies, in the memory of the GPU.
template <class Scalar>
struct Operands {
  HostMatrix A;
  ProductCase c;
  OnDevice<Scalar> x, y;
  OnDevice<int> y_rows;  // backwards

  Operands(const HostMatrix& matrix, const ProductCase& c_, const std::vector<Scalar>& host_x,
           const std::vector<Scalar>& host_y)
      : A(matrix), c(c_), x(host_x), y(host_y), y_rows(backwards(matrix.rows)) {}

  static std::vector<int> backwards(int rows) {
    std::vector<int> order(rows);
    for (int i = 0; i < rows; ++i) order[i] = rows - 1 - i;
    return order;
  }

  template <class MatrixScalar>
  Product<MatrixScalar, Scalar> product(const MatrixScalar* values) const {
    Product<MatrixScalar, Scalar> product;
    product.values = values;
    product.alpha = static_cast<Scalar>(c.alpha);
    product.x = view<const Scalar>(c, A.columns, x.data());
    if (c.x_row_stride != 0) product.x.row_stride = c.x_row_stride;
    product.beta = static_cast<Scalar>(c.beta);
    product.y = view<Scalar>(c, A.rows, y.data());
    product.y_rows = c.scatter ? y_rows.data() : nullptr;
    return product;
  }
};

/// Every element within its bound; not a number, or infinite, where and only where it must be; padding untouched.
template <class MatrixScalar, class Scalar>
void expect_right(const HostMatrix& A, const ProductCase& c, const std::vector<Scalar>& x, const std::vector<Scalar>& y,
                  const std::vector<Scalar>& result) {
  std::vector<Scalar> rest = result;
  int shown = 0;
  for (int i = 0; i < A.rows; ++i) {
    const int y_row = c.scatter ? A.rows - 1 - i : i;
    for (int j = 0; j < c.columns; ++j) {
      const std::size_t at = place(c, A.rows, y_row, j);
      double expected = c.beta == 0 ? 0 : c.beta * y[at], size = std::abs(expected);
      for (int k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
        const double term =
            c.alpha * static_cast<MatrixScalar>(A.values[k]) * x[place(c, A.columns, A.column_indices[k], j)];
        expected += term;
        size += std::abs(term);
      }
      const double bound =
          (tolerance(c.precision) * size + tolerated_underflow(c)) * (A.row_offsets[i + 1] - A.row_offsets[i] + 2);
      const bool right = std::isnan(expected)   ? std::isnan(result[at])
                         : std::isinf(expected) ? result[at] == expected
                                                : std::abs(result[at] - expected) <= bound;
      if (!right && shown++ < 3)
        ADD_FAILURE() << "Y(" << i << ", " << j << ") = " << result[at] << ", not " << expected;
      rest[at] = y[at];
    }
  }
  EXPECT_TRUE(y.empty() || std::memcmp(rest.data(), y.data(), y.size() * sizeof(Scalar)) == 0) << "padding was written";
  if (shown > 3) ADD_FAILURE() << shown << " elements are wrong";
}

/// Columns first, ..., first + part.columns - 1 of a block of columns, in the layout of a part.
template <class Scalar>
std::vector<Scalar> columns_of(const ProductCase& c, const ProductCase& part, int rows, int first,
                               const std::vector<Scalar>& all) {
  std::vector<Scalar> some(extent(part, rows));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < part.columns; ++j) some[place(part, rows, i, j)] = all[place(c, rows, i, first + j)];
  }
  return some;
}

/// The bits of a column depend neither on the columns beside it, which may hold what is not finite, nor on its place,
/// nor on alignment, nor on the run. multiply(case, x, y) is the product of A; 100 columns.
template <class Scalar, class Case, class Multiply>
void expect_columns_alone(const HostMatrix& A, Case c, int nan_row, const Multiply& multiply) {
  c.columns = 100;
  c.piece_tiles = 16;
  auto x = random_values<Scalar>(extent(c, A.columns), 5);
  x[place(c, A.columns, nan_row, 3)] = static_cast<Scalar>(quiet_nan);
  for (const int j : {20, 69, 98}) x[place(c, A.columns, 5, j)] = static_cast<Scalar>(infinity);
  const std::vector<Scalar> y = random_values<Scalar>(extent(c, A.rows), 6);
  std::vector<Scalar> all = y, again = y;
  multiply(c, x, all);
  multiply(c, x, again);
  EXPECT_EQ(std::memcmp(all.data(), again.data(), all.size() * sizeof(Scalar)), 0) << "run to run";
  for (const auto& [first, count] : {std::pair{0, 1}, {1, 32}, {5, 7}, {68, 32}, {96, 4}, {97, 3}}) {
    Case part = c;
    part.columns = count;
    part.misalignment = first % 2;
    std::vector<Scalar> part_y = columns_of(c, part, A.rows, first, y);
    multiply(part, columns_of(c, part, A.columns, first, x), part_y);
    const std::vector<Scalar> expected = columns_of(c, part, A.rows, first, all);
    int different = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      different += std::memcmp(&part_y[k], &expected[k], sizeof(Scalar)) != 0 &&
                   !(std::isnan(part_y[k]) && std::isnan(expected[k]));
    }
    EXPECT_EQ(different, 0) << "of columns " << first << " to " << first + count;
  }
}

/// A product that kernels refuse whose formats name rows of X themselves.
template <class Scalar>
Product<Scalar, Scalar> product_with_x_rows() {
  static const Ordinal x_rows[1] = {0};
  Product<Scalar, Scalar> product;
  product.x_rows = x_rows;
  return product;
}

}  // namespace Tessera::Test
