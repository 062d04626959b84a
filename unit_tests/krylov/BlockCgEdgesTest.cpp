// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// block_cg() on problems with little to solve, and on problems that cannot be solved.
#include <deque>
#include <stdexcept>

#include "Instances.hpp"
#include "LinearSystem.hpp"

namespace Tessera::Impl::Test {
namespace {

template <class Case>
class BlockCgEdgesTest : public BlockCgTest<Case> {};
TYPED_TEST_SUITE(BlockCgEdgesTest, EverySpace<RealCases>::type);

TYPED_TEST(BlockCgEdgesTest, MoreColumnsThanRows) {
  const auto A = this->rounded(positive_definite(5, 10));
  const auto B = this->rounded(random_matrix(5, 12, 3));
  auto options = this->options();
  options.keeps_history = true;
  const auto solution = this->solve(A, B, options);
  this->expect_solved(A, B, solution, 10);
  EXPECT_EQ(solution.result.history.front().directions, 5);
}

TYPED_TEST(BlockCgEdgesTest, NoRows) {
  const HostDenseMatrix nothing(0, 0);
  const auto solution = this->solve(nothing, HostDenseMatrix(0, 3), this->options());
  EXPECT_TRUE(solution.result.has_converged);
  EXPECT_EQ(solution.result.iterations, 0);
  EXPECT_EQ(solution.result.residuals, std::vector<double>(3));
}

TYPED_TEST(BlockCgEdgesTest, NoColumns) {
  const auto A = this->rounded(positive_definite(5, 10));
  const auto solution = this->solve(A, HostDenseMatrix(5, 0), this->options());
  EXPECT_TRUE(solution.result.has_converged);
  EXPECT_EQ(solution.calls, 0);
  EXPECT_TRUE(solution.result.residuals.empty());
}

TYPED_TEST(BlockCgEdgesTest, ColumnsOfZeros) {
  const auto A = this->rounded(positive_definite(60, 10));
  auto B = this->rounded(random_matrix(60, 4, 3));
  for (int i = 0; i < 60; ++i) B(i, 0) = B(i, 2) = 0;
  const auto solution = this->solve(A, B, this->options(), random_matrix(60, 4, 5));
  EXPECT_TRUE(solution.result.has_converged);
  const auto expected = solve_directly(A, B);
  for (int i = 0; i < 60; ++i) {
    for (const int j : {0, 2}) EXPECT_EQ(solution.X(i, j), 0);
    for (const int j : {1, 3}) EXPECT_NEAR(solution.X(i, j), expected(i, j), 100 * this->tolerance);
  }
  EXPECT_EQ(solution.result.residuals[0], 0);
  const auto all = this->solve(A, HostDenseMatrix(60, 3), this->options(), random_matrix(60, 3, 5));
  EXPECT_TRUE(all.result.has_converged);
  EXPECT_EQ(all.result.iterations, 0);
  EXPECT_EQ(all.X.elements, std::vector<double>(180));
}

TYPED_TEST(BlockCgEdgesTest, ColumnsOfAllSizes) {
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(60, 10));
  const auto C = random_matrix(60, 5, 3);
  const double great = 0.001 * double(std::numeric_limits<Scalar>::max());
  const double small = 1000 * double(std::numeric_limits<Scalar>::min());
  const double sizes[] = {1, great, small, 1e-15, 1e12};
  HostDenseMatrix B(60, 5);
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 5; ++j) B(i, j) = sizes[j] * C(i, j);
  B = this->rounded(B);
  const auto solution = this->solve(A, B, this->options());
  EXPECT_TRUE(solution.result.has_converged);
  for (int j = 0; j < 5; ++j)
    EXPECT_LE(residual_of_column(A, B, solution.X, j), this->tolerance + 100 * this->epsilon) << "column " << j;
}

