// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solves A X = B for several right-hand sides at once with Belos' block CG: first with a Tpetra::CrsMatrix, then with a
// Tessera::CrsMatrix, then also with Tessera::BlockVector instead of Tpetra::MultiVector, and then with a matrix that
// has never multiplied, set-up included. Last, Tessera's own block CG solves the same system:
//   mpirun -n 2 05_belos_block_cg [--preconditioner none|jacobi|chebyshev] [MATRIX [COLUMNS [ITERATIONS]]]
// MATRIX must be symmetric positive definite: a file, Matrix Market or binary CSR, plain or gzip, or a generated matrix
// such as elasticity:20, the default. ITERATIONS is the limit of iterations. Jacobi's preconditioner is the default.
// With multivectors, Chebyshev's is that of Ifpack2, if there is one, with the same polynomial. With several ranks on a
// machine, set OMP_NUM_THREADS: BLAS, too, may start a thread for each core on every rank.
#include <BelosBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tessera/tpetra/BelosBlockVector.hpp>
#include <tessera/tpetra/BlockCg.hpp>
#include <tessera/tpetra/Chebyshev.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <vector>
#ifdef EXAMPLE_HAS_IFPACK2
#include <Ifpack2_Chebyshev.hpp>
#include <map>
#endif

#include "AllRanks.hpp"
#include "DistributedMatrix.hpp"
#include "TimedOperator.hpp"

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Matrix = Tpetra::CrsMatrix<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Block = Tessera::BlockVector<double>;
using Operator = Tpetra::Operator<double>;

constexpr double tolerance = 1e-8;
constexpr char hint[] = "CG needs a positive definite matrix with more rows than right-hand sides";

struct Solution {
  bool converged = false;
  int iterations = 0;
  double seconds = 0;
  double apply_seconds = 0;
  double residual = 0;
};

/// Returns the greatest |b - A x| / |b|, computed from scratch, because a solver's updated residual drifts away.
double true_residual(const Matrix& A, const MultiVector& X, const MultiVector& B) {
  MultiVector R(B, Teuchos::Copy);
  A.apply(X, R, Teuchos::NO_TRANS, -1.0, 1.0);
  std::vector<double> residuals(B.getNumVectors()), norms(B.getNumVectors());
  R.norm2(residuals);
  B.norm2(norms);
  for (std::size_t j = 0; j < norms.size(); ++j) residuals[j] /= norms[j];
  return *std::max_element(residuals.begin(), residuals.end());
}

/// Makes a preconditioner by its name; null for "none".
RCP<const Operator> preconditioner(const std::string& name, const RCP<const Matrix>& A) {
  if (name == "none") return Teuchos::null;
  if (name == "jacobi") return rcp(new Tessera::Jacobi<double>(A));
  if (name == "chebyshev") return rcp(new Tessera::Chebyshev<double>(A));
  throw Example::ErrorOnAllRanks("--preconditioner: " + name + ", expected none, jacobi or chebyshev");
}

#ifdef EXAMPLE_HAS_IFPACK2
/// Ifpack2's preconditioner with the same polynomial. An object for each number of columns, because those of Trilinos
/// 16.1 keep a multivector of the first call, and throw when Belos leaves out columns that are solved.
class ChebyshevOfIfpack2 : public Operator {
 public:
  ChebyshevOfIfpack2(const RCP<const Matrix>& A, double largest_eigenvalue) : A_(A) {
    options_.set("chebyshev: degree", Tessera::ChebyshevOptions().degree);
    options_.set("chebyshev: max eigenvalue", largest_eigenvalue);
  }
  void apply(const MultiVector& X, MultiVector& Y, Teuchos::ETransp mode, double alpha, double beta) const override {
    auto& op = for_columns_[X.getNumVectors()];
    if (op.is_null()) {
      op = rcp(new Ifpack2::Chebyshev<Tpetra::RowMatrix<double>>(A_));
      op->setParameters(options_);
      op->initialize();
      op->compute();
    }
    op->apply(X, Y, mode, alpha, beta);
  }
  RCP<const Tpetra::Map<>> getDomainMap() const override { return A_->getDomainMap(); }
  RCP<const Tpetra::Map<>> getRangeMap() const override { return A_->getRangeMap(); }

