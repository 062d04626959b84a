// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solves A X = B for several right-hand sides by block conjugate gradients of several libraries, from end to end:
//   mpirun -n 2 petsc_block_cg [MATRIX [COLUMNS [ROUNDS [PRECONDITIONER]]]] [PETSc's options]
// MATRIX must be symmetric positive definite: a file or a generated matrix such as elasticity:16, the default.
// PRECONDITIONER is `none` (the default) or `jacobi`. The ways, which take turns:
//   PETSc bcg, PETSc bfbcg  KSPMatSolve of KSPHPDDM: block CG, and breakdown-free block CG; if PETSc has HPDDM
//   PETSc cg                KSPMatSolve of KSPCG, which solves one column after the other
//   Belos, Tpetra           Belos' block CG with Tpetra::CrsMatrix and Tpetra::MultiVector
//   Belos, Tessera          Belos' block CG with Tessera::CrsMatrix and Tessera::BlockVector
//   Tessera::block_cg       with Tessera::CrsMatrix and Tessera::BlockVector
// All have the same B, the tolerance 1e-8, and equal rows on each rank. HPDDM stops by the norm of M (b - A x), where M
// is the preconditioner, the others by that of b - A x. Options of a way of PETSc have its name as prefix:
// -bcg_ksp_rtol 3e-9.
#include <BelosBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_DefaultMpiComm.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <tessera/tpetra/BelosBlockVector.hpp>
#include <tessera/tpetra/BlockCg.hpp>
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
using Space = Block::execution_space;

constexpr double tolerance = 1e-8;
constexpr int most_iterations = 20000;

/// What all ways solve.
struct Problem {
  RCP<const TpetraMatrix> A;
  RCP<const MultiVector> B;
  bool has_jacobi = false;

  const Example::Communicator& comm() const { return *A->getComm(); }
  std::size_t columns() const { return B->getNumVectors(); }

  /// Sets the greatest |b - A x| / |b|. It may be ten times the tolerance: HPDDM measures it in another norm.
  void check(const MultiVector& X, bool has_converged, Solution& solution) const {
    MultiVector R(*B, Teuchos::Copy);
    A->apply(X, R, Teuchos::NO_TRANS, -1.0, 1.0);
    std::vector<double> residuals(columns()), norms(columns());
    R.norm2(residuals);
    B->norm2(norms);
    for (std::size_t j = 0; j < norms.size(); ++j)
      solution.residual = Tessera::Impl::Harness::greater(solution.residual, residuals[j] / norms[j]);
    solution.is_right = has_converged && solution.residual <= 10 * tolerance;
  }
};

/// Adds KSPMatSolve with the options that begin with -NAME_.
void add_petsc(const Problem& problem, const std::string& name, std::vector<Way>& ways) {
  struct Data {
    Petsc::Matrix A, B;
  };
  const auto data = std::make_shared<Data>();
  const auto set_up = [=] { data->A.reset(Petsc::copy_of(*problem.A)); };
  const auto solve = [=] {
    if (!data->B) data->B.reset(Petsc::copy_of(*problem.B));
    const Petsc::Matrix X = Petsc::dense_like(*problem.B);
    Petsc::LinearSolver solver;
    Solution solution;
    solution.seconds = Rounds::seconds_of(problem.comm(), [&] {
      Petsc::check(KSPCreate(PETSC_COMM_WORLD, &solver));
      Petsc::check(KSPSetOptionsPrefix(solver, (name + "_").c_str()));
      Petsc::check(KSPSetOperators(solver, data->A, data->A));
      Petsc::check(KSPSetTolerances(solver, tolerance, PETSC_CURRENT, PETSC_CURRENT, most_iterations));
      Petsc::check(KSPSetFromOptions(solver));
      Petsc::check(KSPMatSolve(solver, data->B, X));
    });
    PetscInt iterations = 0;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    const char* words = nullptr;
    Petsc::check(KSPGetTotalIterations(solver, &iterations));
    Petsc::check(KSPGetConvergedReason(solver, &reason));
    Petsc::check(KSPGetConvergedReasonString(solver, &words));
    const bool is_block = name != "cg";
    if (is_block) Petsc::check(KSPGetIterationNumber(solver, &iterations));
    solution.iterations = iterations / (is_block ? 1.0 : static_cast<double>(problem.columns()));
    solution.end = words;
    MultiVector result(problem.B->getMap(), problem.columns());
    Petsc::copy(X, result);
    problem.check(result, reason > 0, solution);
    return solution;
  };
  ways.push_back({"PETSc " + name, set_up, solve});
}

/// Adds the ways of PETSc, with default options that those of the command line replace.
void add_petsc(const Problem& problem, int argc, char** argv, std::vector<Way>& ways) {
  void (*makes_hpddm)() = nullptr;
  Petsc::check(PetscFunctionListFind(KSPList, KSPHPDDM, &makes_hpddm));
  const std::string precondition = problem.has_jacobi ? "jacobi" : "none";
  std::string options = "-cg_ksp_type cg -cg_ksp_norm_type unpreconditioned -cg_pc_type " + precondition;
  std::vector<std::string> names = {"cg"};
  if (makes_hpddm != nullptr) {
    for (const std::string name : {"bfbcg", "bcg"}) {
      options += " -" + name + "_ksp_type hpddm -" + name + "_ksp_hpddm_type " + name + " -" + name + "_pc_type " +
                 precondition;
      names.insert(names.begin(), name);
    }
  } else if (problem.comm().getRank() == 0) {
    std::printf("PETSc bcg and bfbcg are left out: this PETSc has no KSPHPDDM\n");
  }
  Petsc::check(PetscOptionsInsertString(nullptr, options.c_str()));
  Petsc::check(PetscOptionsInsert(nullptr, &argc, &argv, nullptr));
  for (const std::string& name : names) add_petsc(problem, name, ways);
}

