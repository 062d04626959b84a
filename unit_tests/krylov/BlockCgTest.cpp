// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guarantees of block_cg()'s method: solutions, and the numbers of iterations, products and passes.
#include <algorithm>
#include <cstring>

#include "../testing/ToolEvents.hpp"
#include "LinearSystem.hpp"

namespace Tessera::Impl::Test {
namespace {

TYPED_TEST_SUITE(BlockCgTest, EverySpace<RealCases>::type);

HostDenseMatrix jacobi_of(const HostDenseMatrix& A) {
  HostDenseMatrix M(A.rows, A.rows);
  for (int i = 0; i < A.rows; ++i) M(i, i) = 1 / A(i, i);
  return M;
}

/// Scales rows and columns badly, by factors up to `most`.
HostDenseMatrix scaled_badly(HostDenseMatrix A, double most) {
  const auto factor = [&](int i) { return std::pow(most, double(i * 7 % A.rows) / A.rows); };
  for (int i = 0; i < A.rows; ++i)
    for (int j = 0; j < A.rows; ++j) A(i, j) *= factor(i) * factor(j);
  return A;
}

TYPED_TEST(BlockCgTest, SolvesWhatADirectSolverSolves) {
  const double condition = 50;
  for (const int rows : {1, 2, 9, 60, 200}) {
    const auto A = this->rounded(positive_definite(rows, condition));
    for (const int columns : {1, 2, 7, 16, 33}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(columns) + " columns");
      const auto B = this->rounded(random_matrix(rows, columns, unsigned(columns)));
      const auto solution = this->solve(A, B, this->options());
      this->expect_solved(A, B, solution, condition);
      EXPECT_EQ(solution.columns, solution.result.products);
    }
  }
}

TYPED_TEST(BlockCgTest, MoreColumnsThanAPanelHas) {
  const auto A = this->rounded(positive_definite(300, 50));
  const auto B = this->rounded(random_matrix(300, 150, 3));
  this->expect_solved(A, B, this->solve(A, B, this->options()), 50);
  this->expect_solved(A, B, this->solve(A, jacobi_of(A), B, this->options()), 50);
}

TYPED_TEST(BlockCgTest, AnyLayout) {
  const auto A = this->rounded(positive_definite(70, 50));
  const auto B = this->rounded(random_matrix(70, 5, 3));
  const auto right = this->template solve<Kokkos::LayoutRight>(A, B, this->options());
  this->expect_solved(A, B, right, 50);
  const auto left = this->template solve<Kokkos::LayoutLeft>(A, B, this->options());
  const auto strided = this->template solve<Kokkos::LayoutStride>(A, B, this->options());
  EXPECT_EQ(left.X.elements, right.X.elements);
  EXPECT_EQ(strided.X.elements, right.X.elements);
}

TYPED_TEST(BlockCgTest, ViewsOfRankOne) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(40, 20));
  const auto B = this->rounded(random_matrix(40, 1, 3));
  typename TestFixture::Product product(A);
  const typename TestFixture::template Device<Kokkos::LayoutLeft> b(B), x(HostDenseMatrix(40, 1));
  const Kokkos::View<const Scalar*, typename Exec::memory_space> vector = Kokkos::subview(b.view, Kokkos::ALL, 0);
  const auto solution = Kokkos::subview(x.view, Kokkos::ALL, 0);
  const auto result = block_cg(Exec(), product, vector, solution, {.tolerance = this->tolerance});
  this->expect_solved(A, B, {result, x.get()}, 20);
}

TYPED_TEST(BlockCgTest, TakesNoMoreIterationsThanColumnByColumn) {
  const double condition = this->is_double ? 1e4 : 100, tolerance = this->is_double ? 1e-8 : 1e-4;
  const auto A = this->rounded(positive_definite(300, condition));
  for (const int columns : {1, 4, 16}) {
    const auto B = this->rounded(random_matrix(300, columns, 5));
    auto options = this->options();
    options.tolerance = tolerance;
    const auto solution = this->solve(A, B, options);
    EXPECT_TRUE(solution.result.has_converged);
    int most = 0;  // of four columns: more columns would be slower and give a weaker bound
    for (int j = 0; j < std::min(columns, 4); ++j) most = std::max(most, iterations_of_plain_cg(A, B, j, tolerance));
    // A single column needs the same number, except for rounding. A block of 16 converges much faster.
    EXPECT_LE(solution.result.iterations, columns == 1 ? most + most / 50 + 1 : most) << columns << " columns";
    if (columns == 16) {
      EXPECT_LE(3 * solution.result.iterations, 2 * most);
    }
  }
}

