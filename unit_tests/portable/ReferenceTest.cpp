// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <tessera/portable/Reference.hpp>
#include <utility>
#include <vector>

namespace Tessera::Impl::Test {

using Z = Complex<double>;
const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

// A = [1 0 2; 0 3 0], where two stored entries, 0.5 and 1.5, sum to 2.
const int row_offsets[] = {0, 3, 4};
const int columns[] = {0, 2, 2, 1};
const double values[] = {1, 0.5, 1.5, 3};
const CsrPattern<int> A{2, 3, row_offsets, columns};

TEST(Reference, ByHand) {
  const double x[] = {10, 20, 30}, y[] = {1, 2};
  const auto result = reference_column(A, values, Mode::NoTranspose, 2.0, x, 1, -1.0, y, 1);
  ASSERT_EQ(result.value.size(), 2u);
  EXPECT_EQ(result.value[0], 2 * (10 + 60) - 1);
  EXPECT_EQ(result.value[1], 2 * 60 - 2);
  const long double unit = 0x1p-53L;
  EXPECT_NEAR(double(result.bound[0] / (2 * (3 + 2) * unit * (2 * 70 + 1))), 1.0, 1e-12);
  EXPECT_NEAR(double(result.bound[1] / (2 * (1 + 2) * unit * (2 * 60 + 2))), 1.0, 1e-12);
}

TEST(Reference, TransposeByHand) {
  const double x[] = {10, -1, 20}, y[] = {nan, nan, nan};
  const auto result = reference_column(A, values, Mode::Transpose, 1.0, x, 2, 0.0, y, 1);
  EXPECT_EQ(result.value, (std::vector<long double>{10, 60, 20}));
}

TEST(Reference, ConjugatesTheMatrixAlone) {
  const int offsets[] = {0, 1};
  const int column[] = {0};
  const Z value[] = {{1, 2}}, x[] = {{3, 4}}, y[] = {{0, 0}};
  const CsrPattern<int> one{1, 1, offsets, column};
  const auto at = [&](Mode mode) { return reference_column(one, value, mode, Z(0, 1), x, 1, Z(0), y, 1).value[0]; };
  EXPECT_TRUE(at(Mode::NoTranspose) == (Complex<long double>{-10, -5}));  // i (1 + 2i)(3 + 4i)
  EXPECT_TRUE(at(Mode::Transpose) == (Complex<long double>{-10, -5}));
  EXPECT_TRUE(at(Mode::Conjugate) == (Complex<long double>{2, 11}));  // i (1 - 2i)(3 + 4i)
  EXPECT_TRUE(at(Mode::ConjugateTranspose) == (Complex<long double>{2, 11}));
}

TEST(Reference, AlphaZeroReadsNeitherMatrixNorX) {
  const double x[] = {nan, nan, nan}, y[] = {3, 4};
  const auto result = reference_column(A, static_cast<const double*>(nullptr), Mode::NoTranspose, 0.0, x, 1, 2.0, y, 1);
  EXPECT_EQ(result.value, (std::vector<long double>{6, 8}));
}

TEST(Reference, ErrorIsRelativeToTheBound) {
  const double x[] = {10, 20, 30}, y[] = {0, 0};
  auto result = reference_column(A, values, Mode::NoTranspose, 1.0, x, 1, 0.0, y, 1);
  const double exact[] = {70, 60};
  EXPECT_EQ(result.worst_error(exact, 1), 0);
  const double rounded[] = {70 * (1 + 0x1p-52), 60};
  EXPECT_GT(result.worst_error(rounded, 1), 0.1);
  EXPECT_LE(result.worst_error(rounded, 1), 1);
  const double dropped[] = {70, 60.0000001};
  EXPECT_GT(result.worst_error(dropped, 1), 1);
  const double not_a_number[] = {70, nan};
  EXPECT_EQ(result.worst_error(not_a_number, 1), infinity);
  const double infinite[] = {70, infinity};
  EXPECT_EQ(result.worst_error(infinite, 1), infinity);
}

TEST(Reference, NonFiniteResultsMustAgree) {
  const double x[] = {infinity, 20, 30}, y[] = {0, 0};
  const auto result = reference_column(A, values, Mode::NoTranspose, 1.0, x, 1, 0.0, y, 1);
  const double right[] = {infinity, 60}, wrong[] = {-infinity, 60}, contaminated[] = {infinity, nan};
  EXPECT_EQ(result.worst_error(right, 1), 0);
  EXPECT_EQ(result.worst_error(wrong, 1), infinity);
  EXPECT_EQ(result.worst_error(contaminated, 1), infinity);
}

/// A row of n equal entries times equal elements.
struct EqualEntries {
  std::vector<int> offsets, column_indices;
  std::vector<double> values, x;

