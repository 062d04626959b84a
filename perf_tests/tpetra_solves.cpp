// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times whole solves by block CG, from the assembled matrix on:
//   mpirun -n 2 tpetra_solves ENGINE COLUMNS MATRIX...
// ENGINE is one of
//   tpetra    Belos' block CG with Tpetra::CrsMatrix and Tpetra::MultiVector
//   blocks    Belos' block CG with Tessera::CrsMatrix and Tessera::BlockVector
//   block_cg  Tessera::block_cg()
// There is no preconditioner, and the relative tolerance is 1e-8. For each matrix there are six solutions:
//   first     after fillComplete(): makes plans and solvers, and for the first matrix starts the GPU's libraries
//   again     the same matrix, three times
//   values    another matrix object with the same pattern and other values, for the first time
//   matrices  the first matrix again
// Each process has one engine, because the first solution of a process pays for what later ones find. Hence engines do
// not take turns: run each several times, on an idle machine.
#include <BelosBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Kokkos_Core.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tessera/tpetra/BelosBlockVector.hpp>
#include <tessera/tpetra/BlockCg.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <type_traits>
#include <vector>

#include "../example/common/AllRanks.hpp"
#include "../example/common/DistributedMatrix.hpp"

namespace {

using namespace Example;
using Teuchos::RCP;
using Teuchos::rcp;
using Matrix = Tpetra::CrsMatrix<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Block = Tessera::BlockVector<double>;
using Operator = Tpetra::Operator<double>;

constexpr double tolerance = 1e-8;
constexpr int most_iterations = 5000;

struct Solution {
  int iterations = 0;
  bool converged = false;
  double seconds = 0;
};

template <class Vectors>
void solve_by_belos(const RCP<const Operator>& A, const RCP<const Vectors>& B, const RCP<Vectors>& X,
                    Solution& solution) {
  const auto problem = rcp(new Belos::LinearProblem<double, Vectors, Operator>(A, X, B));
  problem->setProblem();
  const auto options = Teuchos::parameterList();
  options->set("Block Size", static_cast<int>(B->getNumVectors()));
  options->set("Convergence Tolerance", tolerance);
  options->set("Maximum Iterations", most_iterations);
  Belos::BlockCGSolMgr<double, Vectors, Operator> solver(problem, options);
  solution.converged = solver.solve() == Belos::Converged;
  solution.iterations = solver.getNumIters();
}

void solve_by_block_cg(const Operator& A, const Block& B, Block& X, Solution& solution) {
  Tessera::BlockCgOptions<double> options;
  options.tolerance = tolerance;
  options.max_iterations = most_iterations;
  const auto result = Tessera::block_cg(A, B, X, options);
  solution.converged = result.has_converged;
  solution.iterations = result.iterations;
}

/// A matrix, as an engine multiplies it, and its right-hand sides.
template <class Vectors>
class Problem {
 public:
  Problem(const RCP<const Matrix>& matrix, bool is_own, const MultiVector& random) : matrix_(matrix), is_own_(is_own) {
    if constexpr (std::is_same_v<Vectors, Block>) {
      B_ = rcp(new Block(random));
    } else {
      B_ = rcp(new MultiVector(random, Teuchos::Copy));
    }
  }

  /// Times a solution from X = 0 by the slowest rank. The first makes the operator.
  Solution solve() {
    matrix_->getComm()->barrier();
    Kokkos::fence();
    Solution solution;
    const auto start = std::chrono::steady_clock::now();
    if (A_.is_null()) make();
    const auto X = rcp(new Vectors(A_->getDomainMap(), B_->getNumVectors()));
    if constexpr (std::is_same_v<Vectors, Block>) {
      if (is_own_) {
        solve_by_block_cg(*A_, *B_, *X, solution);
      } else {
        solve_by_belos<Block>(A_, B_, X, solution);
      }
    } else {
      solve_by_belos<MultiVector>(A_, B_, X, solution);
    }
    Kokkos::fence();
    const double here = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Teuchos::reduceAll(*matrix_->getComm(), Teuchos::REDUCE_MAX, here, Teuchos::outArg(solution.seconds));
    return solution;
  }

 private:
  void make() {
    if constexpr (std::is_same_v<Vectors, Block>) {
      A_ = rcp(new Tessera::CrsMatrix(*matrix_));
    } else {
      A_ = matrix_;
    }
  }

  RCP<const Matrix> matrix_;
  bool is_own_;
  RCP<const Operator> A_;
  RCP<Vectors> B_;
};

/// Returns a copy with all values doubled: another object with the same pattern.
RCP<const Matrix> doubled(const Matrix& A) {
  const auto copy = rcp(new Matrix(A, Teuchos::Copy));
  copy->resumeFill();
  copy->scale(2);
  copy->fillComplete(A.getDomainMap(), A.getRangeMap());
  return copy;
}

template <class Vectors>
bool run(const std::string& engine, std::size_t columns, const std::vector<std::string>& names) {
  const auto comm = Tpetra::getDefaultComm();
  const bool is_own = engine == "block_cg";
  bool converged = true;
  for (const std::string& name : names) {
    const RCP<const Matrix> matrix = symmetric_matrix(name, comm);
    MultiVector random(matrix->getRangeMap(), columns);
    random.randomize();
    Problem<Vectors> one(matrix, is_own, random), other(doubled(*matrix), is_own, random);
    const auto report = [&](const char* what, const Solution& solution) {
      converged = converged && solution.converged;
      if (comm->getRank() != 0) return;
      std::printf("%-9s %-20s columns %3zu ranks %d  %-9s iterations %5d  seconds %10.6f%s\n", engine.c_str(),
                  name.c_str(), columns, comm->getSize(), what, solution.iterations, solution.seconds,
                  solution.converged ? "" : "  NOT CONVERGED");
    };
    report("first", one.solve());
    for (int i = 0; i < 3; ++i) report("again", one.solve());
    report("values", other.solve());
    report("matrices", one.solve());
  }
  return converged;
}

int run(int argc, char* argv[]) {
  const std::string usage = "expected an ENGINE (tpetra, blocks, block_cg), a number of COLUMNS and a MATRIX";
  if (argc < 4) throw ErrorOnAllRanks(usage);
  const std::string engine = argv[1];
  const auto columns = static_cast<std::size_t>(positive_number("COLUMNS", argv[2]));
  const std::vector<std::string> names(argv + 3, argv + argc);
  bool converged = false;
  if (engine == "tpetra") {
    converged = run<MultiVector>(engine, columns, names);
  } else if (engine == "blocks" || engine == "block_cg") {
    converged = run<Block>(engine, columns, names);
  } else {
    throw ErrorOnAllRanks(engine + ": " + usage);
  }
  return converged ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  try {
    return run(argc, argv);
  } catch (...) {
    return report_error("tpetra_solves", *Tpetra::getDefaultComm());
  }
}
