// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tessera/portable/Reference.hpp>

namespace Tessera::Test {

using Z = Complex<double>;
const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

// A = [1 0 2; 0 3 0], with the 2 given as two entries 0.5 + 1.5.
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

}  // namespace Tessera::Test
