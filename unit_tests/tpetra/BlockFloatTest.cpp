// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BlockVectors of float. They need no Tpetra for float unless they are converted to multivectors. Tested if Tessera is
// configured with float.
#include <gtest/gtest.h>

#ifndef TESSERA_WITHOUT_FLOAT
#include <tessera/tpetra/BlockVector_def.hpp>

#include "BlockProblem.hpp"

namespace Tessera::Impl::Test {

using FloatBlock = BlockVector<float>;
using FloatSmall = Teuchos::SerialDenseMatrix<int, float>;

/// Returns the elements on this rank, row by row.
std::vector<double> elements(const FloatBlock& block) {
  const auto view = block.getLocalView();
  const Kokkos::View<float**, Kokkos::LayoutRight, FloatBlock::memory_space> packed("packed", view.extent(0),
                                                                                    view.extent(1));
  Kokkos::deep_copy(packed, view);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
  return {host.data(), host.data() + host.size()};
}

/// Returns the sum of x(i, j) y(i, k) over the rows i of all ranks.
double sum_over_rows(const std::vector<double>& x, std::size_t x_columns, std::size_t j, const std::vector<double>& y,
                     std::size_t y_columns, std::size_t k) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i * x_columns < x.size(); ++i) sum += x[i * x_columns + j] * y[i * y_columns + k];
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_SUM, sum, Teuchos::outArg(all));
  return all;
}

class FloatBlockOn : public testing::TestWithParam<int> {
 protected:
  RCP<const Map> map = cyclic_map(GetParam());
  double tolerance = 1e-5 * (1 + GetParam());
};

TEST_P(FloatBlockOn, SumsOverRows) {
  FloatBlock X(map, 5), Y(map, 3);
  X.randomize(1);
  Y.randomize(2);
  const auto x = elements(X), y = elements(Y);
  FloatSmall C(5, 3);
  X.innerProducts(2, Y, C);
  std::vector<float> dots(5), norms(5);
  X.dot(X, dots);
  X.norm2(norms);
  for (int j = 0; j < 5; ++j) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(C(j, k), 2 * sum_over_rows(x, 5, std::size_t(j), y, 3, std::size_t(k)), tolerance);
    }
    const double square = sum_over_rows(x, 5, std::size_t(j), x, 5, std::size_t(j));
    EXPECT_NEAR(dots[std::size_t(j)], square, tolerance);
    EXPECT_NEAR(norms[std::size_t(j)], std::sqrt(square), tolerance);
  }
}

TEST_P(FloatBlockOn, UpdatesAndMultiplies) {
  FloatBlock X(map, 4), Y(map, 4);
  X.randomize(1);
  Y.randomize(2);
  const auto x = elements(X), y = elements(Y);
  Y.update(2, X, -0.5F);
  const auto updated = elements(Y);
  ASSERT_EQ(updated.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(updated[i], 2 * x[i] - 0.5 * y[i], 1e-6);
  FloatSmall B(4, 2);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) B(i, j) = float(i - 2 * j);
  const auto part = Y.subViewNonConst(Teuchos::Range1D(1, 2));
  part->multiply(1, X, B, 0);
  const auto multiplied = elements(Y);
  for (std::size_t i = 0; 4 * i < x.size(); ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double expected = updated[4 * i + j];
      if (j == 1 || j == 2) {
        expected = 0;
        for (std::size_t k = 0; k < 4; ++k) expected += x[4 * i + k] * double(B(int(k), int(j) - 1));
      }
      EXPECT_NEAR(multiplied[4 * i + j], expected, 1e-5);
    }
  }
}

TEST_P(FloatBlockOn, Orthonormalizes) {
  if (GetParam() < 5) GTEST_SKIP() << "fewer rows than columns";
  FloatBlock X(map, 5);
  X.randomize(3);
  const auto before = elements(X);
  FloatSmall R(5, 5), products(5, 5);
  EXPECT_EQ(X.orthonormalize({}, nullptr, &R), 5);
  X.innerProducts(1, X, products);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_NEAR(products(i, j), i == j ? 1 : 0, 1e-5);
  FloatBlock back(map, 5);
  back.multiply(1, X, R, 0);
  const auto after = elements(back);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Rows, FloatBlockOn, testing::Values(0, 1, 3, 127, 128, 1000));

}  // namespace Tessera::Impl::Test
#endif