/// Guesses so large that scaling them or squaring their residuals overflows, or that rounding errors exceed b. Results
/// must not be worse than from a guess of 0, and other columns must not be affected.
TYPED_TEST(BlockCgEdgesTest, GuessesThatAreUseless) {
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(60, 10));
  const double most = double(std::numeric_limits<Scalar>::max()), least = double(std::numeric_limits<Scalar>::min());
  const double right_sides[] = {1, 1e6 * least, 1, 1, 1e6 * least, 1e-3 * most};
  const double guesses[] = {1, 1e-3 * most, 1e-3 * most, 1e6 / this->epsilon, 1e6 * least, least};
  const auto C = random_matrix(60, 6, 3), D = random_matrix(60, 6, 5);
  for (const bool with_zeros : {false, true}) {
    HostDenseMatrix B(60, 6), guess(60, 6);
    for (int i = 0; i < 60; ++i) {
      for (int j = 0; j < 6; ++j) {
        B(i, j) = with_zeros && j == 2 ? 0 : right_sides[j] * C(i, j);
        guess(i, j) = guesses[j] * D(i, j);
      }
    }
    B = this->rounded(B);
    const auto solution = this->solve(A, B, this->options(), this->rounded(guess));
    EXPECT_TRUE(solution.result.has_converged) << to_string(solution.result.stop);
    for (int j = 0; j < 6; ++j) {
      if (with_zeros && j == 2) {
        EXPECT_EQ(norm_of_column(solution.X, j), 0);
      } else {
        EXPECT_LE(residual_of_column(A, B, solution.X, j), this->tolerance + 100 * this->epsilon) << "column " << j;
      }
    }
  }
}

/// A useless guess becomes 0, and the next column keeps its own.
TYPED_TEST(BlockCgEdgesTest, AUselessGuessLeavesOthersAlone) {
  const auto A = this->rounded(positive_definite(60, 10));
  const auto B = this->rounded(random_matrix(60, 3, 3));
  auto guess = random_matrix(60, 3, 5);
  for (int i = 0; i < 60; ++i) {
    guess(i, 1) *= 1e6 / this->epsilon;
    guess(i, 2) *= 1000;
  }
  guess = this->rounded(guess);
  auto options = this->options();
  options.max_iterations = 0;
  const auto solution = this->solve(A, B, options, guess);
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(solution.X(i, 0), guess(i, 0));
    EXPECT_EQ(solution.X(i, 1), 0);
    EXPECT_EQ(solution.X(i, 2), guess(i, 2));
  }
  EXPECT_NEAR(solution.result.residuals[1], 1, 1e-3);
  EXPECT_GT(solution.result.residuals[2], 100);
}

/// A guess that is merely bad is used: the first residuals are the guess's.
TYPED_TEST(BlockCgEdgesTest, BadGuessesAreTaken) {
  const auto A = this->rounded(positive_definite(60, 10));
  const auto B = this->rounded(random_matrix(60, 2, 3));
  auto guess = random_matrix(60, 2, 5);
  for (double& element : guess.elements) element *= 1000;
  auto options = this->options();
  options.max_iterations = 0;
  const auto solution = this->solve(A, B, options, this->rounded(guess));
  EXPECT_EQ(solution.X.elements, this->rounded(guess).elements);
  for (int j = 0; j < 2; ++j) EXPECT_GT(solution.result.residuals[std::size_t(j)], 100);
}

/// If directions are dropped, the residuals must include their small components.
TYPED_TEST(BlockCgEdgesTest, ResidualsCountWhatIsLeftOut) {
  const auto A = this->rounded(positive_definite(30, 1e4));
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto B = this->rounded(random_matrix(30, 4, seed));
    for (const int restarts : {-1, 0, 3}) {
      auto options = this->options();
      options.dependence = 0.1;
      options.max_restarts = restarts;
      const auto solution = this->solve(A, B, options);
      for (int j = 0; j < 4; ++j) {
        const double residual = residual_of_column(A, B, solution.X, j);
        EXPECT_LE(residual, 1 + 100 * this->epsilon) << "seed " << seed << ", " << restarts << " restarts";
        EXPECT_LE(residual, 2 * solution.result.residuals[std::size_t(j)] + 1e4 * this->epsilon);
      }
    }
  }
}

