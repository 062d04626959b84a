// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <BelosBlockCGSolMgr.hpp>
#include <BelosBlockGmresSolMgr.hpp>
#include <BelosGCRODRSolMgr.hpp>
#include <BelosLSQRSolMgr.hpp>
#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <stdexcept>

#include "BlockSolvers.hpp"

namespace BlockSolvers {

inline RCP<MultiVector> as_multivector(const RCP<MultiVector>& X) { return X; }
template <class Block>
RCP<MultiVector> as_multivector(const RCP<Block>& X) {
  return X->toMultiVector();
}

template <class Solver, class MV>
Solution solve_by(const System& system, bool is_left, Teuchos::ParameterList options) {
  const auto B = rcp(new MV(*system.B));
  const auto X = rcp(new MV(system.A->getDomainMap(), B->getNumVectors()));
  const auto problem = rcp(new Belos::LinearProblem<double, MV, Operator>(system.A, X, B));
  if (!system.preconditioner.is_null() && is_left) problem->setLeftPrec(system.preconditioner);
  if (!system.preconditioner.is_null() && !is_left) problem->setRightPrec(system.preconditioner);
  problem->setProblem();
  Solver solver(problem, Teuchos::rcpFromRef(options));
  const bool converged = solver.solve() == Belos::Converged;
  return {converged, solver.getNumIters(), as_multivector(X)};
}

template <class MV>
Solution solve(const std::string& solver, const System& system, const Teuchos::ParameterList& options) {
  if (solver == "BlockCg") return solve_by<Belos::BlockCGSolMgr<double, MV, Operator>, MV>(system, true, options);
  if (solver == "PseudoBlockCg")
    return solve_by<Belos::PseudoBlockCGSolMgr<double, MV, Operator>, MV>(system, true, options);
  if (solver == "BlockGmres")
    return solve_by<Belos::BlockGmresSolMgr<double, MV, Operator>, MV>(system, false, options);
  if (solver == "PseudoBlockGmres")
    return solve_by<Belos::PseudoBlockGmresSolMgr<double, MV, Operator>, MV>(system, false, options);
  if (solver == "Gcrodr") return solve_by<Belos::GCRODRSolMgr<double, MV, Operator>, MV>(system, false, options);
  if (solver == "Lsqr") return solve_by<Belos::LSQRSolMgr<double, MV, Operator>, MV>(system, false, options);
  throw std::invalid_argument(solver);
}

}  // namespace BlockSolvers