  EqualEntries(int n, double value, double x_element)
      : offsets{0, n}, column_indices(n), values(n, value), x(n, x_element) {
    std::iota(column_indices.begin(), column_indices.end(), 0);
  }
  auto reference(double alpha, double beta, double y) const {
    const CsrPattern<int> row{1, offsets[1], offsets.data(), column_indices.data()};
    return reference_column(row, values.data(), Mode::NoTranspose, alpha, x.data(), 1, beta, &y, 1);
  }
};

TEST(Reference, WhatOverflowsMayBeNoNumber) {
  const EqualEntries sum(4, 1e308, 1), product(1, 2, 3), cancelled(1, 1e-300, 1e300);
  const std::pair<const char*, ReferenceColumn<double>> overflowing[] = {
      {"the sum", sum.reference(1, 0, 0)},
      {"the sum, although alpha makes it small", sum.reference(1e-300, 0, 0)},
      {"the terms, although they cancel", product.reference(1e308, -1e308, 6)},
      {"alpha x, although A makes it small", cancelled.reference(1e300, 0, 0)},
      {"rounding up", product.reference(std::numeric_limits<double>::max() / 6, 0, 0)}};
  for (const auto& [what, reference] : overflowing) {
    for (const double y : {infinity, -infinity, nan}) EXPECT_EQ(reference.worst_error(&y, 1), 0) << what;
  }
  const double large = std::numeric_limits<double>::max(), exact = 1e300;
  EXPECT_GT(sum.reference(1, 0, 0).worst_error(&large, 1), 1) << "a number, and a wrong one";
  EXPECT_LE(cancelled.reference(1e300, 0, 0).worst_error(&exact, 1), 1);
  EXPECT_EQ(product.reference(1e307, 0, 0).worst_error(&infinity, 1), infinity) << "nothing overflows";
}

TEST(Reference, ComplexOverflowMayBeNoNumber) {
  const int offsets[] = {0, 1}, column[] = {0};
  const Z value[] = {{1e200, 0}}, x[] = {{0, 1e200}}, y[] = {{0, 0}};
  const auto result =
      reference_column(CsrPattern<int>{1, 1, offsets, column}, value, Mode::NoTranspose, Z(1), x, 1, Z(0), y, 1);
  const Z overflowed[] = {{nan, infinity}}, finite[] = {{0, 1e300}};
  EXPECT_EQ(result.worst_error(overflowed, 1), 0);
  EXPECT_GT(result.worst_error(finite, 1), 1);
}

/// A product below the smallest normal number has few digits or is 0, and its error may be amplified.
TEST(Reference, UnderflowMayBeAmplified) {
  const double a = 1e-300, x = 1.23e-20, large = 1e300;
  const double rounded = large * (a * x), lost = 0;
  EXPECT_LE(EqualEntries(1, a, x).reference(large, 0, 0).worst_error(&rounded, 1), 1);
  EXPECT_LE(EqualEntries(1, a, x).reference(large, 0, 0).worst_error(&lost, 1), 1);
  EXPECT_LE(EqualEntries(1, large, x).reference(a, 0, 0).worst_error(&rounded, 1), 1) << "alpha x, then times A";
  EXPECT_GT(EqualEntries(1, 1, x).reference(1, 0, 0).worst_error(&lost, 1), 1) << "nothing underflows";
}

/// Returns the error of Y = 3 (a x), relative to its bound. a is a row of ones; operands have the error `rounding`.
template <class Scalar>
double error_of_rounding(Precision precision, double rounding, int entries) {
  const std::vector<int> offsets{0, entries}, column(static_cast<std::size_t>(entries), 0);
  const std::vector<Scalar> ones(static_cast<std::size_t>(entries), 1);
  const CsrPattern<int> row{1, 1, offsets.data(), column.data()};
  const Scalar x[] = {1}, y[] = {static_cast<Scalar>(3 * entries * (1 + rounding) * (1 + rounding))};
  auto reference = reference_column(row, ones.data(), Mode::NoTranspose, Scalar(3), x, 1, Scalar(0), y, 1);
  widen_bound(reference, precision, row, ones.data(), Mode::NoTranspose, Scalar(3), x, 1);
  return reference.worst_error(y, 1);
}

TEST(Reference, APrecisionMayRoundItsOperandsOnce) {
  for (const int entries : {1, 7, 1000}) {
    for (const Precision precision : {Precision::Tf32, Precision::Bf16, Precision::Fp16}) {
      const double unit = operand_rounding(precision).unit;
      EXPECT_LE(error_of_rounding<double>(precision, unit, entries), 1) << to_string(precision);
      EXPECT_GT(error_of_rounding<double>(Precision::Native, unit, entries), 1) << to_string(precision);
      EXPECT_LE(error_of_rounding<float>(precision, unit, entries), 1) << to_string(precision);
      EXPECT_GT(error_of_rounding<float>(precision, 2 * unit, entries), 1) << to_string(precision) << entries;
      EXPECT_GT(error_of_rounding<double>(precision, 2 * unit, entries), 1) << to_string(precision) << entries;
      EXPECT_GT(error_of_rounding<float>(Precision::Tf32x3, unit, entries), 1) << to_string(precision);
    }
  }
}

TEST(Reference, BoundsOfPrecisionsByHand) {
  const float floats[] = {1, 0.5f, 1.5f, 3}, x[] = {10, 20, 30}, y[] = {1, 2};
  const auto bounds = [&](Precision precision, Mode mode, float alpha) {
    auto reference = reference_column(A, floats, mode, alpha, x, 1, -1.0f, y, 1);
    widen_bound(reference, precision, A, floats, mode, alpha, x, 1);
    return reference.bound;
  };
  const auto expect = [&](Mode mode, std::size_t row, double native, double products, double operands) {
    EXPECT_NEAR(double(bounds(Precision::Native, mode, 2)[row]) / native, 1, 1e-6);
    EXPECT_NEAR(double(bounds(Precision::Tf32x3, mode, 2)[row]) / (2 * native), 1, 1e-6);
    EXPECT_NEAR(double(bounds(Precision::Fp16, mode, 2)[row]) /
                    (2 * native + 2 * (2.01 * 0x1p-11 * products + 0x1p-25 * operands)),
                1, 1e-6);
  };
  expect(Mode::NoTranspose, 0, 2 * 5 * 0x1p-24 * (2 * 70 + 1), 70, 3 + 70);
  expect(Mode::NoTranspose, 1, 2 * 3 * 0x1p-24 * (2 * 60 + 2), 60, 3 + 20);
  // If alpha is 0, X is not read.
  EXPECT_EQ(bounds(Precision::Bf16, Mode::NoTranspose, 0)[0], 2 * bounds(Precision::Native, Mode::NoTranspose, 0)[0]);
}

TEST(Reference, BoundsOfPrecisionsOfTheTranspose) {
  const float floats[] = {1, 0.5f, 1.5f, 3}, x[] = {10, 20}, y[] = {0, 0, 0};
  auto reference = reference_column(A, floats, Mode::Transpose, 1.0f, x, 1, 0.0f, y, 1);
  const auto native = reference.bound;
  widen_bound(reference, Precision::Bf16, A, floats, Mode::Transpose, 1.0f, x, 1);
  const double products[] = {10, 60, 20};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(double(reference.bound[i]) / (2 * double(native[i]) + 2.01 * 0x1p-8 * products[i]), 1, 1e-6);
}

// Underflow of an operand in FP16, and of a product that is summed in binary32.
TEST(Reference, PrecisionsLoseSmallNumbers) {
  const int offsets[] = {0, 1}, column[] = {0};
  const CsrPattern<int> one{1, 1, offsets, column};
  const auto error = [&](Precision precision, double a, double x, double computed) {
    const double none[] = {0};
    auto reference = reference_column(one, &a, Mode::NoTranspose, 1e5, &x, 1, 0.0, none, 1);
    widen_bound(reference, precision, one, &a, Mode::NoTranspose, 1e5, &x, 1);
    return reference.worst_error(&computed, 1);
  };
  EXPECT_LE(error(Precision::Fp16, 0x1p-26, 1, 0), 1);
  EXPECT_GT(error(Precision::Fp16, 0x1p-24, 1, 0), 1);
  EXPECT_LE(error(Precision::Bf16, 0x1p-70, 0x1p-70, 0), 1);
  EXPECT_GT(error(Precision::Bf16, 0x1p-60, 0x1p-60, 0), 1);
}

}  // namespace Tessera::Impl::Test