/// The solution overflows, or is so small that few digits remain, although A and B are ordinary numbers.
TYPED_TEST(BlockCgEdgesTest, SolutionsThatXCannotHold) {
  using Exec = typename TestFixture::Exec;
  using Limits = std::numeric_limits<typename TestFixture::Scalar>;
  const double most = double(Limits::max()), least = double(Limits::min());
  HostDenseMatrix A(1, 1), B(1, 1), guess(1, 1);
  guess(0, 0) = 1;
  A(0, 0) = std::sqrt(least);
  B(0, 0) = 0.1 * most;
  typename TestFixture::Product product(this->rounded(A));
  const typename TestFixture::template Device<Kokkos::LayoutLeft> b(B), x(guess);
  EXPECT_THROW(block_cg(Exec(), product, b.view, x.view, this->options()), std::runtime_error);
  EXPECT_EQ(x.get()(0, 0), 1);
  A(0, 0) = 3 / this->epsilon;
  B(0, 0) = 4 * least;
  const auto tiny = this->solve(this->rounded(A), this->rounded(B), this->options());
  EXPECT_FALSE(tiny.result.has_converged);
  EXPECT_GT(tiny.result.residuals[0], this->tolerance);
}

TYPED_TEST(BlockCgEdgesTest, NumbersThatAreNotFiniteAreRejected) {
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(30, 10));
  for (const double bad : {std::nan(""), double(std::numeric_limits<Scalar>::infinity())}) {
    for (const bool is_guess : {false, true}) {
      auto B = random_matrix(30, 3, 3), guess = this->rounded(random_matrix(30, 3, 5));
      (is_guess ? guess : B)(17, 1) = bad;
      typename TestFixture::Product product(A);
      const typename TestFixture::template Device<Kokkos::LayoutLeft> b(B), x(guess);
      try {
        block_cg(typename TestFixture::Exec(), product, b.view, x.view, this->options());
        FAIL() << "expected an exception";
      } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find(is_guess ? "column 1 of X" : "column 1 of B"), std::string::npos)
            << error.what();
      }
      EXPECT_EQ(product.calls, 0);
      const auto after = x.get();
      for (int i = 0; i < 30; ++i) EXPECT_EQ(after(i, 2), guess(i, 2));
    }
  }
}

TYPED_TEST(BlockCgEdgesTest, ProductsThatAreNotFiniteAreReported) {
  auto A = positive_definite(30, 10);
  A(3, 3) = std::nan("");
  const auto B = random_matrix(30, 3, 3);
  EXPECT_THROW(this->solve(A, B, this->options()), std::runtime_error);
  const auto good = positive_definite(30, 10);
  EXPECT_THROW(this->solve(good, A, B, this->options()), std::runtime_error) << "as a preconditioner";
  typename TestFixture::Product product(A);
  const auto guess = this->rounded(random_matrix(30, 3, 4));
  const typename TestFixture::template Device<Kokkos::LayoutLeft> b(B), x(guess);
  EXPECT_THROW(block_cg(typename TestFixture::Exec(), product, b.view, x.view, this->options()), std::runtime_error);
  EXPECT_EQ(x.get().elements, guess.elements);
}

