// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of docs/adapters.md about blocks of vectors and matrices of blocks.
#include <gtest/gtest.h>

#include <BelosBlockCGSolMgr.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <tessera/tpetra/BelosBlockVector.hpp>  // or AnasaziBlockVector.hpp
#include <tessera/tpetra/Chebyshev.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>

namespace Tessera::Documents {

namespace {

/// A matrix with 2 on the diagonal and the same number of rows on each rank.
Teuchos::RCP<Tpetra::CrsMatrix<double>> make_matrix() {
  const auto comm = Tpetra::getDefaultComm();
  const auto rows = Teuchos::rcp(new Tpetra::Map<>(10 * static_cast<Tpetra::global_size_t>(comm->getSize()), 0, comm));
  const auto matrix = Teuchos::rcp(new Tpetra::CrsMatrix<double>(rows, 1));
  for (const auto row : rows->getLocalElementList())
    matrix->insertGlobalValues(row, Teuchos::tuple(row), Teuchos::tuple(2.0));
  matrix->fillComplete();
  return matrix;
}

TEST(Belos, SolvesWithBlocksOfVectors) {
  const auto matrix = make_matrix();
  const auto right_hand_sides = Teuchos::rcp(new Tpetra::MultiVector<double>(matrix->getRangeMap(), 2));
  const auto solution = Teuchos::rcp(new Tpetra::MultiVector<double>(matrix->getDomainMap(), 2));
  const auto parameters = Teuchos::parameterList();
  right_hand_sides->putScalar(1.0);

  using MV = Tessera::BlockVector<double>;  // before: Tpetra::MultiVector<double>
  using OP = Tpetra::Operator<double>;
  auto A = Teuchos::rcp(new Tessera::CrsMatrix(*matrix));
  auto B = Teuchos::rcp(new MV(*right_hand_sides));  // copied from a Tpetra::MultiVector
  auto X = Teuchos::rcp(new MV(A->getDomainMap(), B->getNumVectors()));
  auto problem = Teuchos::rcp(new Belos::LinearProblem<double, MV, OP>(A, X, B));
  problem->setLeftPrec(Teuchos::rcp(new Tessera::Chebyshev<double>(A)));
  problem->setProblem();
  Belos::BlockCGSolMgr<double, MV, OP> solver(problem, parameters);
  EXPECT_EQ(solver.solve(), Belos::Converged);
  X->copyTo(*solution);  // back, after solve()

  Teuchos::Array<double> norms(2);
  solution->normInf(norms);
  EXPECT_NEAR(norms[1], 0.5, 1e-8);
}

/// A matrix whose blocks are on the diagonal, have 3 rows, and 2 on the diagonal.
Teuchos::RCP<Tpetra::BlockCrsMatrix<double>> make_block_matrix() {
  const auto graph = make_matrix()->getCrsGraph();
  const auto matrix = Teuchos::rcp(new Tpetra::BlockCrsMatrix<double>(*graph, 3));
  const double block[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  for (int row = 0; row < static_cast<int>(matrix->getLocalNumRows()); ++row) {
    EXPECT_EQ(matrix->replaceLocalValues(row, &row, block, 1), 1);
  }
  return matrix;
}

TEST(Belos, SolvesWithAMatrixOfBlocks) {
  const auto matrix = make_block_matrix();
  const auto parameters = Teuchos::parameterList();
  Tpetra::MultiVector<double> right_hand_sides(matrix->getRangeMap(), 2), solution(matrix->getDomainMap(), 2);
  right_hand_sides.putScalar(1.0);

  using MV = Tessera::BlockVector<double>;  // or Tpetra::MultiVector<double>
  using OP = Tpetra::Operator<double>;
  auto A = Teuchos::rcp(new Tessera::TpetraOperator(matrix));  // matrix: RCP of a Tpetra::BlockCrsMatrix<double>
  auto B = Teuchos::rcp(new MV(right_hand_sides));
  auto X = Teuchos::rcp(new MV(A->getDomainMap(), B->getNumVectors()));  // a row for each point
  auto problem = Teuchos::rcp(new Belos::LinearProblem<double, MV, OP>(A, X, B));
  problem->setLeftPrec(Teuchos::rcp(new Tessera::Jacobi<double>(A)));
  problem->setProblem();
  Belos::BlockCGSolMgr<double, MV, OP> solver(problem, parameters);
  EXPECT_EQ(solver.solve(), Belos::Converged);
  X->copyTo(solution);

  Teuchos::Array<double> norms(2);
  solution.normInf(norms);
  EXPECT_NEAR(norms[1], 0.5, 1e-8);
}

}  // namespace

}  // namespace Tessera::Documents
