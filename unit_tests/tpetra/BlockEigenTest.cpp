// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Anasazi's solvers find the same eigenvalues with BlockVectors as with multivectors.
#include <AnasaziBasicOutputManager.hpp>
#include <AnasaziMVOPTester.hpp>
#include <algorithm>
#include <sstream>
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/AnasaziBlockVector.hpp>
#include <tessera/tpetra/Jacobi.hpp>

#include "BlockProblem.hpp"
#include "ToolEvents.hpp"
#include "block_solvers/BlockSolvers.hpp"
#include "block_solvers/Residuals.hpp"

namespace Tessera::Impl::Test {

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

/// The orthogonalization managers that solvers create by name. They promise X0 = sum of Q_i C_i + X B.
template <class Manager>
class AnasaziManagers : public testing::Test {
 protected:
  const RCP<const Map> map = uniform_map(300);
  Teuchos::Array<RCP<const Block>> bases() {
    const auto all = random_block(map, 9, 1);
    all->orthonormalize();
    return Teuchos::tuple<RCP<const Block>>(all->subView(Teuchos::Range1D(0, 3)), all->subView(Teuchos::Range1D(4, 8)));
  }
  static RCP<Small> coefficients(int rows, int columns) { return rcp(new Small(rows, columns)); }
};

using BlockManagers = testing::Types<Anasazi::SVQBOrthoManager<double, Block, AnyOperator>,
                                     Anasazi::BasicOrthoManager<double, Block, AnyOperator>>;
TYPED_TEST_SUITE(AnasaziManagers, BlockManagers);

TYPED_TEST(AnasaziManagers, ProjectAndNormalize) {
  const TypeParam manager;
  const auto Q = this->bases();
  for (const int columns : {1, 6}) {
    const auto x = random_vectors(this->map, std::size_t(columns), 2);
    Block X(*x);
    const Teuchos::Array<RCP<Small>> C = Teuchos::tuple(this->coefficients(4, columns), this->coefficients(5, columns));
    const auto B = this->coefficients(columns, columns);
    EXPECT_EQ(manager.projectAndNormalize(X, Q, C, B), columns);
    expect_small(products(X, X), identity(columns), 1e-13);
    Block back(this->map, std::size_t(columns));
    back.multiply(1, X, *B, 0);
    for (int i = 0; i < 2; ++i) {
      expect_small(products(*Q[i], X), Small(C[i]->numRows(), columns), 1e-14);
      back.multiply(1, *Q[i], *C[i], 1);
    }
    expect_elements(back, *x, 1e-12);
    EXPECT_LT(manager.orthonormError(X), 1e-13);
    EXPECT_LT(manager.orthogError(X, *Q[1]), 1e-13);
  }
}

TYPED_TEST(AnasaziManagers, Project) {
  const TypeParam manager;
  const auto Q = this->bases();
  const auto x = random_vectors(this->map, 3, 2);
  Block X(*x);
  const Teuchos::Array<RCP<Small>> C = Teuchos::tuple(this->coefficients(4, 3), RCP<Small>());
  C[0]->putScalar(nan);
  manager.project(X, Q, C);
  for (int i = 0; i < 2; ++i) expect_small(products(*Q[i], X), Small(Q[i]->block().columns, 3), 1e-14);
  expect_small(*C[0], products(*Q[0], Block(*x)), 1e-13);
}

/// A random direction replaces a column that depends on others.
TYPED_TEST(AnasaziManagers, CompleteTheBasis) {
  const TypeParam manager;
  const auto x = random_vectors(this->map, 4, 2);
  x->getVectorNonConst(2)->update(1, *x->getVector(0), 2, *x->getVector(1), 0);
  Block X(*x);
  const auto B = this->coefficients(4, 4);
  EXPECT_EQ(manager.normalize(X, B), 4);
  expect_small(products(X, X), identity(4), 1e-13);
  Block back(this->map, 4);
  back.multiply(1, X, *B, 0);
  expect_elements(back, *x, 1e-12);
}

TYPED_TEST(AnasaziManagers, RejectWhatDoesNotFit) {
  const TypeParam manager;
  Block few(uniform_map(3), 4);
  few.randomize();
  EXPECT_THROW(manager.normalize(few), std::invalid_argument);
  Block X(this->map, 4);
  X.randomize();
  EXPECT_THROW(manager.normalize(X, this->coefficients(3, 4)), std::invalid_argument);
  X.putScalar(nan);
  EXPECT_THROW(manager.normalize(X), Anasazi::OrthoError);
}

/// A manager with its own inner product computes the same as Anasazi's manager.
TYPED_TEST(AnasaziManagers, WithAnInnerProduct) {
  const RCP<const AnyOperator> M = rcp(new CrsMatrix(*distribute(generate_stencil27(6), Spread::Uniform)));
  TypeParam manager(M);
  Block X(M->getDomainMap(), 4), MX(M->getDomainMap(), 4), Z(M->getDomainMap(), 2);
  X.randomize(1);
  Z.randomize(2);
  EXPECT_EQ(manager.normalize(X), 4);
  apply(*M, X, MX);
  expect_small(products(X, MX), identity(4), 1e-12);
  EXPECT_GE(manager.getOpCounter(), 4);
  ASSERT_FALSE(this->HasFailure()) << "With a Q that is not orthonormal, Anasazi's SVQB would not end";
  const Teuchos::Array<RCP<const Block>> Q = Teuchos::tuple<RCP<const Block>>(Teuchos::rcpFromRef<const Block>(X));
  EXPECT_EQ(manager.projectAndNormalize(Z, Q), 2);
  expect_small(products(MX, Z), Small(4, 2), 1e-12);
  manager.setOp(Teuchos::null);
  EXPECT_EQ(manager.normalize(X), 4);
  expect_small(products(X, X), identity(4), 1e-13);
}

TYPED_TEST(AnasaziManagers, TakeColumnsTogether) {
  const TypeParam manager;
  Block X(this->map, 16);
  X.randomize(1);
  manager.normalize(X);
  X.randomize(2);
  const ToolEvents events;
  manager.normalize(X);
  EXPECT_LE(events.kernels().size(), 16U) << events.text();
}

struct Case {
  std::string solver;
  const char* which;
  const char* orthogonalization;
  bool is_preconditioned;
};

class BlockEigensolver : public testing::TestWithParam<Case> {};

TEST_P(BlockEigensolver, FindsTheSameEigenvalues) {
  const Case& test = GetParam();
  constexpr double tolerance = 1e-7;
  const auto matrix = distribute(generate_stencil27(7), Spread::Uniform);
  const RCP<const AnyOperator> A = rcp(new CrsMatrix(*matrix));
  Eigenproblem problem{A, random_vectors(A->getDomainMap(), 6, 1)};
  if (test.is_preconditioned) problem.preconditioner = rcp(new Jacobi<double>(matrix));
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
  EXPECT_LE(BlockSolvers::greatest_residual(*matrix, actual), 2 * tolerance);
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

}  // namespace Tessera::Impl::Test