TYPED_TEST(BlockCgEdgesTest, MatricesThatAreNotPositiveDefinite) {
  std::vector<double> eigenvalues;
  for (int i = 0; i < 50; ++i) eigenvalues.push_back(i == 20 ? -5 : 1 + i % 10);
  const auto indefinite = with_eigenvalues(eigenvalues);
  for (double& value : eigenvalues) value = -1;
  const auto negative = with_eigenvalues(eigenvalues);
  const auto good = positive_definite(50, 10);
  const auto B = random_matrix(50, 3, 3);
  for (const auto& bad : {indefinite, negative, HostDenseMatrix(50, 50)}) {
    const auto solution = this->solve(bad, B, this->options());
    EXPECT_FALSE(solution.result.has_converged);
    EXPECT_EQ(solution.result.stop, BlockCgStop::MatrixNotPositiveDefinite);
    for (const double x : solution.X.elements) EXPECT_TRUE(std::isfinite(x));
  }
  for (const auto& bad : {negative, HostDenseMatrix(50, 50)}) {
    const auto solution = this->solve(good, bad, B, this->options());
    EXPECT_EQ(solution.result.stop, BlockCgStop::PreconditionerNotPositiveDefinite);
    EXPECT_EQ(solution.X.elements, std::vector<double>(150));
  }
}

TYPED_TEST(BlockCgEdgesTest, IterationsRunOut) {
  const auto A = this->rounded(positive_definite(100, 100));
  const auto B = this->rounded(random_matrix(100, 3, 3));
  auto options = this->options();
  options.keeps_history = true;
  for (const int most : {0, 1, 4}) {
    options.max_iterations = most;
    const auto solution = this->solve(A, B, options);
    EXPECT_FALSE(solution.result.has_converged);
    EXPECT_EQ(solution.result.stop, BlockCgStop::MaxIterations);
    EXPECT_EQ(solution.result.iterations, most);
    EXPECT_EQ(int(solution.result.history.size()), most);
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(solution.result.residuals[std::size_t(j)], residual_of_column(A, B, solution.X, j),
                  1000 * this->epsilon)
          << "the last iterate is there, and its residual";
  }
}

/// Residuals of an ill-conditioned system rise and fall. With any limit on iterations, X is the best iterate so far,
/// and not worse than the guess.
TYPED_TEST(BlockCgEdgesTest, XIsTheBestIterate) {
  const auto A = this->rounded(positive_definite(100, this->is_double ? 1e8 : 1e4));
  const auto B = this->rounded(random_matrix(100, 3, 3)), guess = this->rounded(random_matrix(100, 3, 8));
  auto options = this->options();
  std::vector<double> best;
  for (int j = 0; j < 3; ++j) best.push_back(residual_of_column(A, B, guess, j));
  bool has_risen = false;
  for (int most = 1; most < 40; ++most) {
    options.max_iterations = most;
    options.keeps_history = true;
    const auto solution = this->solve(A, B, options, guess);
    for (int j = 0; j < 3; ++j) {
      const double residual = residual_of_column(A, B, solution.X, j),
                   rounding = 1e4 * this->epsilon * best[std::size_t(j)];
      EXPECT_LE(residual, best[std::size_t(j)] + rounding) << most << " iterations, column " << j;
      EXPECT_NEAR(solution.result.residuals[std::size_t(j)], residual, rounding);
      has_risen = has_risen || solution.result.history.back().residuals[std::size_t(j)] > 2 * residual;
      best[std::size_t(j)] = std::min(best[std::size_t(j)], residual);
    }
  }
  EXPECT_TRUE(has_risen) << "the last iterate is the best: nothing was tested";
}

