// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Belos' solvers need the same number of iterations with BlockVectors as with multivectors.
#include <BelosMVOPTester.hpp>
#include <BelosOutputManager.hpp>
#include <algorithm>
#include <sstream>
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/BelosBlockVector.hpp>
#include <tessera/tpetra/Jacobi.hpp>

#include "BlockProblem.hpp"
#include "ToolEvents.hpp"
#include "block_solvers/BlockSolvers.hpp"
#include "block_solvers/Residuals.hpp"

namespace Tessera::Impl::Test {

using AnyOperator = Tpetra::Operator<double>;
using Traits = Belos::MultiVecTraits<double, Block>;
using BlockSolvers::Solution;
using BlockSolvers::System;

constexpr double tolerance = 1e-7;

/// Collects the failures of Belos' own tests.
class Complaints {
 public:
  Complaints() : output(rcp(new Belos::OutputManager<double>(Belos::Warnings, Teuchos::rcpFromRef(stream_)))) {}
  std::string text() const { return stream_.str(); }

 private:
  std::ostringstream stream_;

 public:
  const RCP<Belos::OutputManager<double>> output;
};

TEST(BelosTraits, PassTheTestsOfBelos) {
  const auto map = uniform_map(101);
  for (const std::size_t columns : {1, 5}) {
    const Complaints complaints;
    const RCP<const Block> X = random_block(map, columns, 1);
    EXPECT_TRUE((Belos::TestMultiVecTraits<double, Block>(complaints.output, X))) << complaints.text();
  }
}

TEST(BelosTraits, OperatorsPassTheTestsOfBelos) {
  const auto A = distribute(generate_elasticity(4, 1), Spread::Cyclic);
  const RCP<const AnyOperator> crs = rcp(new CrsMatrix(*A)), op = rcp(new Operator(A)), plain = A;
  for (const auto& each : {crs, op, plain}) {
    const Complaints complaints;
    const RCP<const Block> X = random_block(A->getDomainMap(), 5, 1);
    EXPECT_TRUE((Belos::TestOperatorTraits<double, Block, AnyOperator>(complaints.output, X, each)))
        << complaints.text();
  }
}

TEST(BelosTraits, MultiplyTransposedMatrices) {
  const auto A = distribute(generate_stencil27(4), Spread::Uniform);
  A->leftScale(*random_vectors(A->getRowMap(), 1, 3)->getVector(0));
  const auto x = random_vectors(A->getRangeMap(), 3, 1);
  MV expected(A->getDomainMap(), 3);
  A->apply(*x, expected, Teuchos::TRANS);
  const CrsMatrix<double> crs(*A);
  Block Y(A->getDomainMap(), 3);
  using Operators = Belos::OperatorTraits<double, Block, AnyOperator>;
  EXPECT_TRUE(Operators::HasApplyTranspose(crs));
  for (const auto trans : {Belos::TRANS, Belos::CONJTRANS}) {
    Operators::Apply(crs, Block(*x), Y, trans);
    expect_elements(Y, expected, 1e-13);
  }
}

/// The orthogonalization managers that solvers request by name. They promise X0 = sum of Q_i C_i + X B.
class OrthoManagers : public testing::TestWithParam<std::string> {
 protected:
  using Factory = Belos::OrthoManagerFactory<double, Block, AnyOperator>;
  using Manager = Belos::MatOrthoManager<double, Block, AnyOperator>;

  RCP<Manager> make(const RCP<const AnyOperator>& M = Teuchos::null) {
    return Factory().makeMatOrthoManager(GetParam(), M, Teuchos::null, "test", Teuchos::null);
  }

  /// The manager as the base class that solvers use; the derived class hides its overloads.
  static const Belos::OrthoManager<double, Block>& as_ortho_manager(const Manager& manager) { return manager; }

