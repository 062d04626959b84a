// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "Verify.hpp"

namespace Tessera::Impl::Driver {
namespace {

/// A = [1 2 0; 0 0 3], X with 2 columns, alpha = 2, beta = 0.5.
template <class Scalar>
Problem<Scalar> small_problem() {
  Problem<Scalar> problem;
  problem.a = {2, 3, {0, 2, 3}, {0, 1, 2}, {1, 2, 3}};
  problem.alpha = 2;
  problem.beta = Scalar(0.5);
  problem.x = {3, 2, {1, 10, 100, -1, 4, 7}};
  problem.y = {2, 2, {8, 4, 2, 6}};
  return problem;
}

template <class Scalar>
HostDense<Scalar> right_answer() {
  return {2, 2, {2 * (1 + 20) + 4, 2 * 300 + 2, 2 * (-1 + 8) + 1, 2 * 21 + 3}};
}

const auto ignore = [](double) {};
const std::vector<Precision> native{Precision::Native}, both{Precision::Native, Precision::Native};

template <class Scalar>
class Verify : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Verify, Scalars);

TYPED_TEST(Verify, AcceptsTheRightAnswer) {
  const auto errors = worst_errors<TypeParam>(small_problem<TypeParam>(), Mode::NoTranspose,
                                              {right_answer<TypeParam>()}, native, ignore);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0], 0);
}

TYPED_TEST(Verify, RejectsAWrongEntryWhereverItIs) {
  for (std::size_t k = 0; k < 4; ++k) {
    auto wrong = right_answer<TypeParam>();
    wrong.values[k] *= TypeParam(1.0001F);
    const auto errors = worst_errors<TypeParam>(small_problem<TypeParam>(), Mode::NoTranspose,
                                                {right_answer<TypeParam>(), wrong}, both, ignore);
    EXPECT_EQ(errors[0], 0);
    EXPECT_GT(errors[1], 1) << "entry " << k;
  }
}

TYPED_TEST(Verify, RejectsAnEntryThatWasNotWritten) {
  auto problem = small_problem<TypeParam>();
  problem.beta = 0;
  problem.y.values.assign(4, std::numeric_limits<float>::quiet_NaN());
  HostDense<TypeParam> y{2, 2, {42, 600, 14, std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_EQ(worst_errors<TypeParam>(problem, Mode::NoTranspose, {y}, native, ignore)[0],
            std::numeric_limits<double>::infinity());
  y.values[3] = 42;
  EXPECT_EQ(worst_errors<TypeParam>(problem, Mode::NoTranspose, {y}, native, ignore)[0], 0);
}

TEST(VerifyPrecisions, EachResultHasTheBoundOfItsOwn) {
  auto rounded = right_answer<float>();
  for (float& value : rounded.values) value *= 1 + 0x1p-11f;
  const std::vector<Precision> precisions{Precision::Native, Precision::Tf32,   Precision::Tf32x3,
                                          Precision::Fp16,   Precision::Native, Precision::Bf16};
  const std::vector<HostDense<float>> results(precisions.size(), rounded);
  const auto errors = worst_errors<float>(small_problem<float>(), Mode::NoTranspose, results, precisions, ignore);
  for (std::size_t r = 0; r < precisions.size(); ++r) {
    const bool is_exact = precisions[r] == Precision::Native || precisions[r] == Precision::Tf32x3;
    EXPECT_EQ(errors[r] > 1, is_exact) << to_string(precisions[r]) << ": " << errors[r];
  }
  EXPECT_LT(errors[5], errors[1] / 4);
}

TEST(VerifyPrecisions, AResultWithoutAPrecisionIsRejected) {
  const auto right = right_answer<float>();
  EXPECT_THROW(worst_errors<float>(small_problem<float>(), Mode::NoTranspose, {right, right}, native, ignore),
               std::invalid_argument);
}

TEST(VerifyModes, TransposesAndConjugates) {
  using Complex = std::complex<double>;
  Problem<Complex> problem;
  problem.a = {1, 2, {0, 2}, {0, 1}, {{1, 1}, {0, 2}}};
  problem.alpha = 1;
  problem.beta = 0;
  problem.x = {1, 1, {{3, 0}}};
  problem.y = {2, 1, {0, 0}};
  const HostDense<Complex> transposed{2, 1, {{3, 3}, {0, 6}}}, conjugated{2, 1, {{3, -3}, {0, -6}}};
  auto errors = worst_errors<Complex>(problem, Mode::Transpose, {transposed, conjugated}, both, ignore);
  EXPECT_EQ(errors[0], 0);
  EXPECT_GT(errors[1], 1);
  errors = worst_errors<Complex>(problem, Mode::ConjugateTranspose, {transposed, conjugated}, both, ignore);
  EXPECT_GT(errors[0], 1);
  EXPECT_EQ(errors[1], 0);
}

TEST(VerifyShapes, RejectsAResultOfAnotherShape) {
  const HostDense<double> flat{1, 4, {1, 2, 3, 4}};
  EXPECT_THROW(worst_errors<double>(small_problem<double>(), Mode::NoTranspose, {flat}, native, ignore),
               std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Driver
