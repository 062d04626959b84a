// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes the least eigenvalues of a symmetric positive definite matrix by LOBPCG of several libraries:
//   mpirun -n 2 slepc_lobpcg [MATRIX [BLOCK [ROUNDS [PRECONDITIONER]]]] [PETSc's options]
// MATRIX is a file or a generated matrix such as stencil27:20, the default. BLOCK is the number of vectors, 8 by
// default; two of them are spare, and the others become eigenvectors. PRECONDITIONER is `none` (the default) or
// `jacobi`. The ways, which take turns:
//   SLEPc                   EPSLOBPCG
//   Anasazi, Tpetra         Anasazi's LOBPCG with Tpetra::CrsMatrix and Tpetra::MultiVector
//   Anasazi, Tessera        with Tessera::CrsMatrix and Tessera::BlockVector
// All start from the same vectors, and stop when |A v - lambda v| is at most 1e-6 |lambda|.
#include <slepceps.h>

#include <AnasaziBasicEigenproblem.hpp>
#include <AnasaziLOBPCGSolMgr.hpp>
#include <AnasaziTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <tessera/tpetra/AnasaziBlockVector.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <vector>

#include "../../example/common/AllRanks.hpp"
#include "../../example/common/DistributedMatrix.hpp"
#include "Arguments.hpp"
#include "Petsc.hpp"
#include "Rounds.hpp"

namespace {

using Rounds::Solution;
using Rounds::Way;
using Teuchos::RCP;
using Teuchos::rcp;
using TpetraMatrix = Tpetra::CrsMatrix<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Block = Tessera::BlockVector<double>;
using Operator = Tpetra::Operator<double>;
using EigenSolver = Petsc::Owner<EPS, EPSDestroy>;

constexpr double tolerance = 1e-6;
constexpr int most_iterations = 5000;

/// What all ways solve.
struct Problem {
  RCP<const TpetraMatrix> A;
  RCP<const MultiVector> start;  ///< the first vectors
  int wanted = 0;                ///< number of eigenvalues
  bool has_jacobi = false;

  const Example::Communicator& comm() const { return *A->getComm(); }

