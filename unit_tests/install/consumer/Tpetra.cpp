// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Tpetra program that wraps a matrix: Y = A X with A = diag(1, 2, 3, ...).
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <cstdlib>
#include <tessera/tpetra/TpetraOperator.hpp>

namespace {

using Matrix = Tpetra::CrsMatrix<>;
using Scalar = Matrix::scalar_type;

int wrong_entries() {
  const auto map = Teuchos::rcp(new const Tpetra::Map<>(10, 0, Tpetra::getDefaultComm()));
  const auto A = Teuchos::rcp(new Matrix(map, 1));
  for (const auto row : map->getLocalElementList()) {
    A->insertGlobalValues(row, Teuchos::tuple(row), Teuchos::tuple(Scalar(row + 1)));
  }
  A->fillComplete();
  const Tessera::TpetraOperator<Scalar> op(A);
  Tpetra::MultiVector<Scalar> X(map, 3), Y(map, 3);
  X.putScalar(2);
  op.apply(X, Y);
  const auto y = Y.getLocalViewHost(Tpetra::Access::ReadOnly);
  int wrong = 0;
  for (int i = 0; i < static_cast<int>(map->getLocalNumElements()); ++i) {
    wrong += y(i, 2) != 2.0 * static_cast<double>(map->getGlobalElement(i) + 1);
  }
  return wrong;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard guard(&argc, &argv);
  return wrong_entries() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