TYPED_TEST(BlockCgTest, AsManyIterationsAsThereAreEigenvalues) {
  // Two columns, four distinct eigenvalues: exact after at most four iterations.
  std::vector<double> eigenvalues;
  for (int i = 0; i < 80; ++i) eigenvalues.push_back(1 + i % 4);
  const auto A = this->rounded(with_eigenvalues(eigenvalues));
  const auto B = this->rounded(random_matrix(80, 2, 3));
  const auto solution = this->solve(A, B, this->options());
  this->expect_solved(A, B, solution, 4);
  EXPECT_LE(solution.result.iterations, 4);
}

TYPED_TEST(BlockCgTest, SolvesWithAPreconditioner) {
  for (const int columns : {1, 6, 20}) {
    const auto A = this->rounded(scaled_badly(positive_definite(120, 4), this->is_double ? 30 : 5));
    const auto B = this->rounded(random_matrix(120, columns, 3));
    const auto plain = this->solve(A, B, this->options());
    const auto solution = this->solve(A, jacobi_of(A), B, this->options());
    this->expect_solved(A, B, solution, this->is_double ? 4000 : 100);
    EXPECT_LT(solution.result.iterations, plain.result.iterations) << columns << " columns";
  }
}

TYPED_TEST(BlockCgTest, TheInverseAsPreconditionerTakesOneIteration) {
  const auto A = this->rounded(positive_definite(50, 10));
  HostDenseMatrix I(50, 50);
  for (int i = 0; i < 50; ++i) I(i, i) = 1;
  const auto B = this->rounded(random_matrix(50, 3, 3));
  const auto solution = this->solve(A, solve_directly(A, I), B, this->options());
  this->expect_solved(A, B, solution, 10);
  EXPECT_EQ(solution.result.iterations, 1);
}

/// A diagonal matrix, and columns of B with 1, 2, 3, ... of its eigenvectors.
struct Deflating {
  HostDenseMatrix A{40, 40}, B{40, 5};
  Deflating() {
    for (int i = 0; i < 40; ++i) A(i, i) = 1 + i / 4.0;
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 8 * (j + 1); i += j < 2 ? 8 : 1) B((i + 5 * j) % 40, j) = 1 + i % 3;
  }
};

TYPED_TEST(BlockCgTest, SolvedColumnsRest) {
  const Deflating system;
  auto options = this->options();
  options.keeps_history = true;
  for (const bool is_preconditioned : {false, true}) {
    HostDenseMatrix M(40, 40);
    for (int i = 0; i < 40; ++i) M(i, i) = 1.0 / (2 + i % 3);
    const auto solution = is_preconditioned ? this->solve(system.A, this->rounded(M), system.B, options)
                                            : this->solve(system.A, system.B, options);
    this->expect_solved(system.A, system.B, solution, 11);
    const auto& history = solution.result.history;
    ASSERT_EQ(int(history.size()), solution.result.iterations);
    ASSERT_FALSE(history.empty());
    std::int64_t columns = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
      columns += history[i].directions;
      ASSERT_EQ(history[i].residuals.size(), 5U);
      if (i == 0) continue;
      // A column remains until its residual reaches the tolerance, and then keeps its residual.
      EXPECT_EQ(history[i].columns, std::count_if(history[i - 1].residuals.begin(), history[i - 1].residuals.end(),
                                                  [&](double residual) { return residual > options.tolerance; }));
      EXPECT_LE(history[i].columns, history[i - 1].columns);
    }
    EXPECT_EQ(history.front().columns, 5);
    EXPECT_LT(history.back().columns, 5) << "columns are solved at different times";
    // One product with all columns verifies the solutions.
    EXPECT_EQ(solution.result.products, columns + 5 * (1 + solution.result.restarts));
    EXPECT_LT(columns, 5 * solution.result.iterations) << "directions that are used up are left out";
  }
}

TYPED_TEST(BlockCgTest, ResidualsFall) {
  const auto A = this->rounded(positive_definite(200, 100));
  const auto B = this->rounded(random_matrix(200, 4, 3));
  auto options = this->options();
  options.keeps_history = true;
  const auto solution = this->solve(A, B, options);
  double least = 1;
  for (const BlockCgIteration& iteration : solution.result.history) {
    const double greatest = *std::max_element(iteration.residuals.begin(), iteration.residuals.end());
    EXPECT_LE(greatest, 10 * least) << "the error falls in the norm of A, whose condition is 100";
    least = std::min(least, greatest);
  }
  EXPECT_LE(least, options.tolerance);
}

