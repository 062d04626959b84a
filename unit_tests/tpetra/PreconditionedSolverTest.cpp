// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preconditioners that multiply blocks, in Belos' solvers, and the preconditioners of Trilinos, which get copies.
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/Jacobi.hpp>

#include "PreconditionerProblem.hpp"
#include "ToolEvents.hpp"
#include "block_solvers/BlockSolvers.hpp"
#include "block_solvers/Foreign.hpp"
#include "block_solvers/Residuals.hpp"

namespace Tessera::Impl::Test {

/// Blocks and multivectors need as many iterations, and fewer than without the preconditioner.
TEST(PreconditionedSolver, TakesFewerIterations) {
  const auto matrix = distribute_over(scaled_differences(300), uniform_map(300));
  const auto A = rcp(new CrsMatrix<double>(*matrix));
  BlockSolvers::System system{A, random_vectors(A->getRangeMap(), 4, 1)};
  for (const std::string solver : {"BlockCg", "PseudoBlockCg"}) {
    Teuchos::ParameterList options;
    options.set("Convergence Tolerance", 1e-8);
    options.set("Maximum Iterations", 1000);
    if (solver == "BlockCg") options.set("Block Size", 4);
    const auto iterations = [&](const RCP<const AnyOperator>& M) {
      system.preconditioner = M;
      const auto blocks = BlockSolvers::solve_blocks(solver, system, options);
      const auto multivectors = BlockSolvers::solve_multivectors(solver, system, options);
      EXPECT_TRUE(blocks.converged);
      EXPECT_NEAR(blocks.iterations, multivectors.iterations, std::max(1, multivectors.iterations / 50));
      EXPECT_LE(BlockSolvers::greatest_residual(*matrix, *blocks.X, *system.B), 1e-6);
      return blocks.iterations;
    };
    const int none = iterations(Teuchos::null), jacobi = iterations(rcp(new Jacobi<double>(A))),
              chebyshev = iterations(rcp(new Chebyshev<double>(A)));
    EXPECT_LE(jacobi, none) << solver;
    EXPECT_LE(3 * chebyshev, 2 * jacobi) << solver;  // block CG ends after 300 / 4 iterations in any case
  }
}

/// Ifpack2's polynomial with the same parameters is the same.
TEST(PreconditionedSolver, ChebyshevIsThatOfIfpack2) {
  const auto matrix = distribute_over(generate_elasticity(6, 1), cyclic_map(648));
  for (const int degree : {1, 2, 3, 6}) {
    ChebyshevOptions options;
    options.degree = degree;
    options.ratio = 12;
    options.boost = 1.25;
    const Chebyshev<double> M(matrix, options);
    const auto expected =
        BlockSolvers::ifpack2_chebyshev(matrix, degree, M.largest_eigenvalue(), options.ratio, options.boost);
    if (expected.is_null()) GTEST_SKIP() << "there is no Ifpack2";
    const auto X = random_vectors(M.getDomainMap(), 5, 1);
    MV Y(M.getDomainMap(), 5);
    Block Z(M.getDomainMap(), 5);
    expected->apply(*X, Y);
    M.apply(Block(*X), Z);
    double largest = 0;
    std::vector<double> norms(5);
    Y.normInf(norms);
    for (const double norm : norms) largest = std::max(largest, norm);
    expect_elements(Z, Y, 1e-14 * largest);
  }
}

/// A preconditioner of multivectors costs two copies in each call, and three if beta is not 0.
void expect_copies(const AnyOperator& M) {
  Block X(M.getDomainMap(), 8), Y(M.getRangeMap(), 8);
  X.randomize(1);
  for (const double beta : {0.0, 0.5}) {
    apply(M, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    const ToolEvents events;
    if (beta == 0) {
      apply(M, X, Y);
    } else {
      apply(M, X, Y, Teuchos::NO_TRANS, 1.0, beta);
    }
    EXPECT_EQ(events.count_kernels("Tessera::dense"), beta == 0 ? 2U : 3U) << events.text();
  }
}

TEST(PreconditionedSolver, PreconditionersOfTrilinosGetCopies) {
  const auto matrix = distribute_over(generate_stencil27(8), uniform_map(512));
  if (const auto M = BlockSolvers::ifpack2_chebyshev(matrix, 3, 1.5, 30, 1.1); !M.is_null()) expect_copies(*M);
  if (const auto M = BlockSolvers::muelu_cycle(matrix); !M.is_null()) {
    Block X(matrix->getDomainMap(), 8), Y(matrix->getDomainMap(), 8);
    apply(*M, X, Y);
    const ToolEvents events;
    apply(*M, X, Y);
    EXPECT_EQ(events.count_kernels("Tessera::dense"), 2U) << events.text();
  }
}

}  // namespace Tessera::Impl::Test
