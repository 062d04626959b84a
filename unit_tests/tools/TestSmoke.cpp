// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../tools/tessera_smoke/Check.hpp"

namespace Tessera::Impl::Smoke {
namespace {

/// 2 x 3, with the entries 2, 3 and -1.
HostCsr<double> small_matrix() { return {2, 3, {0, 2, 3}, {0, 2, 1}, {2, 3, -1}}; }

TEST(Smoke, ReferenceIsTheProduct) {
  const HostCsr<double> A = small_matrix();
  const Reference y = reference<double>(A, A.values, Mode::NoTranspose, 2, {1, 10, 2, 20, 3, 30});
  EXPECT_EQ(y.sums, (std::vector<std::complex<double>>{11, 110, -2, -20}));
  EXPECT_EQ(y.magnitudes, (std::vector<double>{11, 110, 2, 20}));
  EXPECT_EQ(y.lengths, (std::vector<int>{2, 1}));
  using Complex = Kokkos::complex<double>;
  const Reference t = reference<Complex>(A, {{0, 2}, {3, 0}, {-1, 0}}, Mode::ConjugateTranspose, 1, {{1, 0}, {5, 0}});
  EXPECT_EQ(t.sums, (std::vector<std::complex<double>>{{0, -2}, -5, 3}));
}

TEST(Smoke, ErrorsAreComparedWithTheirBounds) {
  const HostCsr<double> A = small_matrix();
  const Reference expected = reference<float>(A, {2, 3, -1}, Mode::NoTranspose, 1, {1, 2, 3});
  EXPECT_EQ(error_over_bound<float>(expected, 1, {11, -2}), 0);
  const float unit = std::numeric_limits<float>::epsilon() / 2;
  EXPECT_NEAR(error_over_bound<float>(expected, 1, {11 + 16 * 11 * unit, -2}), 1, 0.1);
  EXPECT_GT(error_over_bound<float>(expected, 1, {11, -2.001f}), 1);
  EXPECT_TRUE(std::isinf(error_over_bound<float>(expected, 1, {std::numeric_limits<float>::quiet_NaN(), -2})));
  Check check;
  EXPECT_TRUE(check.is_right());
  check.error = 1.5;
  EXPECT_FALSE(check.is_right());
  check = {};
  check.failure = "no memory";
  EXPECT_FALSE(check.is_right());
}

}  // namespace
}  // namespace Tessera::Impl::Smoke
