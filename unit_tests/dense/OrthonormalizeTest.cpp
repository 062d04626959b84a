// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <tessera/dense/Orthonormalize.hpp>
#include <vector>

#include "../testing/TestTypes.hpp"

namespace Tessera::Test {
namespace {

/// A block in the memory of the device, and the same numbers on the host.
template <class Exec, class Scalar>
class Tall {
 public:
  Tall(Ordinal rows, Ordinal columns) : Tall(rows, columns, columns) {}
  Tall(Ordinal rows, Ordinal columns, Ordinal stride)
      : columns_(columns), device_("block", std::size_t(rows), std::size_t(stride)), host_(create_mirror(device_)) {}

  Scalar& operator()(Ordinal i, Ordinal j) { return host_(i, j); }
  Ordinal rows() const { return Ordinal(host_.extent(0)); }
  Ordinal columns() const { return columns_; }

  /// As it is in the host's memory, copied to the device.
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

/// What orthonormalize() returns besides X.
template <class Scalar>
struct Result {
  Ordinal rank = 0, before = 0, columns = 0;
  std::vector<Scalar> coefficients, factor;
  double c(Ordinal i, Ordinal j) const { return double(coefficients[std::size_t(i + j * before)]); }
  double r(Ordinal i, Ordinal j) const { return double(factor[std::size_t(i + j * columns)]); }
};

template <class Case>
class OrthonormalizeTest;
template <class Exec_, class Scalar_>
class OrthonormalizeTest<Case<Exec_, Scalar_>> : public ::testing::Test {
 public:
  using Exec = Exec_;
  using Scalar = Scalar_;
  using Block = Tall<Exec, Scalar>;
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

  static Result<Scalar> run(Block* Q, Block& X, const OrthonormalizeOptions& options = {},
                            const SumOverRanks<Scalar>& sum = {}) {
    const Exec exec;
    const DenseWorkspace<Exec> workspace;
    std::vector<TallBlock<const Scalar>> blocks;
    if (Q != nullptr) blocks.push_back(Q->block());
    const Ordinal before = Q == nullptr ? 0 : Q->columns(), k = X.columns();
    Result<Scalar> result{0, before, k, std::vector<Scalar>(std::size_t(before * k)),
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

  /// Columns are orthonormal or 0, and orthogonal to Q. Returns the number of those that are not 0.
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

  /// X0 = Q C + X R with R upper triangular, relative to the greatest element of each column of X0.
  static void expect_factors(Block& before, Block* Q, Block& X, const Result<Scalar>& result) {
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

  /// Orthonormalizes a copy of X and checks all that is promised.
  static Result<Scalar> check(Block* Q, Block X, Ordinal rank, const OrthonormalizeOptions& options = {}) {
    Block after = copy_of(X);
    const Result<Scalar> result = run(Q, after, options);
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
  // Each column is the first and a tenth as much of something new as the column before: condition 1e15 for doubles.
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
  // Columns 3 and 5 depend on those before, 6 is 0.
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
  // Two ranks with the same rows.
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

TYPED_TEST(OrthonormalizeTest, RefusesWhatIsNotFinite) {
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

TYPED_TEST(OrthonormalizeTest, RefusesFactorsOfAnotherShape) {
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
}  // namespace Tessera::Test