/// Residuals that fall so far in one iteration that the next Gram matrix cannot be predicted from products before it:
/// its terms cancel. The recurrence must know the residuals nevertheless.
TYPED_TEST(BlockCgEdgesTest, ResidualsThatFallAtOnce) {
  using Scalar = typename TestFixture::Scalar;
  for (const double fall : this->is_double ? std::vector<double>{1e-4, 1e-6, 1e-7} : std::vector<double>{1e-2, 2e-3}) {
    std::vector<double> eigenvalues;
    for (int i = 0; i < 60; ++i) eigenvalues.push_back(1 + fall * (i % 7) / 7);
    const auto A = this->rounded(with_eigenvalues(eigenvalues));
    const auto B = this->rounded(random_matrix(60, 3, 3));
    auto options = this->options();
    options.sums = BlockCgSums::Once;
    int sums = 0;
    options.sum_over_ranks = [&](Scalar*, Ordinal) { ++sums; };
    options.max_restarts = -1;
    double least = 1;
    for (int most = 1; most <= 2; ++most) {
      sums = 0;
      options.max_iterations = most;
      const auto solution = this->solve(A, B, options);
      ASSERT_EQ(solution.result.iterations, most);
      for (int j = 0; j < 3; ++j) {
        const double residual = residual_of_column(A, B, solution.X, j);
        EXPECT_NEAR(solution.result.residuals[std::size_t(j)], residual, 1e-4 * residual + 50 * this->epsilon)
            << fall << ", iteration " << most << ", column " << j;
        least = std::min(least, residual);
      }
      EXPECT_GT(sums, 3 + most) << "an iteration computes the Gram matrix again";
    }
    EXPECT_LT(least, fall);
    options = this->options();
    options.sums = BlockCgSums::Once;
    options.sum_over_ranks = [](Scalar*, Ordinal) {};
    this->expect_solved(A, B, this->solve(A, B, options), 5);
  }
}

/// P^T A P can be represented, but the squares of A P overflow or underflow.
TYPED_TEST(BlockCgEdgesTest, SquaresOfProductsOverflow) {
  using Scalar = typename TestFixture::Scalar;
  const auto B = this->rounded(random_matrix(60, 3, 3));
  const auto unscaled = this->rounded(positive_definite(60, 10));
  auto options = this->options();
  options.sum_over_ranks = [](Scalar*, Ordinal) {};
  const auto expected = this->solve(unscaled, B, options);
  // With the last two, only the least significant digits of the squares are lost.
  for (const int exponent :
       {std::numeric_limits<Scalar>::max_exponent * 5 / 8, std::numeric_limits<Scalar>::min_exponent * 5 / 8,
        std::numeric_limits<Scalar>::min_exponent / 2 - 2, std::numeric_limits<Scalar>::min_exponent / 2 - 6}) {
    auto A = unscaled;
    for (double& element : A.elements) element = std::ldexp(element, exponent);
    const auto solution = this->solve(A, B, options);
    EXPECT_TRUE(solution.result.has_converged) << to_string(solution.result.stop);
    EXPECT_NEAR(solution.result.iterations, expected.result.iterations, 1) << "2^" << exponent;
    for (int j = 0; j < 3; ++j)
      EXPECT_LE(residual_of_column(A, B, solution.X, j), this->tolerance + 500 * this->epsilon) << "2^" << exponent;
  }
}

/// Computes A P or, from `least` columns on, S P with a non-symmetric matrix S, for which CG makes no progress.
template <class Exec, class Scalar>
struct SkewProduct : DenseProduct<Exec, Scalar> {
  DenseProduct<Exec, Scalar> skew;
  int least;
  SkewProduct(const HostDenseMatrix& A, const HostDenseMatrix& skewed, int least_)
      : DenseProduct<Exec, Scalar>(A), skew(skewed), least(least_) {}
  template <class PView, class QView>
  void operator()(const PView& P, const QView& Q) {
    if (int(P.extent(1)) >= least) {
      skew(P, Q);
    } else {
      DenseProduct<Exec, Scalar>::operator()(P, Q);
    }
  }
};

