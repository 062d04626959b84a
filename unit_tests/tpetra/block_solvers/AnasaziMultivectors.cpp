// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <AnasaziTpetraAdapter.hpp>

#include "Anasazi.hpp"

namespace BlockSolvers {

Eigenvalues eigenvalues_multivectors(const std::string& solver, const Eigenproblem& problem,
                                     Teuchos::ParameterList options) {
  return eigenvalues<MultiVector>(solver, problem, options);
}

}  // namespace BlockSolvers
