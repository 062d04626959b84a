// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/tpetra/BelosBlockVector.hpp>

#include "Belos.hpp"

namespace BlockSolvers {

Solution solve_blocks(const std::string& solver, const System& system, Teuchos::ParameterList options) {
  return solve<Tessera::BlockVector<double>>(solver, system, options);
}

}  // namespace BlockSolvers