TYPED_TEST(BlockCgTest, DependentColumnsBreakNothing) {
  const auto A = this->rounded(positive_definite(100, 30));
  const auto C = random_matrix(100, 3, 3);
  HostDenseMatrix B(100, 7);  // rank 3
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 3; ++j) B(i, j) = B(i, j + 3) = C(i, j);
    B(i, 5) = 4 * C(i, 2);
    B(i, 6) = C(i, 0) - C(i, 1);
  }
  B = this->rounded(B);
  auto options = this->options();
  options.keeps_history = true;
  for (const double dependence : {0.0, 1e-3, 100 * this->epsilon}) {
    options.dependence = dependence;
    const auto solution = this->solve(A, B, options);
    this->expect_solved(A, B, solution, 30);
    EXPECT_EQ(solution.result.history.front().directions, 3);
    const auto preconditioned = this->solve(A, jacobi_of(A), B, options);
    this->expect_solved(A, B, preconditioned, 30);
  }
}

TYPED_TEST(BlockCgTest, NearlyDependentColumns) {
  const auto A = this->rounded(positive_definite(150, 30));
  const auto C = random_matrix(150, 8, 3);
  for (const double apart : {1e-2, 1e-5, 1e-9, 1e-13}) {
    HostDenseMatrix B(150, 8);
    for (int i = 0; i < 150; ++i)
      for (int j = 0; j < 8; ++j) B(i, j) = C(i, 0) + (j == 0 ? 0 : apart * C(i, j));
    B = this->rounded(B);
    auto options = this->options();
    for (const double dependence : {0.0, 1e-14}) {
      options.dependence = dependence;
      this->expect_solved(A, B, this->solve(A, B, options), 30);
    }
  }
}

TYPED_TEST(BlockCgTest, BeginsWithTheGuess) {
  const auto A = this->rounded(positive_definite(80, 30));
  const auto B = this->rounded(random_matrix(80, 4, 3));
  const auto far = this->solve(A, B, this->options(), random_matrix(80, 4, 8));
  this->expect_solved(A, B, far, 30);
  const auto again = this->solve(A, B, this->options(), far.X);
  EXPECT_EQ(again.result.iterations, 0);
  EXPECT_EQ(again.result.products, 4) << "the residual of the guess, which nothing has changed";
  EXPECT_EQ(again.X.elements, far.X.elements);
  this->expect_solved(A, B, again, 30);
}

/// As documented, an iteration has one sum over ranks, two with a preconditioner. Few have one more, where residuals
/// fall too far to predict the next Gram matrix. Float has too few digits for many predictions.
TYPED_TEST(BlockCgTest, SumsOverRanksOnceAnIteration) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(400, 300));
  const auto B = this->rounded(random_matrix(400, 4, 3));
  int sums = 0;
  auto options = this->options();
  options.sums = BlockCgSums::Once;
  options.sum_over_ranks = [&](Scalar*, Ordinal count) {
    ++sums;
    EXPECT_LE(count, 4 * 16);
  };
  // Sums before the iterations: magnitudes of X, norms of B, first residuals. Sums after them: computed residuals.
  const auto expect_sums = [&](const BlockCgResult& result, int of_iteration, const char* what) {
    EXPECT_EQ(result.restarts, 0) << what;
    EXPECT_GT(result.iterations, 10) << what;
    EXPECT_GE(sums, 4 + of_iteration * result.iterations) << what;
    const int repeated = this->is_double ? result.iterations / 5 : result.iterations - 1;
    EXPECT_LE(sums, 4 + of_iteration * result.iterations + repeated) << what;
    sums = 0;
  };
  expect_sums(this->solve(A, B, options).result, 1, "plain");
  expect_sums(this->solve(A, jacobi_of(A), B, options).result, 2, "preconditioned");
  ProductWithInner<Exec, Scalar> product(A);
  const typename TestFixture::template Device<Kokkos::LayoutRight> b(B), x(HostDenseMatrix(400, 4));
  expect_sums(block_cg(Exec(), product, b.view, x.view, options), 1, "products that give inner products");
  options.sums = BlockCgSums::Twice;
  expect_sums(this->solve(A, B, options).result, 2, "plain, twice");
  expect_sums(this->solve(A, jacobi_of(A), B, options).result, 3, "preconditioned, twice more");
}