 private:
  RCP<const Matrix> A_;
  Teuchos::ParameterList options_;
  mutable std::map<std::size_t, RCP<Ifpack2::Chebyshev<Tpetra::RowMatrix<double>>>> for_columns_;
};
#endif

/// Returns Ifpack2's preconditioner of the same kind, if there is one, as programs with multivectors have it.
RCP<const Operator> for_multivectors([[maybe_unused]] const RCP<const Matrix>& A, const RCP<const Operator>& M) {
#ifdef EXAMPLE_HAS_IFPACK2
  if (const auto* const chebyshev = dynamic_cast<const Tessera::Chebyshev<double>*>(M.get())) {
    return rcp(new ChebyshevOfIfpack2(A, chebyshev->largest_eigenvalue()));
  }
#endif
  return M;
}

const MultiVector& as_multivector(const MultiVector& X) { return X; }
MultiVector as_multivector(const Block& X) { return *X.toMultiVector(); }

/// \tparam Vectors  MultiVector or Block; nothing else differs
template <class Vectors>
Solution solve(const Matrix& matrix, const RCP<const Operator>& op, const RCP<const Operator>& M,
               const RCP<const Vectors>& B, int most_iterations) {
  const auto A = rcp(new Example::TimedOperator(op));
  const auto X = rcp(new Vectors(B->getMap(), B->getNumVectors()));
  const auto problem = rcp(new Belos::LinearProblem<double, Vectors, Operator>(A, X, B));
  if (!M.is_null()) problem->setLeftPrec(M);
  const auto options = Teuchos::parameterList();
  options->set("Block Size", static_cast<int>(B->getNumVectors()));
  options->set("Convergence Tolerance", tolerance);
  options->set("Maximum Iterations", most_iterations);
  Belos::BlockCGSolMgr<double, Vectors, Operator> solver(problem, options);

  Solution solution;
  const auto start = std::chrono::steady_clock::now();
  const auto result = Example::together(hint, [&] {
    problem->setProblem();
    return solver.solve();
  });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  solution.converged = result == Belos::Converged;
  solution.iterations = solver.getNumIters();
  solution.seconds = Example::slowest(*matrix.getComm(), time.count());
  solution.apply_seconds = Example::slowest(*matrix.getComm(), A->seconds());
  solution.residual = true_residual(matrix, as_multivector(*X), as_multivector(*B));
  return solution;
}

/// Solves by Tessera's own block CG.
Solution solve_by_tessera(const Matrix& matrix, const RCP<const Operator>& op, const RCP<const Operator>& M,
                          const RCP<const Block>& B, int most_iterations) {
  const Example::TimedOperator A(op);
  Block X(B->getMap(), B->getNumVectors());
  Tessera::BlockCgOptions<double> options;
  options.tolerance = tolerance;
  options.max_iterations = most_iterations;

  Solution solution;
  const auto start = std::chrono::steady_clock::now();
  const auto result = Example::together(hint, [&] {
    return M.is_null() ? Tessera::block_cg(A, *B, X, options) : Tessera::block_cg(A, *M, *B, X, options);
  });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  solution.converged = result.has_converged;
  solution.iterations = result.iterations;
  solution.seconds = Example::slowest(*matrix.getComm(), time.count());
  solution.apply_seconds = Example::slowest(*matrix.getComm(), A.seconds());
  solution.residual = true_residual(matrix, as_multivector(X), as_multivector(*B));
  return solution;
}

void print(const char* name, const Solution& solution) {
  std::printf("%-24s %10d  %-9s %16.2e %9.3f %13.3f (%2.0f%%)\n", name, solution.iterations,
              solution.converged ? "yes" : "NO", solution.residual, solution.seconds, solution.apply_seconds,
              100 * solution.apply_seconds / solution.seconds);
}

void print_speed_up(const char* name, const Solution& before, const Solution& after) {
  std::printf("speed-up %-53s %9.2f %13.2f\n", name, before.seconds / after.seconds,
              before.apply_seconds / after.apply_seconds);
}

/// Solves with a matrix that has never multiplied, as after fillComplete(): the first product makes its plan.
Solution solve_anew(const Matrix& matrix, const std::string& preconditioned_by, const RCP<const Block>& B,
                    int most_iterations) {
  const auto start = std::chrono::steady_clock::now();
  const auto tessera = rcp(new Tessera::CrsMatrix(matrix));
  const auto M = preconditioner(preconditioned_by, tessera);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  Solution solution = solve<Block>(matrix, tessera, M, B, most_iterations);
  solution.seconds += Example::slowest(*matrix.getComm(), time.count());
  return solution;
}

