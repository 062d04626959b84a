// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>

#include "Belos.hpp"

namespace Applications {

std::vector<Application> muelu() {
  return {{"V-cycle", [](const RCP<Matrix>& A) {
             Teuchos::ParameterList options;
             options.set("verbosity", "none");
             options.set("coarse: max size", 100);
             const RCP<const Operator> cycle = MueLu::CreateTpetraPreconditioner(RCP<Operator>(A), options);
             return solve<Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator>>(A, cycle, {});
           }}};
}

}  // namespace Applications