  const RCP<const Map> map = uniform_map(300);
  Teuchos::Array<RCP<const Block>> bases() {
    const auto all = random_block(map, 9, 1);
    all->orthonormalize();
    return Teuchos::tuple<RCP<const Block>>(all->subView(Teuchos::Range1D(0, 3)), all->subView(Teuchos::Range1D(4, 8)));
  }
  static RCP<Small> coefficients(int rows, int columns) { return rcp(new Small(rows, columns)); }
};

TEST_P(OrthoManagers, ProjectAndNormalize) {
  const auto manager = make();
  auto Q = bases();
  for (const int columns : {1, 6}) {
    const auto x = random_vectors(map, std::size_t(columns), 2);
    Block X(*x);
    Teuchos::Array<RCP<Small>> C = Teuchos::tuple(coefficients(4, columns), coefficients(5, columns));
    const auto B = coefficients(columns, columns);
    EXPECT_EQ(as_ortho_manager(*manager).projectAndNormalize(X, C, B, Q), columns);
    expect_small(products(X, X), identity(columns), 1e-13);
    Block back(map, std::size_t(columns));
    back.multiply(1, X, *B, 0);
    for (int i = 0; i < 2; ++i) {
      expect_small(products(*Q[i], X), Small(C[i]->numRows(), columns), 1e-14);
      back.multiply(1, *Q[i], *C[i], 1);
    }
    expect_elements(back, *x, 1e-12);
    EXPECT_LT(manager->orthonormError(X), 1e-13);
  }
}

TEST_P(OrthoManagers, Project) {
  const auto manager = make();
  auto Q = bases();
  const auto x = random_vectors(map, 3, 2);
  Block X(*x), rest(*x);
  Teuchos::Array<RCP<Small>> C = Teuchos::tuple(coefficients(4, 3), RCP<Small>());
  C[0]->putScalar(nan);
  manager->project(X, C, Q);
  for (int i = 0; i < 2; ++i) {
    rest.multiply(-1, *Q[i], products(*Q[i], Block(*x)), 1);
    expect_small(products(*Q[i], X), Small(Q[i]->block().columns, 3), 1e-14);
  }
  expect_elements(X, *rest.toMultiVector(), 1e-13);
  expect_small(*C[0], products(*Q[0], Block(*x)), 1e-13);
}

/// A random direction replaces a column that depends on others.
TEST_P(OrthoManagers, CompleteTheBasis) {
  const auto manager = make();
  const auto x = random_vectors(map, 4, 2);
  x->getVectorNonConst(2)->update(1, *x->getVector(0), 2, *x->getVector(1), 0);
  Block X(*x);
  const auto B = coefficients(4, 4);
  EXPECT_EQ(manager->normalize(X, B), 4);
  EXPECT_EQ((*B)(2, 2), 0);
  expect_small(products(X, X), identity(4), 1e-13);
  Block back(map, 4);
  back.multiply(1, X, *B, 0);
  expect_elements(back, *x, 1e-12);
  Block few(uniform_map(3), 4);
  few.randomize();
  EXPECT_EQ(manager->normalize(few, Teuchos::null), 3);
}

/// Belos' managers would replace the second column by a random one, which makes block CG stagnate.
TEST_P(OrthoManagers, KeepColumnsAtSmallAngles) {
  const auto noise = random_vectors(map, 3, 2);
  MV x(map, 3);
  for (const int j : {0, 1, 2}) {
    const double angle = j == 0 ? 0 : j == 1 ? 1e-10 : 0.01;
    x.getVectorNonConst(j)->update(1, *noise->getVector(0), angle, *noise->getVector(j), 0);
  }
  Block X(x);
  const auto B = coefficients(3, 3);
  EXPECT_EQ(make()->normalize(X, B), 3);
  EXPECT_GT((*B)(1, 1), 0);
  expect_small(products(X, X), identity(3), 1e-14);
  Block back(map, 3);
  back.multiply(1, X, *B, 0);
  expect_elements(back, x, 1e-14);

  const auto parameters = Teuchos::parameterList();
  parameters->set("singTol", 1e-6);  // compares squares
  Block Y(x);
  Factory().makeMatOrthoManager(GetParam(), Teuchos::null, Teuchos::null, "test", parameters)->normalize(Y, B);
  EXPECT_EQ((*B)(1, 1), 0);
  EXPECT_GT((*B)(2, 2), 0);
}

/// A manager with its own inner product computes the same as Belos' manager.
TEST_P(OrthoManagers, WithAnInnerProduct) {
  const RCP<const AnyOperator> M = rcp(new CrsMatrix(*distribute(generate_stencil27(6), Spread::Uniform)));
  const auto manager = make(M);
  Block X(M->getDomainMap(), 4), MX(M->getDomainMap(), 4);
  X.randomize(1);
  EXPECT_EQ(manager->normalize(X, Teuchos::null), 4);
  apply(*M, X, MX);
  expect_small(products(X, MX), identity(4), 1e-12);
}

TEST_P(OrthoManagers, TakeColumnsTogether) {
  const auto manager = make();
  Block X(map, 16);
  X.randomize(1);
  manager->normalize(X, Teuchos::null);
  X.randomize(2);
  const ToolEvents events;
  manager->normalize(X, Teuchos::null);
  EXPECT_LE(events.kernels().size(), 16U) << events.text();
}

INSTANTIATE_TEST_SUITE_P(Names, OrthoManagers, testing::Values("ICGS", "IMGS", "DGKS"),
                         [](const testing::TestParamInfo<std::string>& test) { return test.param; });

TEST(OrthoManagerFactory, KnowsItsNames) {
  Belos::OrthoManagerFactory<double, Block, AnyOperator> factory;
  EXPECT_TRUE(factory.isValidName("DGKS"));
  EXPECT_FALSE(factory.isValidName("Simple"));
  EXPECT_EQ(factory.getDefaultParameters("ICGS")->get<int>("maxNumOrthogPasses"), 2);
  EXPECT_THROW(factory.makeMatOrthoManager("none", Teuchos::null, Teuchos::null, "", Teuchos::null),
               std::invalid_argument);
}

/// Convection and diffusion on a square grid with upwind differences: nonsymmetric, diagonally dominant.
HostCsr<double> convection_diffusion(int grid) {
  HostCsr<double> result;
  result.rows = result.columns = grid * grid;
  const auto add = [&](int column, double value) {
    result.column_indices.push_back(column);
    result.values.push_back(value);
  };
  for (int row = 0; row < result.rows; ++row) {
    if (row >= grid) add(row - grid, -1.5);
    if (row % grid > 0) add(row - 1, -3.0);
    add(row, 6.51);
    if (row % grid < grid - 1) add(row + 1, -1.0);
    if (row < result.rows - grid) add(row + grid, -1.0);
    result.row_offsets.push_back(result.column_indices.size());
  }
  return result;
}

struct Case {
  std::string solver;
  bool is_symmetric;
  int columns;
  int block;  // 0: the solver has no such option
  bool is_preconditioned;
};

class BlockSolver : public testing::TestWithParam<Case> {};

TEST_P(BlockSolver, TakesAsManyIterations) {
  const Case& test = GetParam();
  const auto matrix =
      distribute(test.is_symmetric ? generate_elasticity(7, 1) : convection_diffusion(20), Spread::Uniform);
  const RCP<const AnyOperator> A = rcp(new CrsMatrix(*matrix));
  System system{A, random_vectors(A->getRangeMap(), std::size_t(test.columns), 1)};
  if (test.is_preconditioned) system.preconditioner = rcp(new Jacobi<double>(matrix));
  Teuchos::ParameterList options;
  options.set("Convergence Tolerance", tolerance);
  options.set("Maximum Iterations", 1000);
  if (test.block > 0) options.set("Block Size", test.block);
  if (test.solver == "BlockGmres" || test.solver == "PseudoBlockGmres") options.set("Num Blocks", 25);
  if (test.solver == "Gcrodr") {
    options.set("Num Blocks", 25);
    options.set("Num Recycled Blocks", 5);
  }
  const Solution expected = solve_multivectors(test.solver, system, options);
  const ToolEvents events;
  const Solution actual = solve_blocks(test.solver, system, options);
  EXPECT_GE(events.executions(), A->getDomainMap()->getLocalNumElements() > 0 ? std::size_t(actual.iterations) : 0U);
  EXPECT_TRUE(expected.converged);
  EXPECT_TRUE(actual.converged);
  EXPECT_NEAR(actual.iterations, expected.iterations, std::max(1, expected.iterations / 50));
  const double expected_residual = BlockSolvers::greatest_residual(*matrix, *expected.X, *system.B);
  EXPECT_LE(BlockSolvers::greatest_residual(*matrix, *actual.X, *system.B),
            std::max(2 * tolerance, 2 * expected_residual));
}

const Case every_case[] = {{"BlockCg", true, 8, 8, false},
                           {"BlockCg", true, 8, 8, true},
                           {"BlockCg", true, 1, 1, true},
                           {"BlockCg", true, 10, 4, true},
                           {"PseudoBlockCg", true, 8, 0, false},
                           {"PseudoBlockCg", true, 8, 0, true},
                           {"BlockGmres", false, 3, 3, false},
                           {"BlockGmres", false, 5, 2, true},
                           {"PseudoBlockGmres", false, 4, 0, false},
                           {"PseudoBlockGmres", false, 4, 0, true},
                           {"Gcrodr", false, 2, 0, false},
                           {"Gcrodr", false, 2, 0, true},
                           {"Lsqr", false, 1, 0, false}};

INSTANTIATE_TEST_SUITE_P(Solvers, BlockSolver, testing::ValuesIn(every_case),
                         [](const testing::TestParamInfo<Case>& test) {
                           const Case& c = test.param;
                           return c.solver + std::to_string(c.columns) + (c.is_preconditioned ? "Preconditioned" : "");
                         });

}  // namespace Tessera::Impl::Test