bool run(const RCP<const Example::Communicator>& comm, const std::string& preconditioned_by, const std::string& name,
         int columns, int most_iterations) {
  const RCP<const Matrix> matrix = Example::symmetric_matrix(name, comm);
  const auto tessera = rcp(new Tessera::CrsMatrix(*matrix));
  tessera->prepare(static_cast<std::size_t>(columns));

  const auto random = rcp(new MultiVector(matrix->getRangeMap(), static_cast<std::size_t>(columns)));
  random->randomize();
  const RCP<const MultiVector> B = random;
  const RCP<const Block> B_block = rcp(new Block(*B));
  const RCP<const Operator> M = preconditioner(preconditioned_by, tessera);
  const RCP<const Operator> M_before = for_multivectors(matrix, M), M_after = for_multivectors(tessera, M);
  // Warms up: the first solver to run would include the start of libraries.
  solve<MultiVector>(*matrix, matrix, M_before, B, 1);
  solve<MultiVector>(*matrix, tessera, M_after, B, 1);
  solve<Block>(*matrix, tessera, M, B_block, 1);
  const Solution before = solve<MultiVector>(*matrix, matrix, M_before, B, most_iterations);
  const Solution after = solve<MultiVector>(*matrix, tessera, M_after, B, most_iterations);
  const Solution blocks = solve<Block>(*matrix, tessera, M, B_block, most_iterations);
  const Solution anew = solve_anew(*matrix, preconditioned_by, B_block, most_iterations);
  solve_by_tessera(*matrix, tessera, M, B_block, 1);
  const Solution own = solve_by_tessera(*matrix, tessera, M, B_block, most_iterations);

  const auto is_solved = [](const Solution& s) { return s.converged && s.residual <= 10 * tolerance; };
  const bool solved = is_solved(before) && is_solved(after) && is_solved(blocks) && is_solved(anew) && is_solved(own);
  // Products and sums differ in rounding. This shifts the end of a long iteration, as another number of ranks does.
  const auto is_alike = [&](const Solution& s) {
    return std::abs(before.iterations - s.iterations) <= std::max(1, before.iterations / 20);
  };
  const bool alike = is_alike(after) && is_alike(blocks) && is_alike(anew);
  if (comm->getRank() == 0) {
    std::printf("%s: %zu rows, %zu nonzeros, ranks: %d; right-hand sides: %d, tolerance %.0e, preconditioner: %s\n\n",
                name.c_str(), matrix->getGlobalNumRows(), matrix->getGlobalNumEntries(), comm->getSize(), columns,
                tolerance, preconditioned_by.c_str());
    std::printf("operator                 iterations  converged greatest residual   seconds      of these in apply\n");
    print("Tpetra::CrsMatrix", before);
    print("Tessera::CrsMatrix", after);
    print("and Tessera::BlockVector", blocks);
    print("both, from a new pattern", anew);
    print("Tessera::block_cg", own);
    print_speed_up("of Tessera::CrsMatrix", before, after);
    print_speed_up("of both", before, blocks);
    print_speed_up("of both, from a new pattern on", before, anew);
    print_speed_up("of Tessera::block_cg", before, own);
    if (!solved) {
      std::printf("NOT SOLVED: %s, and many iterations if it is badly conditioned\n", hint);
    } else if (!alike) {
      std::printf("The numbers of iterations differ by more than 1 in 20\n");
    }
  }
  return solved && alike;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  const auto comm = Tpetra::getDefaultComm();
  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    std::string preconditioned_by = "jacobi";
    if (arguments.size() >= 2 && arguments[0] == "--preconditioner") {
      preconditioned_by = arguments[1];
      arguments.erase(arguments.begin(), arguments.begin() + 2);
    }
    const std::string name = arguments.size() > 0 ? arguments[0] : "elasticity:20";
    const int columns = arguments.size() > 1 ? Example::positive_number("COLUMNS", arguments[1]) : 16;
    const int most_iterations = arguments.size() > 2 ? Example::positive_number("ITERATIONS", arguments[2]) : 1000;
    return run(comm, preconditioned_by, name, columns, most_iterations) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (...) {
    return Example::report_error("05_belos_block_cg", *comm);
  }
}
