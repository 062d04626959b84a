// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Tpetra program whose ranks send halos by NCCL. On one rank there is no halo.
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <cstdlib>
#include <tessera/tpetra/CrsMatrix.hpp>

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard guard(&argc, &argv);
  const auto map = Teuchos::rcp(new const Tpetra::Map<>(10, 0, Tpetra::getDefaultComm()));
  Tpetra::CrsMatrix<> identity(map, 1);
  for (const auto row : map->getLocalElementList())
    identity.insertGlobalValues(row, Teuchos::tuple(row), Teuchos::tuple(1.0));
  identity.fillComplete();
  const Tessera::CrsMatrix matrix(identity, {.halo_memory = Tessera::HaloMemory::Nccl});
  Tpetra::MultiVector<> X(map, 2), Y(map, 2);
  X.putScalar(3);
  matrix.apply(X, Y);
  return Y.getVector(1)->normInf() == 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
