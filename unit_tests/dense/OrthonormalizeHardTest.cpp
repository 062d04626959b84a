// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns that are dependent, nearly dependent, or of very different norms.
#include <array>
#include <cmath>
#include <vector>

#include "OrthonormalizeCheck.hpp"

namespace Tessera::Impl::Test {
namespace {

template <class Case>
class OrthonormalizeHard : public OrthonormalizeCheck<Case> {
 public:
  using Base = OrthonormalizeCheck<Case>;
  using typename Base::Block;
  using typename Base::Scalar;

  static constexpr bool is_double = sizeof(Scalar) == 8;

  /// A block with random singular vectors and singular values from 1 to 10^-decades, evenly spaced in their logarithms.
  static Block of_condition(Ordinal rows, Ordinal columns, double decades) {
    Block U = Base::orthonormal(rows, columns, 1), V = Base::orthonormal(columns, columns, 2);
    return Base::made_of(rows, columns, [&](Ordinal i, Ordinal j) {
      long double sum = 0;
      for (Ordinal k = 0; k < columns; ++k)
        sum += static_cast<long double>(U(i, k)) * std::pow(10.0, -decades * k / (columns - 1)) * V(j, k);
      return double(sum);
    });
  }

  /// Returns the greatest element of |X^T X - I| and |Q^T X|.
  static double loss_of_orthogonality(Block* Q, Block& X) {
    double greatest = 0;
    for (Ordinal j = 0; j < X.columns(); ++j) {
      for (Ordinal i = 0; i <= j; ++i) greatest = std::fmax(greatest, std::abs(Base::dot(X, i, X, j) - (i == j)));
      for (Ordinal i = 0; Q != nullptr && i < Q->columns(); ++i)
        greatest = std::fmax(greatest, std::abs(Base::dot(*Q, i, X, j)));
    }
    return greatest;
  }

  /// Returns the greatest |x0_j - (Q C + X R)_j| / |x0_j|.
  static double loss_of_span(Block& before, Block* Q, Block& X, const Orthonormalized<Scalar>& result) {
    double greatest = 0;
    for (Ordinal j = 0; j < X.columns(); ++j) {
      long double rests = 0;
      for (Ordinal i = 0; i < X.rows(); ++i) {
        long double rest = before(i, j);
        for (Ordinal l = 0; l < result.before; ++l) rest -= static_cast<long double>((*Q)(i, l)) * result.c(l, j);
        for (Ordinal l = 0; l < X.columns(); ++l) rest -= static_cast<long double>(X(i, l)) * result.r(l, j);
        rests += rest * rest;
      }
      greatest = std::fmax(greatest, double(std::sqrt(rests / Base::dot(before, j, before, j))));
    }
    return greatest;
  }

