// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Foreign.hpp"
#ifdef TESSERA_TEST_MUELU
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <Teuchos_ParameterList.hpp>
#endif

namespace BlockSolvers {

Teuchos::RCP<const Tpetra::Operator<double>> muelu_cycle(
    [[maybe_unused]] const Teuchos::RCP<Tpetra::CrsMatrix<double>>& A) {
#ifdef TESSERA_TEST_MUELU
  Teuchos::ParameterList options;
  options.set("verbosity", "none");
  options.set("coarse: max size", 100);
  return MueLu::CreateTpetraPreconditioner(Teuchos::RCP<Tpetra::Operator<double>>(A), options);
#else
  return Teuchos::null;
#endif
}

}  // namespace BlockSolvers
