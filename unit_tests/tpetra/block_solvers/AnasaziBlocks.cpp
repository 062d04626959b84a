// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/tpetra/AnasaziBlockVector.hpp>

#include "Anasazi.hpp"

namespace BlockSolvers {

Eigenvalues eigenvalues_blocks(const std::string& solver, const Eigenproblem& problem, Teuchos::ParameterList options) {
  return eigenvalues<Tessera::BlockVector<double>>(solver, problem, options);
}

}  // namespace BlockSolvers
