// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <AnasaziBasicEigenproblem.hpp>
#include <AnasaziBlockKrylovSchurSolMgr.hpp>
#include <AnasaziLOBPCGSolMgr.hpp>
#include <AnasaziTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>

#include "Applications.hpp"

namespace Applications {

namespace {

/// Computes four eigenvalues at the end of the spectrum given by `which`.
template <class Solver>
Outcome eigenvalues(const RCP<Matrix>& A, const char* which, Teuchos::ParameterList options) {
  const auto V = right_hand_sides(*A, 4);
  const auto problem = rcp(new Anasazi::BasicEigenproblem<double, MultiVector, Operator>(A, V));
  problem->setHermitian(true);
  problem->setNEV(4);
  problem->setProblem();
  options.set("Which", which);
  options.set("Block Size", 4);
  options.set("Convergence Tolerance", 1e-6);
  Solver solver(problem, options);
  Outcome outcome;
  outcome.converged = solver.solve() == Anasazi::Converged;
  outcome.iterations = solver.getNumIters();
  const auto& found = problem->getSolution();
  for (int j = 0; j < found.numVecs; ++j) {
    const double lambda = found.Evals[std::size_t(j)].realpart;
    const auto v = found.Evecs->getVector(std::size_t(j));
    MultiVector R(*v, Teuchos::Copy);
    A->apply(*v, R, Teuchos::NO_TRANS, 1.0, -lambda);
    outcome.error = std::max(outcome.error, R.getVector(0)->norm2() / std::abs(lambda));
  }
  return outcome;
}

}  // namespace

std::vector<Application> anasazi() {
  return {{"LOBPCG",
           [](const RCP<Matrix>& A) {
             Teuchos::ParameterList options;
             options.set("Maximum Iterations", 300);
             return eigenvalues<Anasazi::LOBPCGSolMgr<double, MultiVector, Operator>>(A, "LR", options);
           }},
          {"block Krylov-Schur", [](const RCP<Matrix>& A) {
             Teuchos::ParameterList options;
             options.set("Num Blocks", 10);
             options.set("Maximum Restarts", 100);
             return eigenvalues<Anasazi::BlockKrylovSchurSolMgr<double, MultiVector, Operator>>(A, "LR", options);
           }}};
}

}  // namespace Applications