  static double dependence(Ordinal columns) { return 50 * std::sqrt(double(columns)) * Base::epsilon; }
};

TYPED_TEST_SUITE(OrthonormalizeHard, EverySpace<RealCases>::type);

TYPED_TEST(OrthonormalizeHard, ColumnsOfAnyCondition) {
  const double independent = TestFixture::is_double ? 14 : 4;
  for (const Ordinal before : {0, 30}) {
    auto Q = this->orthonormal(500, std::max(before, 1), 3);
    for (const Ordinal columns : {2, 8, 16, 64}) {
      for (const double decades : {0.0, 0.5, 0.7, 0.9, 1.0, 1.25, 1.5}) {
        SCOPED_TRACE(std::to_string(columns) + " columns of condition 10^" + std::to_string(decades * independent) +
                     " after " + std::to_string(before));
        auto X = this->of_condition(500, columns, decades * independent), after = this->copy_of(X);
        int sums = 0;
        const auto result = this->run(before > 0 ? &Q : nullptr, after, {}, [&](auto*, Ordinal) { ++sums; });
        EXPECT_LE(this->loss_of_orthogonality(before > 0 ? &Q : nullptr, after), 32 * this->epsilon);
        // The remainder of a dependent column is dropped, hence not in the span.
        const double left = result.rank == columns ? 0 : this->dependence(columns);
        EXPECT_LE(this->loss_of_span(X, before > 0 ? &Q : nullptr, after, result), left + 200 * this->epsilon);
        if (decades <= 1) {
          EXPECT_EQ(result.rank, columns);
        }
        EXPECT_LE(sums, decades == 0 ? 2 : 8);
      }
    }
  }
}

/// Combinations of other columns, rounded to Scalar, are dependent: their remainder is only rounding error.
TYPED_TEST(OrthonormalizeHard, ColumnsThatAreMadeOfOthers) {
  using Scalar = typename TestFixture::Scalar;
  for (const Ordinal half : {1, 4, 16}) {
    for (const double decades : {0, 2, 4}) {
      auto noise = this->random(700, half, 7), factors = this->random(half, half, 8);
      const auto first_half = [&](Ordinal i, Ordinal j) {
        return j == 0 ? noise(i, 0) : Scalar(noise(i, 0) + std::pow(10.0, -decades) * noise(i, j));
      };
      auto X = this->made_of(700, 2 * half, [&](Ordinal i, Ordinal j) {
        Scalar sum = 0;
        for (Ordinal k = 0; k < half; ++k) sum += first_half(i, k) * factors(k, j % half);
        return double(j < half ? first_half(i, j) : sum);
      });
      auto after = this->copy_of(X);
      const auto result = this->run(nullptr, after);
      EXPECT_EQ(result.rank, half) << "condition 10^" << decades;
      EXPECT_LE(this->loss_of_orthogonality(nullptr, after), 32 * this->epsilon);
    }
  }
}

/// Scaling columns by powers of 2 changes no bit of X, and R only by these powers.
TYPED_TEST(OrthonormalizeHard, SizesOfColumnsDoNotMatter) {
  const int limit = TestFixture::is_double ? 900 : 80;
  const std::array<int, 8> exponents = {0, limit, -limit, limit / 2, -limit / 3, 17, -limit, limit};
  auto X = this->of_condition(300, 8, TestFixture::is_double ? 10 : 3);
  auto scaled = this->made_of(300, 8, [&](Ordinal i, Ordinal j) { return std::ldexp(double(X(i, j)), exponents[j]); });
  const auto expected = this->run(nullptr, X), actual = this->run(nullptr, scaled);
  EXPECT_EQ(actual.rank, 8);
  for (Ordinal j = 0; j < 8; ++j) {
    for (Ordinal i = 0; i < 300; ++i) ASSERT_EQ(scaled(i, j), X(i, j)) << i << ", " << j;
    for (Ordinal i = 0; i <= j; ++i) EXPECT_EQ(std::ldexp(actual.r(i, j), -exponents[j]), expected.r(i, j));
  }
}

/// Columns whose norms overflow are neither dependent nor less orthonormal.
TYPED_TEST(OrthonormalizeHard, NormsThatOverflow) {
  const double greatest = std::numeric_limits<typename TestFixture::Scalar>::max();
  auto noise = this->random(400, 5);
  auto X = this->made_of(400, 5, [&](Ordinal i, Ordinal j) {
    return (j % 2 == 0 ? greatest : 1) * std::clamp(double(noise(i, j)), -1.0, 1.0);
  });
  EXPECT_EQ(this->run(nullptr, X).rank, 5);
  EXPECT_LE(this->loss_of_orthogonality(nullptr, X), 32 * this->epsilon);
}

/// Elements of different magnitudes, over most of the range of the type.
TYPED_TEST(OrthonormalizeHard, ElementsOfAllSizes) {
  const double decades = TestFixture::is_double ? 280 : 30;
  auto noise = this->random(400, 6), sizes = this->random(400, 6, 2);
  auto X = this->made_of(400, 6, [&](Ordinal i, Ordinal j) {
    return double(noise(i, j)) * std::pow(10.0, decades * std::sin(40 * double(sizes(i, j))));
  });
  auto after = this->copy_of(X);
  const auto result = this->run(nullptr, after);
  EXPECT_EQ(result.rank, 6);
  EXPECT_LE(this->loss_of_orthogonality(nullptr, after), 32 * this->epsilon);
  EXPECT_LE(this->loss_of_span(X, nullptr, after, result), 200 * this->epsilon);
}

/// Zeros, copies and tiny copies of the columns of an ill-conditioned block, and a copy from the basis Q.
TYPED_TEST(OrthonormalizeHard, DependentColumnsAmongIllConditionedOnes) {
  auto Q = this->orthonormal(600, 12, 3);
  auto basis = this->of_condition(600, 5, TestFixture::is_double ? 12 : 3.5);
  const double tiny = std::ldexp(1.0, TestFixture::is_double ? -990 : -90);
  auto X = this->made_of(600, 12, [&](Ordinal i, Ordinal j) {
    if (j == 3) return 0.0;
    if (j == 5 || j == 8) return tiny * double(basis(i, j == 5 ? 1 : 2));
    if (j == 10) return double(Q(i, 7));
    const Ordinal of_basis[] = {0, 1, 1, 0, 2, 0, 3, 0, 0, 4, 0, 4};
    return double(basis(i, of_basis[j]));
  });
  auto after = this->copy_of(X);
  const auto result = this->run(&Q, after);
  EXPECT_EQ(result.rank, 5);
  for (const Ordinal j : {0, 1, 4, 6, 9}) EXPECT_GT(result.r(j, j), 0) << j;
  for (const Ordinal j : {2, 3, 5, 7, 8, 10, 11}) EXPECT_EQ(result.r(j, j), 0) << j;
  EXPECT_LE(this->loss_of_orthogonality(&Q, after), 32 * this->epsilon);
}

}  // namespace
}  // namespace Tessera::Impl::Test