TYPED_TEST(BlockCgEdgesTest, WhatStagnatesGoesOnColumnByColumn) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(30, 10));
  auto skewed = A;
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < i; ++j) {
      skewed(i, j) += 3 + i % 3;
      skewed(j, i) -= 3 + i % 3;
    }
  const auto B = this->rounded(random_matrix(30, 3, 3));
  auto options = this->options();
  options.max_iterations = 20000;
  for (const int least : {2, 1}) {
    SkewProduct<Exec, Scalar> product(A, this->rounded(skewed), least);
    const typename TestFixture::template Device<Kokkos::LayoutLeft> b(B), x(HostDenseMatrix(30, 3));
    const auto result = block_cg(Exec(), product, b.view, x.view, options);
    EXPECT_EQ(result.columns_alone, 3);
    if (least == 2) {
      this->expect_solved(A, B, {result, x.get()}, 10);
      EXPECT_EQ(advice(result), "");
    } else {
      EXPECT_FALSE(result.has_converged);
      EXPECT_EQ(result.stop, BlockCgStop::Stagnation);
      EXPECT_LT(result.iterations, options.max_iterations);
      EXPECT_NE(advice(result).find("preconditioner"), std::string::npos) << advice(result);
      for (int j = 0; j < 3; ++j) EXPECT_LE(residual_of_column(skewed, B, x.get(), j), 1 + 100 * this->epsilon);
    }
  }
}

/// A product with an error of one percent in some calls, so residuals drift from their recurrence.
template <class Exec, class Scalar>
struct WrongProduct : DenseProduct<Exec, Scalar> {
  int first, last;
  WrongProduct(const HostDenseMatrix& A, int first_, int last_)
      : DenseProduct<Exec, Scalar>(A), first(first_), last(last_) {}
  template <class PView, class QView>
  void operator()(const PView& P, const QView& Q) {
    DenseProduct<Exec, Scalar>::operator()(P, Q);
    if (this->calls >= first && this->calls < last) spoil(Q);
  }
  template <class QView>
  static void spoil(const QView& Q) {
    Kokkos::parallel_for(
        "spoil", Kokkos::RangePolicy<Exec>(0, int(Q.extent(0))), KOKKOS_LAMBDA(int i) {
          for (int j = 0; j < int(Q.extent(1)); ++j) Q(i, j) *= i % 2 == 0 ? Scalar(1.01) : Scalar(0.99);
        });
  }
};

TYPED_TEST(BlockCgEdgesTest, StartsAgainWhereResidualsHaveDrifted) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(100, 30));
  const auto B = this->rounded(random_matrix(100, 4, 3));
  auto options = this->options();
  for (const int most : {3, 0, -1}) {
    options.max_restarts = most;
    WrongProduct<Exec, Scalar> product(A, 1, 4);
    const typename TestFixture::template Device<Kokkos::LayoutLeft> b(B), x(HostDenseMatrix(100, 4));
    const auto result = block_cg(Exec(), product, b.view, x.view, options);
    if (most == 3) {
      EXPECT_EQ(result.restarts, 1);
      this->expect_solved(A, B, {result, x.get()}, 30);
    } else {
      EXPECT_EQ(result.restarts, 0);
      EXPECT_EQ(result.stop, most == 0 ? BlockCgStop::MaxRestarts : BlockCgStop::Converged);
      EXPECT_GT(residual_of_column(A, B, x.get(), 0), 10 * this->tolerance);
    }
    if (most == 0) {
      EXPECT_NEAR(result.residuals[0], residual_of_column(A, B, x.get(), 0), 1e-4);
    }
  }
}

/// Replays the sums of all ranks (`records`) on a rank without rows, which must contribute 0.
TYPED_TEST(BlockCgEdgesTest, ARankWithoutRowsDoesAsTheOthers) {
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(60, 30));
  const auto B = this->rounded(random_matrix(60, 4, 3));
  std::deque<std::vector<Scalar>> records;
  auto options = this->options();
  options.sums = BlockCgSums::Once;  // Auto counts ranks
  options.sum_over_ranks = [&](Scalar* sums, Ordinal count) { records.emplace_back(sums, sums + count); };
  const auto with_rows = this->solve(A, B, options, random_matrix(60, 4, 9));
  this->expect_solved(A, B, with_rows, 30);
  options.sum_over_ranks = [&](Scalar* sums, Ordinal count) {
    ASSERT_FALSE(records.empty());
    ASSERT_EQ(std::size_t(count), records.front().size());
    for (Ordinal i = 0; i < count; ++i) EXPECT_EQ(sums[i], 0);
    std::copy(records.front().begin(), records.front().end(), sums);
    records.pop_front();
  };
  const auto without = this->solve(HostDenseMatrix(0, 0), HostDenseMatrix(0, 4), options);
  EXPECT_TRUE(records.empty());
  EXPECT_EQ(without.result.iterations, with_rows.result.iterations);
  EXPECT_EQ(without.result.residuals, with_rows.result.residuals);
  EXPECT_EQ(without.calls, with_rows.calls);
  EXPECT_EQ(without.columns, with_rows.columns);
}

