// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <tessera/dense/Orthonormalize.hpp>
#include <vector>

#include "../testing/TestTypes.hpp"

/// Blocks, and checks of orthonormalize()'s guarantees.
namespace Tessera::Impl::Test {

/// A block in device memory and its copy on the host.
template <class Exec, class Scalar>
class MirroredBlock {
 public:
  MirroredBlock(Ordinal rows, Ordinal columns) : MirroredBlock(rows, columns, columns) {}
  MirroredBlock(Ordinal rows, Ordinal columns, Ordinal stride)
      : columns_(columns), device_("block", std::size_t(rows), std::size_t(stride)), host_(create_mirror(device_)) {}

  Scalar& operator()(Ordinal i, Ordinal j) { return host_(i, j); }
  Ordinal rows() const { return Ordinal(host_.extent(0)); }
  Ordinal columns() const { return columns_; }

  /// Copies the host's elements to the device and returns the block there.
  TallBlock<Scalar> block() {
    Kokkos::deep_copy(device_, host_);
    return {device_.data(), rows(), columns_, std::ptrdiff_t(host_.extent(1)), nullptr};
  }
  void fetch() { Kokkos::deep_copy(host_, device_); }

  void fill_randomly(unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    for (Ordinal i = 0; i < rows(); ++i)
      for (Ordinal j = 0; j < Ordinal(host_.extent(1)); ++j) host_(i, j) = Scalar(normal(engine));
  }

 private:
  using View = Kokkos::View<Scalar**, Kokkos::LayoutRight, typename Exec::memory_space>;
  Ordinal columns_;
  View device_;
  typename View::host_mirror_type host_;
};

/// The results of orthonormalize() other than X.
template <class Scalar>
struct Orthonormalized {
  Ordinal rank = 0, before = 0, columns = 0;
  std::vector<Scalar> coefficients, factor;
  double c(Ordinal i, Ordinal j) const { return double(coefficients[std::size_t(i + j * before)]); }
  double r(Ordinal i, Ordinal j) const { return double(factor[std::size_t(i + j * columns)]); }
};

template <class Case>
class OrthonormalizeCheck;
template <class Exec_, class Scalar_>
class OrthonormalizeCheck<Case<Exec_, Scalar_>> : public ::testing::Test {
 public:
  using Exec = Exec_;
  using Scalar = Scalar_;
  using Block = MirroredBlock<Exec, Scalar>;
  using Function = std::function<double(Ordinal i, Ordinal j)>;

  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
  static constexpr double bound = 500 * epsilon;

  static Block random(Ordinal rows, Ordinal columns, unsigned seed = 1) {
    Block X(rows, columns);
    X.fill_randomly(seed);
    return X;
  }
  static Block made_of(Ordinal rows, Ordinal columns, const Function& element) {
    Block X(rows, columns);
    for (Ordinal i = 0; i < rows; ++i)
      for (Ordinal j = 0; j < columns; ++j) X(i, j) = Scalar(element(i, j));
    return X;
  }
  static Block copy_of(Block& X) {
    return made_of(X.rows(), X.columns(), [&](Ordinal i, Ordinal j) { return double(X(i, j)); });
  }
  static Block orthonormal(Ordinal rows, Ordinal columns, unsigned seed) {
    Block Q = random(rows, columns, seed);
    run(nullptr, Q);
    return Q;
  }

  static Orthonormalized<Scalar> run(Block* Q, Block& X, const OrthonormalizeOptions& options = {},
                                     const SumOverRanks<Scalar>& sum = {}) {
    const Exec exec;
    const DenseWorkspace<Exec> workspace;
    std::vector<TallBlock<const Scalar>> blocks;
    if (Q != nullptr) blocks.push_back(Q->block());
    const Ordinal before = Q == nullptr ? 0 : Q->columns(), k = X.columns();
    Orthonormalized<Scalar> result{0, before, k, std::vector<Scalar>(std::size_t(before * k)),
                                   std::vector<Scalar>(std::size_t(k * k))};
    const SmallMatrix<Scalar> C{result.coefficients.data(), before, k, before}, R{result.factor.data(), k, k, k};
    const TallBlock<Scalar> block = X.block();
    try {
      result.rank = orthonormalize<Exec, Scalar>(exec, workspace, blocks, block, C, R, sum, options);
    } catch (...) {
      X.fetch();
      throw;
    }
    exec.fence();
    X.fetch();
    return result;
  }

  static double dot(Block& A, Ordinal a, Block& B, Ordinal b) {
    long double sum = 0;
    for (Ordinal i = 0; i < A.rows(); ++i) sum += static_cast<long double>(A(i, a)) * B(i, b);
    return double(sum);
  }

  /// Expects columns that are 0, or orthonormal and orthogonal to Q. Returns the number of nonzero columns.
  static Ordinal expect_orthonormal(Block* Q, Block& X) {
    Ordinal present = 0;
    for (Ordinal j = 0; j < X.columns(); ++j) {
      if (dot(X, j, X, j) == 0) continue;
      ++present;
      for (Ordinal i = 0; i <= j; ++i) EXPECT_NEAR(dot(X, i, X, j), i == j ? 1 : 0, bound) << i << ", " << j;
      for (Ordinal i = 0; Q != nullptr && i < Q->columns(); ++i)
        EXPECT_NEAR(dot(*Q, i, X, j), 0, bound) << i << ", " << j;
    }
    return present;
  }

  /// Expects X0 = Q C + X R with upper triangular R, relative to the greatest element of each column of X0.
  static void expect_factors(Block& before, Block* Q, Block& X, const Orthonormalized<Scalar>& result) {
    for (Ordinal j = 0; j < X.columns(); ++j) {
      EXPECT_GE(result.r(j, j), 0);
      for (Ordinal i = j + 1; i < X.columns(); ++i) EXPECT_EQ(result.r(i, j), 0) << i << ", " << j;
      double scale = 0, greatest = 0;
      for (Ordinal i = 0; i < X.rows(); ++i) scale = std::fmax(scale, std::abs(double(before(i, j))));
      for (Ordinal i = 0; i < X.rows() && scale > 0; ++i) {
        double rest = double(before(i, j)) / scale;
        for (Ordinal l = 0; l < result.before; ++l) rest -= double((*Q)(i, l)) * (result.c(l, j) / scale);
        for (Ordinal l = 0; l < X.columns(); ++l) rest -= double(X(i, l)) * (result.r(l, j) / scale);
        greatest = std::fmax(greatest, std::abs(rest));
      }
      EXPECT_LE(greatest, bound) << "column " << j;
    }
  }

  /// Orthonormalizes a copy of X and checks all guarantees.
  static Orthonormalized<Scalar> check(Block* Q, Block X, Ordinal rank, const OrthonormalizeOptions& options = {}) {
    Block after = copy_of(X);
    const Orthonormalized<Scalar> result = run(Q, after, options);
    EXPECT_EQ(result.rank, rank);
    const Ordinal present = expect_orthonormal(Q, after);
    expect_factors(X, Q, after, result);
    Ordinal independent = 0;
    for (Ordinal j = 0; j < X.columns(); ++j) independent += result.r(j, j) > 0;
    EXPECT_EQ(independent, rank);
    const Ordinal room = std::max(X.rows() - result.before, 0);
    EXPECT_EQ(present, options.dependent == Dependent::Zero ? rank : std::min(X.columns(), room));
    return result;
  }
};

template <class Exec>
using RealCases = ::testing::Types<Case<Exec, float>, Case<Exec, double>>;

}  // namespace Tessera::Impl::Test
