// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <AnasaziBasicEigenproblem.hpp>
#include <AnasaziBlockKrylovSchurSolMgr.hpp>
#include <AnasaziLOBPCGSolMgr.hpp>
#include <stdexcept>

#include "BlockSolvers.hpp"

namespace BlockSolvers {

inline RCP<MultiVector> as_multivector(const RCP<MultiVector>& X) { return X; }
inline RCP<MultiVector> copy_of(const MultiVector& X, MultiVector*) { return rcp(new MultiVector(X, Teuchos::Copy)); }
template <class Block>
RCP<MultiVector> as_multivector(const RCP<Block>& X) {
  return X->toMultiVector();
}
template <class Block>
RCP<Block> copy_of(const MultiVector& X, Block*) {
  return rcp(new Block(X));
}

template <class Solver, class MV>
Eigenvalues eigenvalues_by(const Eigenproblem& given, Teuchos::ParameterList options) {
  const auto V = copy_of(*given.start, static_cast<MV*>(nullptr));
  const auto problem = rcp(new Anasazi::BasicEigenproblem<double, MV, Operator>(given.A, V));
  problem->setHermitian(true);
  problem->setNEV(given.wanted);
  if (!given.preconditioner.is_null()) problem->setPrec(given.preconditioner);
  problem->setProblem();
  Solver solver(problem, options);
  Eigenvalues result;
  result.converged = solver.solve() == Anasazi::Converged;
  result.iterations = solver.getNumIters();
  const auto& found = problem->getSolution();
  for (int j = 0; j < found.numVecs; ++j) result.values.push_back(found.Evals[std::size_t(j)].realpart);
  if (found.numVecs > 0) result.vectors = as_multivector(found.Evecs);
  return result;
}

template <class MV>
Eigenvalues eigenvalues(const std::string& solver, const Eigenproblem& problem, const Teuchos::ParameterList& options) {
  if (solver == "Lobpcg") return eigenvalues_by<Anasazi::LOBPCGSolMgr<double, MV, Operator>, MV>(problem, options);
  if (solver == "BlockKrylovSchur")
    return eigenvalues_by<Anasazi::BlockKrylovSchurSolMgr<double, MV, Operator>, MV>(problem, options);
  throw std::invalid_argument(solver);
}

}  // namespace BlockSolvers
