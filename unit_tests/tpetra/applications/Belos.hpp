// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <BelosLinearProblem.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>

#include "Applications.hpp"

namespace Applications {

/// Solves A X = B for several right-hand sides with a solver of Belos.
///
/// \param preconditioner [in] may be null
template <class Solver>
Outcome solve(const RCP<Matrix>& A, const RCP<const Operator>& preconditioner, Teuchos::ParameterList options,
              std::size_t columns = 4) {
  const auto B = right_hand_sides(*A, columns);
  const auto X = rcp(new MultiVector(A->getDomainMap(), columns));
  const auto problem = rcp(new Belos::LinearProblem<double, MultiVector, Operator>(A, X, B));
  if (!preconditioner.is_null()) problem->setRightPrec(preconditioner);
  problem->setProblem();
  options.set("Convergence Tolerance", 1e-8);
  options.set("Maximum Iterations", 500);
  Solver solver(problem, Teuchos::rcpFromRef(options));
  const bool converged = solver.solve() == Belos::Converged;
  return {converged, solver.getNumIters(), residual(*A, *X, *B)};
}

}  // namespace Applications
