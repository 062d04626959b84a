// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of docs/adapters.md about blocks of vectors.
#include <gtest/gtest.h>

#include <BelosBlockCGSolMgr.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <tessera/tpetra/BelosBlockVector.hpp>  // or AnasaziBlockVector.hpp
#include <tessera/tpetra/Chebyshev.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>

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

}  // namespace

}  // namespace Tessera::Documents