  /// Sets the greatest |A v - lambda v| / |lambda v|.
  void check(const MultiVector& V, const std::vector<double>& eigenvalues, bool has_converged,
             Solution& solution) const {
    MultiVector R(V, Teuchos::Copy);
    R.scale(eigenvalues);
    std::vector<double> norms(eigenvalues.size()), residuals(eigenvalues.size());
    R.norm2(norms);
    A->apply(V, R, Teuchos::NO_TRANS, 1.0, -1.0);
    R.norm2(residuals);
    for (std::size_t j = 0; j < norms.size(); ++j)
      solution.residual = Tessera::Impl::Harness::greater(solution.residual, residuals[j] / norms[j]);
    solution.is_right = has_converged && solution.residual <= 2 * tolerance;
  }
};

/// Copies a column of a multivector to a vector.
Petsc::Vector vector_of(const MultiVector& X, std::size_t j) {
  Petsc::Vector result;
  Petsc::check(VecCreateMPI(PETSC_COMM_WORLD, static_cast<PetscInt>(X.getLocalLength()), PETSC_DETERMINE, &result));
  const auto from = X.getLocalViewHost(Tpetra::Access::ReadOnly);
  PetscScalar* to = nullptr;
  Petsc::check(VecGetArrayWrite(result, &to));
  for (std::size_t i = 0; i < from.extent(0); ++i) to[i] = from(i, j);
  Petsc::check(VecRestoreArrayWrite(result, &to));
  return result;
}

/// Copies a vector to a column of a multivector.
void copy(Vec x, MultiVector& X, std::size_t j) {
  const auto to = X.getLocalViewHost(Tpetra::Access::ReadWrite);
  const PetscScalar* from = nullptr;
  Petsc::check(VecGetArrayRead(x, &from));
  for (std::size_t i = 0; i < to.extent(0); ++i) to(i, j) = from[i];
  Petsc::check(VecRestoreArrayRead(x, &from));
}

/// Sets all options, and then those of the command line.
void set_options(const Problem& problem, EPS solver, Mat A) {
  const auto columns = static_cast<PetscInt>(problem.start->getNumVectors());
  Petsc::check(EPSSetOperators(solver, A, nullptr));
  Petsc::check(EPSSetProblemType(solver, EPS_HEP));
  Petsc::check(EPSSetType(solver, EPSLOBPCG));
  Petsc::check(EPSLOBPCGSetBlockSize(solver, columns));
  Petsc::check(EPSSetWhichEigenpairs(solver, EPS_SMALLEST_REAL));
  Petsc::check(EPSSetDimensions(solver, problem.wanted, PETSC_DETERMINE, PETSC_DETERMINE));
  Petsc::check(EPSSetTolerances(solver, tolerance, most_iterations));
  ST transformation = nullptr;
  KSP precondition = nullptr;
  PC preconditioner = nullptr;
  Petsc::check(EPSGetST(solver, &transformation));
  Petsc::check(STSetType(transformation, STPRECOND));
  Petsc::check(STGetKSP(transformation, &precondition));
  Petsc::check(KSPSetType(precondition, KSPPREONLY));
  Petsc::check(KSPGetPC(precondition, &preconditioner));
  Petsc::check(PCSetType(preconditioner, problem.has_jacobi ? PCJACOBI : PCNONE));
  Petsc::check(EPSSetFromOptions(solver));
}

Solution solve_by_slepc(const Problem& problem, Mat A) {
  std::vector<Petsc::Vector> vectors;
  std::vector<Vec> start;
  for (std::size_t j = 0; j < problem.start->getNumVectors(); ++j) {
    vectors.push_back(vector_of(*problem.start, j));
    start.push_back(vectors.back());
  }
  EigenSolver solver;
  Solution solution;
  solution.seconds = Rounds::seconds_of(problem.comm(), [&] {
    Petsc::check(EPSCreate(PETSC_COMM_WORLD, &solver));
    set_options(problem, solver, A);
    Petsc::check(EPSSetInitialSpace(solver, static_cast<PetscInt>(start.size()), start.data()));
    Petsc::check(EPSSolve(solver));
  });
  PetscInt iterations = 0, found = 0;
  EPSConvergedReason reason = EPS_CONVERGED_ITERATING;
  Petsc::check(EPSGetIterationNumber(solver, &iterations));
  Petsc::check(EPSGetConverged(solver, &found));
  Petsc::check(EPSGetConvergedReason(solver, &reason));
  solution.iterations = iterations;
  solution.end = EPSConvergedReasons[reason];
  found = std::min(found, static_cast<PetscInt>(problem.wanted));
  if (found == 0) return solution;
  std::vector<double> eigenvalues(static_cast<std::size_t>(found));
  MultiVector V(problem.A->getDomainMap(), eigenvalues.size());
  for (std::size_t j = 0; j < eigenvalues.size(); ++j) {
    Petsc::check(EPSGetEigenpair(solver, static_cast<PetscInt>(j), &eigenvalues[j], nullptr, vectors[0], nullptr));
    copy(vectors[0], V, j);
  }
  problem.check(V, eigenvalues, reason > 0 && found == problem.wanted, solution);
  return solution;
}

/// \tparam Vectors  MultiVector or Block
template <class Vectors>
Solution solve_by_anasazi(const Problem& task, const RCP<const Operator>& A, const Vectors& start) {
  const auto V = rcp(new Vectors(start, Teuchos::Copy));
  const auto problem = rcp(new Anasazi::BasicEigenproblem<double, Vectors, Operator>(A, V));
  const auto jacobi = task.has_jacobi ? rcp(new Tessera::Jacobi<>(task.A)) : Teuchos::null;
  Solution solution;
  bool has_converged = false;
  solution.seconds = Rounds::seconds_of(task.comm(), [&] {
    problem->setHermitian(true);
    if (!jacobi.is_null()) problem->setPrec(jacobi);
    problem->setNEV(task.wanted);
    problem->setProblem();
    Teuchos::ParameterList options;
    options.set("Which", "SR");
    options.set("Block Size", static_cast<int>(V->getNumVectors()));
    options.set("Convergence Tolerance", tolerance);
    options.set("Maximum Iterations", most_iterations);
    Anasazi::LOBPCGSolMgr<double, Vectors, Operator> solver(problem, options);
    has_converged = solver.solve() == Anasazi::Converged;
    solution.iterations = solver.getNumIters();
  });
  solution.end = has_converged ? "converged" : "not converged";
  const auto& found = problem->getSolution();
  std::vector<double> eigenvalues;
  for (int j = 0; j < found.numVecs; ++j) eigenvalues.push_back(found.Evals[static_cast<std::size_t>(j)].realpart);
  if (!eigenvalues.empty()) task.check(Petsc::as_multivector(*found.Evecs), eigenvalues, has_converged, solution);
  return solution;
}

std::vector<Way> all_ways(const Problem& problem) {
  const auto A = std::make_shared<Petsc::Matrix>();
  const auto tessera = std::make_shared<RCP<const Operator>>();
  const auto blocks = std::make_shared<Block>(*problem.start);
  return {{"SLEPc", [=] { A->reset(Petsc::copy_of(*problem.A)); }, [=] { return solve_by_slepc(problem, *A); }},
          {"Anasazi, Tpetra", [] {}, [=] { return solve_by_anasazi(problem, problem.A, *problem.start); }},
          {"Anasazi, Tessera", [=] { *tessera = rcp(new Tessera::CrsMatrix(*problem.A)); },
           [=] { return solve_by_anasazi(problem, *tessera, *blocks); }}};
}

int run(const RCP<const Example::Communicator>& comm, int argc, char* argv[]) {
  const auto arguments = Petsc::parse(argc, argv, "stencil27:20");
  Problem problem;
  problem.A = Example::symmetric_matrix(arguments.matrix, comm);
  problem.has_jacobi = arguments.has_jacobi;
  problem.wanted = std::max(1, arguments.columns - 2);
  problem.start = Petsc::random_columns(problem.A->getRangeMap(), arguments.columns);
  if (comm->getRank() == 0) {
    std::printf(
        "%s: %zu rows, %zu nonzeros, ranks: %d; %d eigenvalues, block: %d, preconditioner: %s, tolerance %.0e\n",
        arguments.matrix.c_str(), problem.A->getGlobalNumRows(), problem.A->getGlobalNumEntries(), comm->getSize(),
        problem.wanted, arguments.columns, arguments.preconditioner(), tolerance);
  }
  return Rounds::run(*comm, all_ways(problem), arguments.rounds) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  const auto comm = Tpetra::getDefaultComm();
  if (SlepcInitialize(&argc, &argv, nullptr, nullptr) != PETSC_SUCCESS) return 2;
  int status = EXIT_SUCCESS;
  try {
    status = run(comm, argc, argv);
  } catch (...) {
    status = Example::report_error("slepc_lobpcg", *comm);
  }
  return SlepcFinalize() == PETSC_SUCCESS ? status : 2;
}