/// \tparam Vectors  MultiVector or Block
template <class Vectors>
Solution solve_by_belos(const Problem& task, const RCP<const Operator>& A, const RCP<const Vectors>& B) {
  const auto X = rcp(new Vectors(B->getMap(), B->getNumVectors()));
  const auto jacobi = task.has_jacobi ? rcp(new Tessera::Jacobi<>(task.A)) : Teuchos::null;
  Solution solution;
  bool has_converged = false;
  solution.seconds = Rounds::seconds_of(task.comm(), [&] {
    const auto problem = rcp(new Belos::LinearProblem<double, Vectors, Operator>(A, X, B));
    if (!jacobi.is_null()) problem->setLeftPrec(jacobi);
    const auto options = Teuchos::parameterList();
    options->set("Block Size", static_cast<int>(B->getNumVectors()));
    options->set("Convergence Tolerance", tolerance);
    options->set("Maximum Iterations", most_iterations);
    Belos::BlockCGSolMgr<double, Vectors, Operator> solver(problem, options);
    problem->setProblem();
    has_converged = solver.solve() == Belos::Converged;
    solution.iterations = solver.getNumIters();
  });
  solution.end = has_converged ? "converged" : "not converged";
  task.check(Petsc::as_multivector(*X), has_converged, solution);
  return solution;
}

void add_belos(const Problem& problem, std::vector<Way>& ways) {
  ways.push_back({"Belos, Tpetra", [] {}, [=] { return solve_by_belos<MultiVector>(problem, problem.A, problem.B); }});
  const auto A = std::make_shared<RCP<const Operator>>();
  const RCP<const Block> B = rcp(new Block(*problem.B));
  ways.push_back({"Belos, Tessera", [=] { *A = rcp(new Tessera::CrsMatrix(*problem.A)); },
                  [=] { return solve_by_belos<Block>(problem, *A, B); }});
}

void add_block_cg(const Problem& problem, std::vector<Way>& ways) {
  struct Data {
    RCP<const Operator> A;
    Tessera::BlockCgWorkspace<Space, double> workspace;
  };
  const auto data = std::make_shared<Data>();
  const RCP<const Block> B = rcp(new Block(*problem.B));
  const auto set_up = [=] { data->A = rcp(new Tessera::CrsMatrix(*problem.A)); };
  const auto solve = [=] {
    Block X(B->getMap(), B->getNumVectors());
    Tessera::BlockCgOptions<double> options;
    options.tolerance = tolerance;
    options.max_iterations = most_iterations;
    const auto jacobi = problem.has_jacobi ? rcp(new Tessera::Jacobi<>(problem.A)) : Teuchos::null;
    Tessera::BlockCgResult result;
    Solution solution;
    solution.seconds = Rounds::seconds_of(problem.comm(), [&] {
      result = jacobi.is_null() ? Tessera::block_cg(*data->A, *B, X, options, data->workspace)
                                : Tessera::block_cg(*data->A, *jacobi, *B, X, options, data->workspace);
    });
    solution.iterations = result.iterations;
    solution.end = to_string(result.stop);
    problem.check(*X.toMultiVector(), result.has_converged, solution);
    return solution;
  };
  ways.push_back({"Tessera::block_cg", set_up, solve});
}

int run(const RCP<const Example::Communicator>& comm, int argc, char* argv[]) {
  const auto arguments = Petsc::parse(argc, argv, "elasticity:16");
  Problem problem;
  problem.has_jacobi = arguments.has_jacobi;
  problem.A = Example::symmetric_matrix(arguments.matrix, comm);
  problem.B = Petsc::random_columns(problem.A->getRangeMap(), arguments.columns);

  std::vector<Way> ways;
  add_petsc(problem, argc, argv, ways);
  add_belos(problem, ways);
  add_block_cg(problem, ways);
  if (comm->getRank() == 0) {
    std::printf("%s: %zu rows, %zu nonzeros, ranks: %d; right-hand sides: %d, preconditioner: %s, tolerance %.0e\n",
                arguments.matrix.c_str(), problem.A->getGlobalNumRows(), problem.A->getGlobalNumEntries(),
                comm->getSize(), arguments.columns, arguments.preconditioner(), tolerance);
  }
  return Rounds::run(*comm, ways, arguments.rounds) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  const auto comm = Tpetra::getDefaultComm();
  if (PetscInitialize(nullptr, nullptr, nullptr, nullptr) != PETSC_SUCCESS) return 2;
  int status = EXIT_SUCCESS;
  try {
    status = run(comm, argc, argv);
  } catch (...) {
    status = Example::report_error("petsc_block_cg", *comm);
  }
  return PetscFinalize() == PETSC_SUCCESS ? status : 2;
}
