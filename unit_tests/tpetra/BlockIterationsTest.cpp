// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On ill-conditioned systems, Belos' solvers need at most as many iterations with BlockVectors as with multivectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <vector>

#include "IterationTable.hpp"
#include "block_solvers/BlockSolvers.hpp"
#include "block_solvers/Residuals.hpp"

namespace Tessera::Impl::Test {
namespace {

constexpr double tolerance = 1e-8;

class BlockIterations : public testing::TestWithParam<IterationCase> {
 protected:
  static void SetUpTestSuite() { print_head(); }

  /// The basis of GMRES has half the number of the matrix's rows, but at most 240 vectors.
  static Teuchos::ParameterList options(int rows, int most_iterations) {
    const IterationCase& test = GetParam();
    Teuchos::ParameterList options;
    options.set("Convergence Tolerance", tolerance);
    options.set("Maximum Iterations", most_iterations);
    if (test.solver == "PseudoBlockCg") return options;
    options.set("Block Size", test.columns);
    options.set("Orthogonalization", test.orthogonalization);
    if (test.solver != "BlockGmres") return options;
    options.set("Num Blocks", std::max(5, std::min(240, rows / 2) / test.columns));
    options.set("Maximum Restarts", most_iterations);
    return options;
  }
};

TEST_P(BlockIterations, AreNoMoreThanWithMultivectors) {
  const IterationCase& test = GetParam();
  const auto matrix = hard_problem(test.problem);
  if (matrix.rows == 0) GTEST_SKIP() << test.problem << " is not in TESSERA_DATA_DIR, or there are more than two ranks";
  const int most = test.solver == "BlockGmres" || !all_are_asked_for() ? 600 : 3000;
  const auto found =
      compare(matrix, most, [&](const RCP<Matrix>& A, const std::vector<int>& unknowns, bool with_blocks) {
        BlockSolvers::System system{rcp(new CrsMatrix(*A)),
                                    random_vectors_of(unknowns, A->getRangeMap(), std::size_t(test.columns), 1)};
        if (test.is_preconditioned) system.preconditioner = rcp(new Jacobi<double>(A));
        const auto solve = with_blocks ? BlockSolvers::solve_blocks : BlockSolvers::solve_multivectors;
        const BlockSolvers::Solution solution = solve(test.solver, system, options(matrix.rows, most));
        return Outcome{solution.converged, solution.iterations,
                       BlockSolvers::greatest_residual(*A, *solution.X, *system.B)};
      });
  print_row(test, found);
  expect_no_more_iterations(found, tolerance);
}

std::vector<IterationCase> some_cases() {
  return {{"shell:12", "BlockCg", "ICGS", 4},     {"shell:12", "BlockCg", "IMGS", 16, false},
          {"shell:12", "PseudoBlockCg", "", 8},   {"shell:12", "BlockGmres", "ICGS", 4},
          {"shell:8", "BlockGmres", "DGKS", 6},   {"jumps:24", "BlockCg", "ICGS", 1},
          {"jumps:24", "BlockCg", "DGKS", 4},     {"jumps:24", "BlockCg", "ICGS", 8},
          {"jumps:24", "PseudoBlockCg", "", 4},   {"jumps:20", "BlockGmres", "IMGS", 4},
          {"jumps:16", "BlockGmres", "ICGS", 16}, {"bcsstk06", "BlockCg", "ICGS", 8},
          {"bcsstk06", "BlockCg", "DGKS", 16},    {"bcsstk14", "BlockCg", "ICGS", 16},
          {"bcsstk11", "BlockCg", "IMGS", 16}};
}

std::vector<IterationCase> every_case() {
  std::vector<IterationCase> cases;
  for (const char* problem :
       {"shell:16", "jumps:32", "bcsstk06", "bcsstk11", "bcsstk14", "bcsstk16", "bcsstk17", "bcsstk18"}) {
    for (const bool is_preconditioned : {true, false}) {
      for (const int columns : {1, 4, 8, 16}) {
        cases.push_back({problem, "PseudoBlockCg", "", columns, is_preconditioned});
        for (const char* solver : {"BlockCg", "BlockGmres"})
          for (const char* orthogonalization : {"ICGS", "DGKS", "IMGS"})
            cases.push_back({problem, solver, orthogonalization, columns, is_preconditioned});
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Solvers, BlockIterations, testing::ValuesIn(all_are_asked_for() ? every_case() : some_cases()),
                         [](const testing::TestParamInfo<IterationCase>& test) { return test.param.name(); });

}  // namespace
}  // namespace Tessera::Impl::Test
