// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tessera/dense/Orthonormalize.hpp>
#include <vector>

#include "OrthonormalizeCheck.hpp"

namespace Tessera::Impl::Test {
namespace {

template <class Case>
class OrthonormalizeTest : public OrthonormalizeCheck<Case> {};
TYPED_TEST_SUITE(OrthonormalizeTest, EverySpace<RealCases>::type);

TYPED_TEST(OrthonormalizeTest, RandomColumns) {
  for (const Ordinal columns : {1, 2, 7, 16, 33, 129}) this->check(nullptr, this->random(1000, columns), columns);
}

TYPED_TEST(OrthonormalizeTest, AgainstABlockBefore) {
  for (const Ordinal before : {1, 16, 150}) {
    auto Q = this->orthonormal(700, before, 3);
    for (const Ordinal columns : {1, 8, 40}) this->check(&Q, this->random(700, columns, 5), columns);
  }
}

TYPED_TEST(OrthonormalizeTest, MostOfEachColumnLiesInTheBlockBefore) {
  auto Q = this->orthonormal(500, 8, 3);
  auto noise = this->random(500, 6, 7);
  const double small = 1000 * this->epsilon;
  this->check(&Q, this->made_of(500, 6, [&](Ordinal i, Ordinal j) { return double(Q(i, j)) + small * noise(i, j); }),
              6);
}

TYPED_TEST(OrthonormalizeTest, TakesTwoStepsWhereHalfOfEachColumnLiesInTheBlockBefore) {
  auto Q = this->orthonormal(400, 8, 3);
  auto noise = this->random(400, 6, 7);
  auto X = this->made_of(400, 6, [&](Ordinal i, Ordinal j) { return double(Q(i, j)) + noise(i, j) / 20; });
  int sums = 0;
  this->run(&Q, X, {}, [&](typename TestFixture::Scalar*, Ordinal) { ++sums; });
  EXPECT_EQ(sums, 2);
  EXPECT_EQ(this->expect_orthonormal(&Q, X), 6);
}

TYPED_TEST(OrthonormalizeTest, NearlyDependentColumns) {
  // Column j is the first plus 10^-j times a new direction: condition 1e15 for double.
  const Ordinal columns = sizeof(typename TestFixture::Scalar) == 8 ? 13 : 5;
  auto noise = this->random(900, columns);
  this->check(nullptr,
              this->made_of(900, columns,
                            [&](Ordinal i, Ordinal j) {
                              return double(noise(i, 0)) + (j == 0 ? 0 : std::pow(10.0, -j) * double(noise(i, j)));
                            }),
              columns);
}

TYPED_TEST(OrthonormalizeTest, ColumnsOfAllSizes) {
  using Scalar = typename TestFixture::Scalar;
  const double greatest = std::numeric_limits<Scalar>::max() / 16, least = std::numeric_limits<Scalar>::min();
  const double sizes[] = {1, greatest, least, 1e-20, 1e15, 1};
  auto noise = this->random(300, 6);
  this->check(nullptr,
              this->made_of(
                  300, 6, [&](Ordinal i, Ordinal j) { return sizes[j] * std::clamp(double(noise(i, j)), -4.0, 4.0); }),
              6);
}

TYPED_TEST(OrthonormalizeTest, TheFirstOfEqualColumnsStays) {
  auto noise = this->random(400, 7);
  // Columns 3 and 5 depend on earlier columns; 6 is 0.
  const auto dependent = this->made_of(400, 7, [&](Ordinal i, Ordinal j) {
    const double sum = double(noise(i, 0)) - 2 * double(noise(i, 2));
    return j == 3 ? double(noise(i, 1)) : j == 5 ? sum : j == 6 ? 0 : double(noise(i, j));
  });
  for (const Dependent kind : {Dependent::Random, Dependent::Zero}) {
    OrthonormalizeOptions options;
    options.dependent = kind;
    const auto result = this->check(nullptr, dependent, 4, options);
    for (const Ordinal j : {0, 1, 2, 4}) EXPECT_GT(result.r(j, j), 0);
    for (const Ordinal j : {3, 5, 6}) EXPECT_EQ(result.r(j, j), 0);
  }
}

TYPED_TEST(OrthonormalizeTest, ColumnsOfTheBlockBeforeAreDependent) {
  auto Q = this->orthonormal(400, 5, 3);
  auto noise = this->random(400, 4);
  const auto X = this->made_of(400, 4, [&](Ordinal i, Ordinal j) {
    return j % 2 == 0 ? 3 * double(Q(i, j)) - double(Q(i, 4)) : double(noise(i, j));
  });
  this->check(&Q, X, 2);
}

TYPED_TEST(OrthonormalizeTest, AShareThatIsAskedFor) {
  auto noise = this->random(400, 3);
  auto X = this->made_of(400, 3, [&](Ordinal i, Ordinal j) {
    return double(noise(i, 0)) + (j == 0 ? 0 : j == 1 ? 0.01 : 0.1) * double(noise(i, j));
  });
  OrthonormalizeOptions options;
  this->check(nullptr, X, 3, options);
  options.dependence = 0.03;
  options.dependent = Dependent::Zero;
  auto after = this->copy_of(X);
  const auto result = this->run(nullptr, after, options);
  EXPECT_EQ(result.rank, 2);
  EXPECT_EQ(result.r(1, 1), 0);
  EXPECT_EQ(this->expect_orthonormal(nullptr, after), 2);
}

TYPED_TEST(OrthonormalizeTest, FewerRowsThanColumns) {
  this->check(nullptr, this->random(5, 8), 5);
  this->check(nullptr, this->random(1, 3), 1);
  this->check(nullptr, this->random(0, 3), 0);
  auto Q = this->orthonormal(6, 4, 1);
  this->check(&Q, this->random(6, 4, 2), 2);
}

TYPED_TEST(OrthonormalizeTest, ColumnsThatAreListed) {
  auto X = this->random(200, 6);
  auto before = this->copy_of(X);
  const std::vector<Ordinal> list = {4, 0, 3};
  const typename TestFixture::Exec exec;
  const DenseWorkspace<typename TestFixture::Exec> workspace;
  using Scalar = typename TestFixture::Scalar;
  auto block = X.block();
  block.columns = 3;
  block.column_list = list.data();
  EXPECT_EQ((orthonormalize<typename TestFixture::Exec, Scalar>(exec, workspace, {}, block, {}, {})), 3);
  exec.fence();
  X.fetch();
  for (const Ordinal a : list)
    for (const Ordinal b : list) EXPECT_NEAR(this->dot(X, a, X, b), a == b, this->bound);
  EXPECT_GT(this->dot(before, 4, X, 4), 0) << "the first of the list keeps its direction";
  for (Ordinal i = 0; i < 200; ++i)
    for (const Ordinal j : {1, 2, 5}) EXPECT_EQ(X(i, j), before(i, j));
}

TYPED_TEST(OrthonormalizeTest, SumsOverRanks) {
  // Simulates two ranks with equal rows.
  auto X = this->random(200, 4), before = this->copy_of(X);
  int sums = 0;
  const auto result = this->run(nullptr, X, {}, [&](typename TestFixture::Scalar* values, Ordinal count) {
    ++sums;
    EXPECT_LE(count, 4 * 4);
    for (Ordinal i = 0; i < count; ++i) values[i] *= 2;
  });
  EXPECT_EQ(result.rank, 4);
  EXPECT_EQ(sums, 2) << "one sum a step, two steps";
  for (Ordinal j = 0; j < 4; ++j)
    for (Ordinal i = 0; i < 4; ++i) EXPECT_NEAR(this->dot(X, i, X, j), i == j ? 0.5 : 0, this->bound);
  this->expect_factors(before, nullptr, X, result);
}

TYPED_TEST(OrthonormalizeTest, OrthonormalColumnsTakeOneStep) {
  auto X = this->orthonormal(500, 16, 1);
  int sums = 0;
  const auto result = this->run(nullptr, X, {}, [&](typename TestFixture::Scalar*, Ordinal) { ++sums; });
  EXPECT_EQ(sums, 1);
  EXPECT_EQ(result.rank, 16);
}

TYPED_TEST(OrthonormalizeTest, RejectsWhatIsNotFinite) {
  using Scalar = typename TestFixture::Scalar;
  for (const double bad : {double(std::numeric_limits<Scalar>::infinity()), std::nan("")}) {
    auto X = this->random(50, 3);
    X(17, 1) = Scalar(bad);
    auto before = this->copy_of(X);
    EXPECT_THROW(this->run(nullptr, X), std::runtime_error);
    for (Ordinal i = 0; i < 50; ++i) EXPECT_EQ(X(i, 2), before(i, 2));
    auto Q = this->orthonormal(50, 2, 1);
    Q(3, 0) = Scalar(bad);
    auto Y = this->random(50, 3);
    EXPECT_THROW(this->run(&Q, Y), std::runtime_error);
  }
}

TYPED_TEST(OrthonormalizeTest, RejectsFactorsOfAnotherShape) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  auto X = this->random(50, 3);
  std::vector<Scalar> factor(16);
  const DenseWorkspace<Exec> workspace;
  EXPECT_THROW((orthonormalize<Exec, Scalar>(Exec(), workspace, {}, X.block(), {}, {factor.data(), 4, 4, 4})),
               std::invalid_argument);
  EXPECT_THROW((orthonormalize<Exec, Scalar>(Exec(), workspace, {}, X.block(), {factor.data(), 1, 3, 1}, {})),
               std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
