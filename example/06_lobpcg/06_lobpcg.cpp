// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes the least eigenvalues of a symmetric positive definite matrix with Anasazi's LOBPCG: first with
// Tpetra::CrsMatrix as the operator, then with Tessera::TpetraOperator, and then also with Tessera::BlockVector instead
// of Tpetra::MultiVector:
//   mpirun -n 2 06_lobpcg [MATRIX [EIGENVALUES [ITERATIONS]]]
// MATRIX is a file, Matrix Market or binary CSR, plain or gzip, or a generated matrix such as stencil27:20, the
// default. ITERATIONS is the limit of iterations. With several ranks on a machine, set OMP_NUM_THREADS: BLAS, too, may
// start a thread for each core on every rank.
#include <AnasaziBasicEigenproblem.hpp>
#include <AnasaziLOBPCGSolMgr.hpp>
#include <AnasaziTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tessera/tpetra/AnasaziBlockVector.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>
#include <vector>

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

constexpr double tolerance = 1e-6;
constexpr char hint[] = "LOBPCG needs many more rows than eigenvalues";

struct Solution {
  bool converged = false;
  int iterations = 0;
  double seconds = 0;
  double apply_seconds = 0;
  std::vector<double> eigenvalues;
  std::vector<double> residuals;
};

/// Returns |A v - lambda v| / |lambda v| for each pair, computed from scratch.
std::vector<double> true_residuals(const Matrix& A, const MultiVector& V, const std::vector<double>& eigenvalues) {
  MultiVector R(V, Teuchos::Copy);
  R.scale(eigenvalues);
  std::vector<double> norms(eigenvalues.size()), residuals(eigenvalues.size());
  R.norm2(norms);
  A.apply(V, R, Teuchos::NO_TRANS, 1.0, -1.0);
  R.norm2(residuals);
  for (std::size_t j = 0; j < norms.size(); ++j) residuals[j] /= norms[j];
  return residuals;
}

const MultiVector& as_multivector(const MultiVector& X) { return X; }
MultiVector as_multivector(const Block& X) { return *X.toMultiVector(); }

/// \tparam Vectors  MultiVector or Block; nothing else differs
template <class Vectors>
Solution solve(const Matrix& matrix, const RCP<const Operator>& op, const Vectors& start_vectors, int eigenvalues,
               int most_iterations) {
  const auto A = rcp(new Example::TimedOperator(op));
  const auto V = rcp(new Vectors(start_vectors, Teuchos::Copy));
  const auto problem = rcp(new Anasazi::BasicEigenproblem<double, Vectors, Operator>(A, V));
  problem->setHermitian(true);
  problem->setPrec(rcp(new Tessera::Jacobi<double>(Teuchos::rcpFromRef(matrix))));
  problem->setNEV(eigenvalues);
  problem->setProblem();
  Teuchos::ParameterList options;
  options.set("Which", "SR");
  options.set("Block Size", static_cast<int>(V->getNumVectors()));
  options.set("Convergence Tolerance", tolerance);
  options.set("Maximum Iterations", most_iterations);
  Anasazi::LOBPCGSolMgr<double, Vectors, Operator> solver(problem, options);

  Solution solution;
  const auto start = std::chrono::steady_clock::now();
  const auto result = Example::together(hint, [&] { return solver.solve(); });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  solution.converged = result == Anasazi::Converged;
  solution.iterations = solver.getNumIters();
  solution.seconds = Example::slowest(*matrix.getComm(), time.count());
  solution.apply_seconds = Example::slowest(*matrix.getComm(), A->seconds());
  const auto& found = problem->getSolution();
  for (int j = 0; j < found.numVecs; ++j) solution.eigenvalues.push_back(found.Evals[j].realpart);
  if (found.numVecs > 0) {
    solution.residuals = true_residuals(matrix, as_multivector(*found.Evecs), solution.eigenvalues);
  }
  return solution;
}

