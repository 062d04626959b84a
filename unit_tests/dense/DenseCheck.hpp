// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tessera/dense/DenseAlgebra.hpp>
#include <type_traits>

#include "TestTall.hpp"

/// Compares dense algebra with a serial reference, element by element.
namespace Tessera::Impl::Test {

/// The type of references. A 113-bit long double is slow software, so double replaces it; the bound below still holds.
using Wide = std::conditional_t<std::numeric_limits<long double>::digits == 64, long double, double>;

/// A sum and the sum of the magnitudes of its terms.
struct Reference {
  Wide sum = 0, magnitude = 0;
  void add(Wide term) {
    sum += term;
    magnitude += std::abs(term);
  }
};

/// Expects `found` within the rounding error of a sum of `terms` terms, or equal to a sum that is not finite.
template <class Scalar>
void expect_near(Scalar found, const Reference& expected, std::int64_t terms, const std::string& what) {
  if (!std::isfinite(expected.sum)) {
    ASSERT_TRUE(std::isnan(expected.sum) ? std::isnan(found) : Wide(found) == expected.sum)
        << what << ": " << found << ", expected " << double(expected.sum);
    return;
  }
  const Wide unit = std::numeric_limits<Scalar>::epsilon() / 2;
  const Wide bound = 2 * Wide(terms + 2) * unit * expected.magnitude;
  ASSERT_LE(std::abs(Wide(found) - expected.sum), bound)
      << what << ": " << found << ", expected " << double(expected.sum);
}

inline std::string shape(Ordinal rows, Ordinal columns, Ordinal others, Places x, Places y) {
  return std::to_string(rows) + " rows, " + std::to_string(columns) + " and " + std::to_string(others) + " columns, " +
         to_string(x) + " and " + to_string(y);
}

/// A small column-major matrix, with padding around it.
template <class Scalar>
struct TestSmall {
  Ordinal rows, columns;
  std::ptrdiff_t stride;
  std::vector<Scalar> memory;

