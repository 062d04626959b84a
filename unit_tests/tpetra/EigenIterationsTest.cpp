// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For ill-conditioned matrices, Anasazi's solvers need at most as many iterations with BlockVectors as with
// multivectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <vector>

#include "IterationTable.hpp"
#include "block_solvers/BlockSolvers.hpp"
#include "block_solvers/Residuals.hpp"

namespace Tessera::Impl::Test {
namespace {

constexpr double tolerance = 1e-6;

class EigenIterations : public testing::TestWithParam<IterationCase> {
 protected:
  static void SetUpTestSuite() { print_head(); }

  /// LOBPCG computes the least eigenvalues, block Krylov-Schur the greatest.
  static Teuchos::ParameterList options(int most_iterations) {
    const IterationCase& test = GetParam();
    Teuchos::ParameterList options;
    options.set("Convergence Tolerance", tolerance);
    options.set("Block Size", test.columns);
    options.set("Orthogonalization", test.orthogonalization);
    options.set("Which", std::string(test.solver == "Lobpcg" ? "SR" : "LR"));
    if (test.solver == "Lobpcg") {
      options.set("Full Ortho", true);
      options.set("Maximum Iterations", most_iterations);
    } else {
      const int blocks = std::max(4, 64 / test.columns);
      options.set("Num Blocks", blocks);
      options.set("Maximum Restarts", most_iterations / blocks);
    }
    return options;
  }
};

TEST_P(EigenIterations, AreNoMoreThanWithMultivectors) {
  const IterationCase& test = GetParam();
  const auto matrix = hard_problem(test.problem);
  if (matrix.rows == 0) GTEST_SKIP() << test.problem << " is not in TESSERA_DATA_DIR, or there are more than two ranks";
  const int most = 300;
  const auto found =
      compare(matrix, most, [&](const RCP<Matrix>& A, const std::vector<int>& unknowns, bool with_blocks) {
        BlockSolvers::Eigenproblem problem{
            rcp(new CrsMatrix(*A)), random_vectors_of(unknowns, A->getDomainMap(), std::size_t(test.columns), 1)};
        problem.wanted = std::min(test.columns, 4);
        if (test.is_preconditioned) problem.preconditioner = rcp(new Jacobi<double>(A));
        const auto solve = with_blocks ? BlockSolvers::eigenvalues_blocks : BlockSolvers::eigenvalues_multivectors;
        const BlockSolvers::Eigenvalues result = solve(test.solver, problem, options(most));
        return Outcome{result.converged, result.iterations, BlockSolvers::greatest_residual(*A, result)};
      });
  print_row(test, found);
  expect_no_more_iterations(found, tolerance);
}

std::vector<IterationCase> some_cases() {
  return {{"shell:8", "Lobpcg", "SVQB", 8},
          {"shell:8", "Lobpcg", "DGKS", 8},
          {"shell:12", "BlockKrylovSchur", "SVQB", 8, false},
          {"jumps:20", "BlockKrylovSchur", "DGKS", 8, false},
          {"bcsstk06", "BlockKrylovSchur", "DGKS", 8, false}};
}

std::vector<IterationCase> every_case() {
  std::vector<IterationCase> cases;
  for (const char* problem :
       {"shell:12", "jumps:20", "bcsstk06", "bcsstk11", "bcsstk14", "bcsstk16", "bcsstk17", "bcsstk18"}) {
    for (const int columns : {1, 4, 8, 16}) {
      for (const char* orthogonalization : {"SVQB", "DGKS"}) {
        for (const bool is_preconditioned : {true, false})
          cases.push_back({problem, "Lobpcg", orthogonalization, columns, is_preconditioned});
        cases.push_back({problem, "BlockKrylovSchur", orthogonalization, columns, false});
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Solvers, EigenIterations, testing::ValuesIn(all_are_asked_for() ? every_case() : some_cases()),
                         [](const testing::TestParamInfo<IterationCase>& test) { return test.param.name(); });

}  // namespace
}  // namespace Tessera::Impl::Test