void print(const char* name, const Solution& solution) {
  std::printf("\n%s: %s after %d iterations, %.3f s, %.3f s (%.0f%%) of these in apply\n", name,
              solution.converged ? "converged" : "NOT CONVERGED", solution.iterations, solution.seconds,
              solution.apply_seconds, 100 * solution.apply_seconds / solution.seconds);
  if (!solution.eigenvalues.empty()) std::printf("          eigenvalue   relative residual\n");
  for (std::size_t j = 0; j < solution.eigenvalues.size(); ++j) {
    std::printf("%20.12g %19.2e\n", solution.eigenvalues[j], solution.residuals[j]);
  }
}

/// Whether both solutions have all eigenvalues to the tolerance, and equal ones: their errors are below the residual.
bool is_solved(const Solution& a, const Solution& b, int eigenvalues) {
  const auto wanted = static_cast<std::size_t>(eigenvalues);
  if (!a.converged || !b.converged || a.eigenvalues.size() != wanted || b.eigenvalues.size() != wanted) return false;
  for (std::size_t j = 0; j < wanted; ++j) {
    const double difference = std::abs(a.eigenvalues[j] - b.eigenvalues[j]);
    const double allowed = 4 * tolerance * std::abs(a.eigenvalues[j]);
    if (!(difference <= allowed && a.residuals[j] <= 2 * tolerance && b.residuals[j] <= 2 * tolerance)) return false;
  }
  return true;
}

bool run(const RCP<const Example::Communicator>& comm, const std::string& name, int eigenvalues, int most_iterations) {
  const RCP<const Matrix> matrix = Example::symmetric_matrix(name, comm);
  const auto tessera = rcp(new Tessera::TpetraOperator<double>(matrix));
  const int block = eigenvalues + 2;  // two spare vectors: the last ones of a block converge slowly
  tessera->prepare(static_cast<std::size_t>(block));

  MultiVector start_vectors(matrix->getDomainMap(), static_cast<std::size_t>(block));
  start_vectors.randomize();
  const Block start_block(start_vectors);
  // Warms up: the first solver to run would include the start of libraries.
  solve(*matrix, matrix, start_vectors, eigenvalues, 1);
  solve(*matrix, tessera, start_vectors, eigenvalues, 1);
  solve(*matrix, tessera, start_block, eigenvalues, 1);
  const Solution before = solve(*matrix, matrix, start_vectors, eigenvalues, most_iterations);
  const Solution after = solve(*matrix, tessera, start_vectors, eigenvalues, most_iterations);
  const Solution blocks = solve(*matrix, tessera, start_block, eigenvalues, most_iterations);

  const bool solved = is_solved(before, after, eigenvalues) && is_solved(before, blocks, eigenvalues);
  if (comm->getRank() == 0) {
    std::printf("%s: %zu rows, %zu nonzeros, ranks: %d; tolerance %.0e\n", name.c_str(), matrix->getGlobalNumRows(),
                matrix->getGlobalNumEntries(), comm->getSize(), tolerance);
    print("Tpetra::CrsMatrix", before);
    print("Tessera::TpetraOperator", after);
    print("Tessera::TpetraOperator and Tessera::BlockVector", blocks);
    std::printf("\nspeed-up: %.2f, in apply %.2f; with BlockVector %.2f, in apply %.2f\n",
                before.seconds / after.seconds, before.apply_seconds / after.apply_seconds,
                before.seconds / blocks.seconds, before.apply_seconds / blocks.apply_seconds);
    if (!solved) std::printf("NOT SOLVED: badly conditioned matrices need many iterations\n");
  }
  return solved;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  const auto comm = Tpetra::getDefaultComm();
  try {
    const std::string name = argc > 1 ? argv[1] : "stencil27:20";
    const int eigenvalues = argc > 2 ? Example::positive_number("EIGENVALUES", argv[2]) : 4;
    const int most_iterations = argc > 3 ? Example::positive_number("ITERATIONS", argv[3]) : 1000;
    return run(comm, name, eigenvalues, most_iterations) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (...) {
    return Example::report_error("06_lobpcg", *comm);
  }
}