  TestSmall(Ordinal rows_, Ordinal columns_, std::uint64_t seed = 0)
      : rows(rows_),
        columns(columns_),
        stride(rows_ + 2),
        memory(std::size_t(stride) * std::size_t(columns_) + 1, Scalar(777)) {
    Random random(seed);
    for (Ordinal j = 0; seed != 0 && j < columns; ++j)
      for (Ordinal i = 0; i < rows; ++i) view()(i, j) = random.template scalar<Scalar>();
  }
  SmallMatrix<Scalar> view() { return {memory.data(), rows, columns, stride}; }
  bool guards_are_untouched() const {
    for (std::size_t k = 0; k < memory.size(); ++k)
      if (std::ptrdiff_t(k) % stride >= rows && memory[k] != Scalar(777)) return false;
    return true;
  }
};

template <class Exec, class Scalar>
using Inputs = std::vector<Tall<Exec, Scalar>*>;

/// Checks C = X^T Y. References are sums over the rows.
template <class Algebra, class Exec, class Scalar>
void check_inner_products(const Algebra& algebra, const Inputs<Exec, Scalar>& X, Tall<Exec, Scalar>& Y,
                          const std::string& what) {
  std::vector<TallBlock<const Scalar>> blocks;
  Ordinal columns = 0;
  for (Tall<Exec, Scalar>* x : X) {
    blocks.push_back(x->input());
    columns += x->columns();
  }
  TestSmall<Scalar> C(columns, Y.columns());
  algebra.inner_products(blocks, Y.input(), C.view());
  ASSERT_TRUE(C.guards_are_untouched()) << what;
  Ordinal row = 0;
  for (const Tall<Exec, Scalar>* x : X) {
    const Tall<Exec, Scalar>& y = Y;
    for (Ordinal k = 0; k < x->columns(); ++k, ++row) {
      for (Ordinal j = 0; j < Y.columns(); ++j) {
        Reference expected;
        for (Ordinal i = 0; i < Y.rows(); ++i) expected.add(Wide((*x)(i, k)) * y(i, j));
        expect_near(C.view()(row, j), expected, Y.rows(),
                    what + ", element " + std::to_string(row) + " " + std::to_string(j));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// Checks dots, sums_of_magnitudes and greatest_magnitudes.
template <class Algebra, class Exec, class Scalar>
void check_column_sums(const Algebra& algebra, Tall<Exec, Scalar>& X, Tall<Exec, Scalar>& Y, const std::string& what) {
  const auto columns = static_cast<std::size_t>(X.columns());
  std::vector<Scalar> products(columns + 1, Scalar(777)), sums = products, greatest = products;
  algebra.dots(X.input(), Y.input(), products.data());
  algebra.sums_of_magnitudes(X.input(), sums.data());
  algebra.greatest_magnitudes(X.input(), greatest.data());
  const Tall<Exec, Scalar>&x = X, &y = Y;
  for (Ordinal j = 0; j < X.columns(); ++j) {
    Reference dot, sum;
    Scalar most = 0;
    for (Ordinal i = 0; i < X.rows(); ++i) {
      dot.add(Wide(x(i, j)) * y(i, j));
      sum.add(std::abs(x(i, j)));
      most = std::isnan(most) || std::abs(x(i, j)) <= most ? most : std::abs(x(i, j));
    }
    const auto place = static_cast<std::size_t>(j);
    const std::string column = what + ", column " + std::to_string(j);
    expect_near(products[place], dot, X.rows(), column);
    expect_near(sums[place], sum, X.rows(), column);
    if (::testing::Test::HasFatalFailure()) return;
    ASSERT_TRUE(std::isnan(most) ? std::isnan(greatest[place]) : greatest[place] == most)
        << column << ": " << greatest[place] << ", expected " << most;
  }
  for (const auto& result : {products, sums, greatest}) ASSERT_EQ(result.back(), Scalar(777)) << what;
}

/// Checks Y = alpha X B + beta Y, in place if X is Y.
template <class Algebra, class Exec, class Scalar>
void check_multiply_add(const Algebra& algebra, Scalar alpha, Tall<Exec, Scalar>& X, Scalar beta, Tall<Exec, Scalar>& Y,
                        const std::string& what) {
  TestSmall<Scalar> B(X.columns(), Y.columns(), 77);
  const Tall<Exec, Scalar> x = X, before = Y;
  algebra.multiply_add(alpha, X.input(), B.view(), beta, Y.block());
  Y.fetch();
  ASSERT_TRUE(Y.guards_are_untouched()) << what;
  const Tall<Exec, Scalar>& y = Y;
  for (Ordinal i = 0; i < Y.rows(); ++i) {
    for (Ordinal j = 0; j < Y.columns(); ++j) {
      Reference expected;
      for (Ordinal k = 0; k < X.columns(); ++k) expected.add(Wide(alpha) * x(i, k) * B.view()(k, j));
      if (beta != Scalar(0)) expected.add(Wide(beta) * before(i, j));
      expect_near(y(i, j), expected, X.columns() + 2,
                  what + ", element " + std::to_string(i) + " " + std::to_string(j));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Expects elements of Y close to expected(i, j), within one or two unit roundoffs, and untouched padding.
template <class Exec, class Scalar, class Expected>
void expect_elements(Tall<Exec, Scalar>& Y, const Expected& expected, const std::string& what) {
  Y.fetch();
  ASSERT_TRUE(Y.guards_are_untouched()) << what;
  const Tall<Exec, Scalar>& y = Y;
  for (Ordinal i = 0; i < Y.rows(); ++i) {
    for (Ordinal j = 0; j < Y.columns(); ++j) {
      expect_near(y(i, j), expected(i, j), 0, what + ", element " + std::to_string(i) + " " + std::to_string(j));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

inline Reference sum_of(Wide a, Wide b = 0) {
  Reference result;
  result.add(a);
  result.add(b);
  return result;
}

/// Checks C = alpha A + beta B, where C may be A or B.
template <class Algebra, class Exec, class Scalar>
void check_add(const Algebra& algebra, Scalar alpha, Tall<Exec, Scalar>& A, Scalar beta, Tall<Exec, Scalar>& B,
               Tall<Exec, Scalar>& C, const std::string& what) {
  const Tall<Exec, Scalar> a = A, b = B;
  const auto input_a = A.input(), input_b = B.input();
  algebra.add(alpha, input_a, beta, input_b, C.block());
  expect_elements(
      C,
      [&](Ordinal i, Ordinal j) {
        return sum_of(alpha == Scalar(0) ? 0 : Wide(alpha) * a(i, j), beta == Scalar(0) ? 0 : Wide(beta) * b(i, j));
      },
      what);
}

/// Checks scale, scale_rows, copy and fill.
template <class Algebra, class Exec, class Scalar>
void check_elementwise(const Algebra& algebra, Tall<Exec, Scalar>& X, Tall<Exec, Scalar>& Y, const std::string& what) {
  const Tall<Exec, Scalar> x = X;
  algebra.copy(X.input(), Y.block());
  expect_elements(
      Y, [&](Ordinal i, Ordinal j) { return sum_of(x(i, j)); }, what + ", copy");
  const auto factors = random_values<Scalar>(std::size_t(std::max(X.rows(), X.columns())), 5);
  const auto factor = [&](Ordinal i) { return Wide(factors[static_cast<std::size_t>(i)]); };
  algebra.scale(factors.data(), Y.block());
  expect_elements(
      Y, [&](Ordinal i, Ordinal j) { return sum_of(factor(j) * x(i, j)); }, what + ", scale");
  const auto on_device = to_device<Exec>(factors);
  algebra.scale_rows(on_device.data(), X.input(), Y.block());
  expect_elements(
      Y, [&](Ordinal i, Ordinal j) { return sum_of(factor(i) * x(i, j)); }, what + ", scale_rows");
  algebra.fill(Scalar(2.5), Y.block());
  expect_elements(
      Y, [&](Ordinal, Ordinal) { return sum_of(2.5); }, what + ", fill");
}

}  // namespace Tessera::Impl::Test