TYPED_TEST(BlockCgEdgesTest, SumsAreThoseOfAllRanks) {
  using Scalar = typename TestFixture::Scalar;
  // Simulates two ranks with equal rows: sums are doubled, and the solution is the same.
  const auto A = this->rounded(positive_definite(60, 30));
  const auto B = this->rounded(random_matrix(60, 4, 3));
  const auto alone = this->solve(A, B, this->options());
  auto options = this->options();
  options.sum_over_ranks = [](Scalar* sums, Ordinal count) {
    for (Ordinal i = 0; i < count; ++i) sums[i] *= 2;
  };
  const auto solution = this->solve(A, B, options);
  this->expect_solved(A, B, solution, 30);
  EXPECT_NEAR(solution.result.iterations, alone.result.iterations, 1);
}

/// Simulates two ranks with finite greatest elements whose sum overflows.
TYPED_TEST(BlockCgEdgesTest, SumsOfElementsMayBeTooLarge) {
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(60, 10));
  HostDenseMatrix B(60, 2);
  B(0, 0) = 0.75 * double(std::numeric_limits<Scalar>::max());
  B(1, 1) = 1;
  B = this->rounded(B);
  auto options = this->options();
  options.sum_over_ranks = [](Scalar* sums, Ordinal count) {
    for (Ordinal i = 0; i < count; ++i) sums[i] *= 2;
  };
  const auto solution = this->solve(A, B, options);
  EXPECT_TRUE(solution.result.has_converged);
  for (int j = 0; j < 2; ++j)
    EXPECT_LE(residual_of_column(A, B, solution.X, j), this->tolerance + 100 * this->epsilon) << "column " << j;
  B(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(this->solve(A, B, options), std::runtime_error);
}

TYPED_TEST(BlockCgEdgesTest, WhatDoesNotFitIsRejected) {
  using Exec = typename TestFixture::Exec;
  typename TestFixture::Product product(positive_definite(20, 10));
  const typename TestFixture::template Device<Kokkos::LayoutLeft> b(random_matrix(20, 3, 1)), x(HostDenseMatrix(20, 3)),
      narrow(HostDenseMatrix(20, 2)), low(HostDenseMatrix(19, 3));
  const Exec exec;
  EXPECT_THROW(block_cg(exec, product, b.view, narrow.view), std::invalid_argument);
  EXPECT_THROW(block_cg(exec, product, b.view, low.view), std::invalid_argument);
  EXPECT_THROW(block_cg(exec, product, b.view, b.view), std::invalid_argument);
  auto options = this->options();
  for (const double bad : {-1.0, std::nan("")}) {
    options.tolerance = bad;
    EXPECT_THROW(block_cg(exec, product, b.view, x.view, options), std::invalid_argument);
  }
  options = this->options();
  options.max_iterations = -1;
  EXPECT_THROW(block_cg(exec, product, b.view, x.view, options), std::invalid_argument);
  options = this->options();
  options.dependence = 1;
  EXPECT_THROW(block_cg(exec, product, b.view, x.view, options), std::invalid_argument);
  EXPECT_EQ(product.calls, 0);
}

