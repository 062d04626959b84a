// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Anasazi's solvers run with BlockVectors, and find the same eigenvalues as with multivectors.
#include <AnasaziBasicOutputManager.hpp>
#include <AnasaziMVOPTester.hpp>
#include <algorithm>
#include <sstream>
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/AnasaziBlockVector.hpp>

#include "../../example/Jacobi.hpp"
#include "BlockProblem.hpp"
#include "ToolEvents.hpp"
#include "block_solvers/BlockSolvers.hpp"

namespace Tessera::Test {

using AnyOperator = Tpetra::Operator<double>;
using BlockSolvers::Eigenproblem;
using BlockSolvers::Eigenvalues;

RCP<Anasazi::OutputManager<double>> complaints_to(std::ostringstream& stream) {
  return rcp(new Anasazi::BasicOutputManager<double>(
      Anasazi::Warnings, Teuchos::getFancyOStream(Teuchos::rcpFromRef<std::ostream>(stream))));
}

TEST(AnasaziTraits, PassTheTestsOfAnasazi) {
  const auto map = uniform_map(101);
  for (const std::size_t columns : {1, 5}) {
    std::ostringstream complaints;
    const RCP<const Block> X = random_block(map, columns, 1);
    EXPECT_TRUE((Anasazi::TestMultiVecTraits<double, Block>(complaints_to(complaints), X))) << complaints.str();
  }
}

TEST(AnasaziTraits, OperatorsPassTheTestsOfAnasazi) {
  const auto A = distribute(generate_elasticity(4, 1), Spread::Cyclic);
  const RCP<const AnyOperator> crs = rcp(new CrsMatrix(*A)), op = rcp(new Operator(A)), plain = A;
  for (const auto& each : {crs, op, plain}) {
    std::ostringstream complaints;
    const RCP<const Block> X = random_block(A->getDomainMap(), 5, 1);
    EXPECT_TRUE((Anasazi::TestOperatorTraits<double, Block, AnyOperator>(complaints_to(complaints), X, each)))
        << complaints.str();
  }
}

struct Case {
  std::string solver;
  const char* which;
  const char* orthogonalization;
  bool is_preconditioned;
};

class BlockEigensolver : public testing::TestWithParam<Case> {
 protected:
  /// |A v - lambda v| / |lambda|
  static double residual(const AnyOperator& A, const Eigenvalues& found) {
    MV R(*found.vectors, Teuchos::Copy);
    R.scale(found.values);
    A.apply(*found.vectors, R, Teuchos::NO_TRANS, 1.0, -1.0);
    std::vector<double> norms(found.values.size());
    R.norm2(norms);
    for (std::size_t j = 0; j < norms.size(); ++j) norms[j] /= std::abs(found.values[j]);
    return *std::max_element(norms.begin(), norms.end());
  }
};

TEST_P(BlockEigensolver, FindsTheSameEigenvalues) {
  const Case& test = GetParam();
  constexpr double tolerance = 1e-7;
  const auto matrix = distribute(generate_stencil27(7), Spread::Uniform);
  const RCP<const AnyOperator> A = rcp(new CrsMatrix(*matrix));
  Eigenproblem problem{A, random_vectors(A->getDomainMap(), 6, 1)};
  if (test.is_preconditioned) problem.preconditioner = rcp(new Example::Jacobi(*matrix));
  Teuchos::ParameterList options;
  options.set("Which", std::string(test.which));
  options.set("Block Size", 6);
  options.set("Convergence Tolerance", tolerance);
  options.set("Orthogonalization", std::string(test.orthogonalization));
  if (test.solver == "Lobpcg") {
    options.set("Maximum Iterations", 300);
  } else {
    options.set("Num Blocks", 8);
    options.set("Maximum Restarts", 100);
  }
  const Eigenvalues expected = eigenvalues_multivectors(test.solver, problem, options);
  const ToolEvents events;
  const Eigenvalues actual = eigenvalues_blocks(test.solver, problem, options);
  EXPECT_GE(events.executions(), std::size_t(actual.iterations));
  ASSERT_TRUE(expected.converged);
  ASSERT_TRUE(actual.converged);
  ASSERT_EQ(expected.values.size(), 4U);
  ASSERT_EQ(actual.values.size(), 4U);
  EXPECT_NEAR(actual.iterations, expected.iterations, std::max(1, expected.iterations / 50));
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(actual.values[j], expected.values[j], 4 * tolerance * std::abs(expected.values[j]));
  }
  EXPECT_LE(residual(*matrix, actual), 2 * tolerance);
}

INSTANTIATE_TEST_SUITE_P(Solvers, BlockEigensolver,
                         testing::Values(Case{"Lobpcg", "SR", "SVQB", true}, Case{"Lobpcg", "LR", "DGKS", false},
                                         Case{"Lobpcg", "LR", "ICGS", false},
                                         Case{"BlockKrylovSchur", "LR", "DGKS", false},
                                         Case{"BlockKrylovSchur", "LR", "SVQB", false}),
                         [](const testing::TestParamInfo<Case>& test) {
                           const Case& c = test.param;
                           return c.solver + c.orthogonalization + (c.is_preconditioned ? "Preconditioned" : "");
                         });

}  // namespace Tessera::Test
