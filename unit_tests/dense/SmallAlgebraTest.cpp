// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tessera/dense/impl/SmallAlgebra.hpp>
#include <vector>

namespace Tessera::Impl::Test {
namespace {

using Impl::CholeskyFactor;
using Impl::identity;
using Impl::Small;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Small random_small(Ordinal rows, Ordinal columns, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Small result(rows, columns);
  for (Ordinal j = 0; j < columns; ++j)
    for (Ordinal i = 0; i < rows; ++i) result(i, j) = normal(engine);
  return result;
}

/// Returns the Gram matrix of columns. The columns in `dependent` depend on earlier columns.
Small gram_matrix(Ordinal columns, const std::vector<Ordinal>& dependent) {
  Small X = random_small(3 * columns, columns);
  for (const Ordinal j : dependent)
    for (Ordinal i = 0; i < X.rows(); ++i) X(i, j) = j == 0 ? 0 : 2 * X(i, 0) - X(i, j - 1);
  return X.transposed() * X;
}

/// Returns the submatrix of the rows and columns in a list.
Small part_of(const Small& A, const std::vector<Ordinal>& list) {
  return A.some_columns(list).transposed().some_columns(list).transposed();
}

std::vector<Ordinal> others(Ordinal columns, const std::vector<Ordinal>& list) {
  std::vector<Ordinal> result;
  for (Ordinal j = 0; j < columns; ++j)
    if (std::find(list.begin(), list.end(), j) == list.end()) result.push_back(j);
  return result;
}

void expect_near(const Small& actual, const Small& expected, double bound) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.columns(), expected.columns());
  for (Ordinal j = 0; j < actual.columns(); ++j)
    for (Ordinal i = 0; i < actual.rows(); ++i) EXPECT_NEAR(actual(i, j), expected(i, j), bound) << i << ", " << j;
}

const std::vector<std::vector<Ordinal>> dependent_columns = {{}, {3}, {0, 2, 6}};

TEST(SmallAlgebra, SumsAndProducts) {
  const Small A = random_small(5, 3), B = random_small(3, 4, 2), C = random_small(5, 4, 3);
  Small sum = C;
  sum.add_product(A, B);
  expect_near(sum, C + A * B, 20 * epsilon);
  expect_near(-(-A), A, 0);
  expect_near(identity(5) * A, A, 0);
  for (Ordinal j = 0; j < 4; ++j)
    for (Ordinal i = 0; i < 5; ++i)
      EXPECT_NEAR((A * B)(i, j), A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j), 20 * epsilon);
  expect_near((A * B).transposed(), B.transposed() * A.transposed(), 20 * epsilon);
  EXPECT_EQ((Small(2, 0) * Small(0, 3))(1, 2), 0);
}

TEST(SmallAlgebra, PartsOfAMatrix) {
  const Small A = random_small(6, 4);
  const Small rows = A.some_rows(2, 3), columns = A.some_columns({3, 1});
  for (Ordinal j = 0; j < 4; ++j)
    for (Ordinal i = 0; i < 3; ++i) EXPECT_EQ(rows(i, j), A(2 + i, j));
  for (Ordinal i = 0; i < 6; ++i) {
    EXPECT_EQ(columns(i, 0), A(i, 3));
    EXPECT_EQ(columns(i, 1), A(i, 1));
  }
}

TEST(SmallAlgebra, CopiesRowsOfALargerMatrix) {
  std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8};  // 4 x 2
  const Small A(SmallMatrix<float>{numbers.data() + 1, 2, 2, 4});
  EXPECT_EQ(A.rows(), 2);
  EXPECT_EQ(A(1, 0), 3);
  EXPECT_EQ(A(0, 1), 6);
  (A + A).copy_to(SmallMatrix<float>{numbers.data() + 2, 2, 2, 4});
  EXPECT_EQ(numbers, (std::vector<float>{1, 2, 4, 6, 5, 6, 12, 14}));
}

TEST(SmallAlgebra, FindsNumbersThatAreNotFinite) {
  Small A = random_small(3, 3);
  EXPECT_TRUE(A.is_finite());
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    A(1, 2) = bad;
    EXPECT_FALSE(A.is_finite());
  }
}