/// Tests 2^31 - 1 and 2^31 rows. The Views are never read, because they do not match.
TYPED_TEST(BlockCgEdgesTest, MoreRowsThanAnIntCountsAreRejected) {
  using Exec = typename TestFixture::Exec;
  using View = Kokkos::View<typename TestFixture::Scalar**, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged>;
  typename TestFixture::Product product(positive_definite(20, 10));
  const auto rejection_of = [&](std::size_t rows) -> std::string {
    try {
      block_cg(Exec(), product, View(nullptr, rows, 2), View(nullptr, rows - 1, 2));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(rejection_of(std::size_t(1) << 31),
            "Tessera::block_cg: B is 2147483648 x 2; expected less than 2^31 rows and columns");
  EXPECT_EQ(rejection_of((std::size_t(1) << 31) - 1),
            "Tessera::block_cg: X is 2147483646 x 2; expected 2147483647 x 2, as B");
}

/// A product with a function that returns its instance.
template <class Exec, class Scalar>
struct ProductOnInstance : DenseProduct<Exec, Scalar> {
  ProductOnInstance(const Exec& exec, const HostDenseMatrix& A) : DenseProduct<Exec, Scalar>(A, exec) {}
  const Exec& instance() const { return this->exec; }
};

/// Returns the message with which block_cg() rejects its operators, or "".
template <class... Arguments>
std::string rejection(Arguments&&... arguments) {
  try {
    block_cg(arguments...);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

/// An operator on another instance would not wait for B and X.
TYPED_TEST(BlockCgEdgesTest, OperatorsOnOtherInstancesAreRejected) {
  using Exec = typename TestFixture::Exec;
  using Product = ProductOnInstance<Exec, typename TestFixture::Scalar>;
  const auto instances = two_instances<Exec>();
  if (instances.empty()) GTEST_SKIP() << "instances are one queue";
  ASSERT_FALSE(instances[0] == instances[1]);
  const auto A = positive_definite(20, 10);
  Product here(instances[0], A), elsewhere(instances[1], A);
  const typename TestFixture::template Device<Kokkos::LayoutLeft> b(random_matrix(20, 3, 1)), x(HostDenseMatrix(20, 3));
  EXPECT_EQ(rejection(instances[0], here, b.view, x.view), "");
  EXPECT_EQ(rejection(instances[0], here, here, b.view, x.view), "");
  for (const auto& [name, message] :
       {std::pair("multiply", rejection(instances[0], elsewhere, b.view, x.view)),
        std::pair("precondition", rejection(instances[0], here, elsewhere, b.view, x.view))}) {
    EXPECT_NE(message.find("`" + std::string(name) + "` runs on another instance of " + Exec::name() + " than `exec`"),
              std::string::npos)
        << message;
  }
  EXPECT_EQ(elsewhere.calls, 0);
}

TEST(BlockCgStop, HasWords) {
  EXPECT_EQ(to_string(BlockCgStop::Converged), "converged");
  EXPECT_EQ(to_string(BlockCgStop::MatrixNotPositiveDefinite), "the matrix is not positive definite");
  BlockCgResult result;
  for (const auto& [stop, words] : {std::pair(BlockCgStop::MaxIterations, "more iterations"),
                                    std::pair(BlockCgStop::MaxRestarts, "greater tolerance"),
                                    std::pair(BlockCgStop::MatrixNotPositiveDefinite, "sign of A"),
                                    std::pair(BlockCgStop::PreconditionerNotPositiveDefinite, "sign of M")}) {
    result.stop = stop;
    EXPECT_NE(advice(result).find(words), std::string::npos) << advice(result);
  }
  result.stop = BlockCgStop::MatrixNotPositiveDefinite;
  result.lost_curvatures = 1;
  EXPECT_NE(advice(result).find("scale A"), std::string::npos) << advice(result);
  result.stop = BlockCgStop::MaxIterations;
  result.most_dependent = 2;
  EXPECT_NE(advice(result).find("up to 2 directions depended on others"), std::string::npos) << advice(result);
}

}  // namespace
}  // namespace Tessera::Impl::Test