/// Auto sums once where ranks have few rows in the mean, and asks how many once.
TYPED_TEST(BlockCgTest, SumsAsOftenAsBlocksAreLarge) {
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(400, 300));
  const auto B = this->rounded(random_matrix(400, 4, 3));
  const auto sums_with = [&](BlockCgSums wish, double times) {
    int sums = 0, iterations = 0;
    auto options = this->options();
    options.sums = wish;
    options.sum_over_ranks = [&](Scalar* numbers, Ordinal count) {
      ++sums;
      if (count == 2) numbers[0] *= Scalar(times);  // pretends that other rows are on the same rank
    };
    iterations = this->solve(A, B, options).result.iterations;
    EXPECT_GT(iterations, 10);
    return sums;
  };
  const int once = sums_with(BlockCgSums::Once, 1), twice = sums_with(BlockCgSums::Twice, 1);
  EXPECT_LT(once, twice);
  EXPECT_EQ(sums_with(BlockCgSums::Auto, 1), once + 1);
  EXPECT_EQ(sums_with(BlockCgSums::Auto, 1e6), twice + 1);
}

TYPED_TEST(BlockCgTest, TakesInnerProductsThatProductsGive) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  const auto A = this->rounded(positive_definite(150, this->is_double ? 300 : 20));
  const auto B = this->rounded(random_matrix(150, 4, 3));
  const auto plain = this->solve(A, B, this->options());
  ProductWithInner<Exec, Scalar> product(A);
  const typename TestFixture::template Device<Kokkos::LayoutRight> b(B), x(HostDenseMatrix(150, 4));
  int sums = 0;
  auto options = this->options();
  options.sum_over_ranks = [&](Scalar*, Ordinal) { ++sums; };
  const auto result = block_cg(Exec(), product, b.view, x.view, options);
  this->expect_solved(A, B, {result, x.get()}, 300);
  EXPECT_EQ(product.fused_calls, result.iterations);
  // Another order of summation rounds differently, which changes float's iterations by up to a tenth.
  EXPECT_NEAR(result.iterations, plain.result.iterations, 1 + plain.result.iterations / 10);
  // Where the next Gram matrix cannot be predicted, an iteration has a second sum.
  EXPECT_LE(sums, 4 + result.restarts * 2 + 2 * result.iterations);
}

TYPED_TEST(BlockCgTest, TheSameBitsInEveryRun) {
  const auto A = this->rounded(positive_definite(500, 100));
  const auto B = this->rounded(random_matrix(500, 9, 3));
  const auto first = this->solve(A, B, this->options()), second = this->solve(A, B, this->options());
  EXPECT_EQ(first.X.elements, second.X.elements);
  EXPECT_EQ(first.result.residuals, second.result.residuals);
}

TYPED_TEST(BlockCgTest, AWorkspaceIsUsedAgain) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  const Deflating system;
  typename TestFixture::Product product(system.A), preconditioner(jacobi_of(system.A));
  const typename TestFixture::template Device<Kokkos::LayoutRight> b(system.B), x(HostDenseMatrix(40, 5));
  BlockCgWorkspace<Exec, Scalar> workspace;
  const auto solve = [&] {
    block_cg(Exec(), product, b.view, x.view, this->options(), workspace);
    block_cg(Exec(), product, preconditioner, b.view, x.view, this->options(), workspace);
  };
  solve();
  const auto zero = HostDenseMatrix(40, 5);
  x.set(zero);
  std::size_t allocations = 0;
  {
    const ToolEvents events;
    solve();
    allocations = events.allocations();
  }
  EXPECT_EQ(allocations, 0U);
  const auto narrow = Kokkos::subview(b.view, Kokkos::ALL, std::pair<int, int>(0, 2));
  const auto solution = Kokkos::subview(x.view, Kokkos::ALL, std::pair<int, int>(0, 2));
  {
    const ToolEvents events;
    block_cg(Exec(), product, narrow, solution, this->options(), workspace);
    allocations = events.allocations();
  }
  EXPECT_EQ(allocations, 0U) << "fewer columns";
  BlockCgWorkspace<Exec, Scalar> moved = std::move(workspace);
  x.set(zero);
  const auto result = block_cg(Exec(), product, b.view, x.view, this->options(), moved);
  this->expect_solved(system.A, system.B, {result, x.get()}, 11);
}

}  // namespace
}  // namespace Tessera::Impl::Test