TEST(SmallAlgebra, CholeskyOfTheColumnsThatAreKept) {
  const Ordinal columns = 8;
  const Small A = gram_matrix(columns, {});
  for (const auto& left_out : dependent_columns) {
    const std::vector<Ordinal> kept = others(columns, left_out);
    std::vector<double> pivots;
    const Small S = Impl::cholesky(A, [&](Ordinal j, double pivot) {
      pivots.push_back(pivot);
      return std::find(kept.begin(), kept.end(), j) != kept.end();
    });
    expect_near(part_of(S.transposed() * S, kept), part_of(A, kept), 1000 * epsilon);
    for (Ordinal j = 0; j < columns; ++j)
      for (Ordinal i = j + 1; i < columns; ++i) EXPECT_EQ(S(i, j), 0);
    for (const Ordinal j : kept) EXPECT_EQ(S(j, j), std::sqrt(pivots[std::size_t(j)]));
    for (const Ordinal j : left_out)
      for (Ordinal i = 0; i < columns; ++i) EXPECT_EQ(S(j, i), 0);
    // Columns that the factorization drops keep their components along earlier columns.
    for (const Ordinal j : left_out) {
      double square = pivots[std::size_t(j)];
      for (Ordinal i = 0; i < j; ++i) square += S(i, j) * S(i, j);
      EXPECT_NEAR(square, A(j, j), 1000 * epsilon);
    }

    const Small inverse = Impl::inverse_of_triangle(S);
    expect_near(part_of(S, kept) * part_of(inverse, kept), identity(Ordinal(kept.size())), 1000 * epsilon);
    for (const Ordinal j : left_out)
      for (Ordinal i = 0; i < columns; ++i) EXPECT_TRUE(inverse(i, j) == 0 && inverse(j, i) == 0) << i << ", " << j;
  }
}

TEST(SmallAlgebra, FactorLeavesOutDependentColumns) {
  const Ordinal columns = 8;
  for (const auto& dependent : dependent_columns) {
    const Small A = gram_matrix(columns, dependent);
    const CholeskyFactor factor(A, 1e-12);
    EXPECT_EQ(factor.kept(), others(columns, dependent));
    EXPECT_EQ(factor.keeps_all(), dependent.empty());
    EXPECT_EQ(factor.least_pivot() > 1e-12, dependent.empty());

    const Small F = factor.inverse_factor();
    expect_near(F.transposed() * A * F, identity(Ordinal(factor.kept().size())), 1e-12);
    for (const Ordinal j : dependent)
      for (Ordinal i = 0; i < F.columns(); ++i) EXPECT_EQ(F(j, i), 0);
  }
}

TEST(SmallAlgebra, FactorSolves) {
  const Ordinal columns = 8;
  for (const auto& dependent : dependent_columns) {
    const Small A = gram_matrix(columns, dependent), B = random_small(columns, 3, 5);
    const CholeskyFactor factor(A, 1e-12);
    const Small X = factor.solve(B);
    const auto rows = [&](const Small& of) { return of.transposed().some_columns(factor.kept()).transposed(); };
    expect_near(rows(A * X), rows(B), 1e-12);
    for (const Ordinal j : dependent)
      for (Ordinal i = 0; i < 3; ++i) EXPECT_EQ(X(j, i), 0);
  }
  EXPECT_EQ(CholeskyFactor().solve(Small(0, 3)).columns(), 3);
}

TEST(SmallAlgebra, PivotsDoNotDependOnScales) {
  Small A = gram_matrix(6, {}), scaled = A;
  for (Ordinal j = 0; j < 6; ++j)
    for (Ordinal i = 0; i < 6; ++i) scaled(i, j) *= std::ldexp(1.0, 40 * (i % 3 + j % 3) - 100);
  EXPECT_EQ(CholeskyFactor(scaled, 0).least_pivot(), CholeskyFactor(A, 0).least_pivot());
  EXPECT_TRUE(CholeskyFactor(scaled, 0).keeps_all());
}

TEST(SmallAlgebra, TheLeastPivotTellsWhatIsNotPositive) {
  Small A = identity(3);
  EXPECT_EQ(CholeskyFactor(A, 0).least_pivot(), 1);
  A(0, 2) = A(2, 0) = 2;
  EXPECT_EQ(CholeskyFactor(A, 0).least_pivot(), -3);
  EXPECT_EQ(CholeskyFactor(A, 0).kept(), (std::vector<Ordinal>{0, 1}));
  A(2, 0) = -2;  // hence the symmetric part is the unit matrix
  EXPECT_EQ(CholeskyFactor(A, 0).least_pivot(), 1);
  A(1, 1) = -1;
  EXPECT_EQ(CholeskyFactor(A, 0).least_pivot(), -1);
  EXPECT_EQ(CholeskyFactor(A, 0).kept(), (std::vector<Ordinal>{0, 2}));
}

}  // namespace
}  // namespace Tessera::Impl::Test
