// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <Ifpack2_Factory.hpp>

#include "Belos.hpp"

namespace Applications {

namespace {

/// A preconditioner of Ifpack2, which uses RowMatrix' interface.
RCP<const Operator> preconditioner(const RCP<Matrix>& A, const std::string& type,
                                   const Teuchos::ParameterList& options) {
  const RCP<const Tpetra::RowMatrix<double>> rows = A;
  const auto result = Ifpack2::Factory::create(type, rows);
  result->setParameters(options);
  result->initialize();
  result->compute();
  return result;
}

Outcome relaxation(const RCP<Matrix>& A, const std::string& kind) {
  Teuchos::ParameterList options;
  options.set("relaxation: type", kind);
  options.set("relaxation: sweeps", 2);
  options.set("relaxation: zero starting solution", true);
  return solve<Belos::PseudoBlockGmresSolMgr<double, MultiVector, Operator>>(
      A, preconditioner(A, "RELAXATION", options), {});
}

}  // namespace

std::vector<Application> ifpack2() {
  return {{"Chebyshev",
           [](const RCP<Matrix>& A) {
             Teuchos::ParameterList options;
             options.set("chebyshev: degree", 3);
             options.set("chebyshev: max eigenvalue", 2.0);  // an estimate would depend on random numbers
             return solve<Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator>>(
                 A, preconditioner(A, "CHEBYSHEV", options), {});
           }},
          {"Jacobi", [](const RCP<Matrix>& A) { return relaxation(A, "Jacobi"); }},
          {"symmetric Gauss-Seidel", [](const RCP<Matrix>& A) { return relaxation(A, "Symmetric Gauss-Seidel"); }}};
}

}  // namespace Applications
