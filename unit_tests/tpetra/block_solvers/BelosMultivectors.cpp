// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <BelosTpetraAdapter.hpp>

#include "Belos.hpp"

namespace BlockSolvers {

Solution solve_multivectors(const std::string& solver, const System& system, Teuchos::ParameterList options) {
  return solve<MultiVector>(solver, system, options);
}

}  // namespace BlockSolvers
