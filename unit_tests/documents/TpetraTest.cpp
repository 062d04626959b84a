// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of README.md, docs/solvers.md and docs/guides/mpi.md about Tpetra and MPI. The matrix has 2 on the
// diagonal, so it is the same on any number of ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <Tpetra_Core.hpp>
#include <iostream>
#include <string>
#include <tessera/Tessera.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>

namespace Tessera::Documents {

namespace {

using Base = Tpetra::CrsMatrix<>;
using MultiVector = Tpetra::MultiVector<>;

constexpr int rows_of_rank = 10;

Teuchos::RCP<const Tpetra::CrsGraph<>> make_graph() {
  const auto comm = Tpetra::getDefaultComm();
  const auto rows = Teuchos::rcp(new Tpetra::Map<>(
      static_cast<Tpetra::global_size_t>(rows_of_rank) * static_cast<Tpetra::global_size_t>(comm->getSize()), 0, comm));
  const auto graph = Teuchos::rcp(new Tpetra::CrsGraph<>(rows, 1));
  for (const auto row : rows->getLocalElementList()) graph->insertGlobalIndices(row, Teuchos::tuple(row));
  graph->fillComplete();
  return graph;
}

void fill(Base& A) {
  A.resumeFill();
  A.setAllToScalar(2.0);
  A.fillComplete();
}

/// Returns the sum of all elements of A times ones, over the rows of all ranks.
double sum_of_product(const Base& A) {
  MultiVector X(A.getDomainMap(), 2), Y(A.getRangeMap(), 2);
  X.putScalar(1.0);
  A.apply(X, Y);
  Teuchos::Array<double> norms(2);
  Y.norm1(norms);
  return norms[0] + norms[1];
}

double expected_sum() { return 4.0 * rows_of_rank * Tpetra::getDefaultComm()->getSize(); }

TEST(Tpetra, OneLineChanges) {
  const auto graph = make_graph();
  const auto matrix = Teuchos::rcp(new Base(graph));
  fill(*matrix);
  {
    auto A = Teuchos::rcp(new Tpetra::CrsMatrix<>(graph));  // before
    fill(*A);
    EXPECT_EQ(sum_of_product(*A), expected_sum());
  }
  {
    auto A = Teuchos::rcp(new Tessera::CrsMatrix<>(graph));  // after, <tessera/tpetra/CrsMatrix.hpp>
    fill(*A);
    EXPECT_EQ(sum_of_product(*A), expected_sum());
  }
  {
    auto A = Teuchos::rcp(new Tessera::CrsMatrix(*matrix));  // or: shares graph and values of a Tpetra::CrsMatrix
    EXPECT_EQ(sum_of_product(*A), expected_sum());
  }
}

TEST(Tpetra, PreparesAndExplains) {
  const auto matrix = Teuchos::rcp(new Base(make_graph()));
  fill(*matrix);
  MultiVector X(matrix->getDomainMap(), 16), Y(matrix->getRangeMap(), 16);
  X.putScalar(1.0);

  auto A = Teuchos::rcp(new Tessera::CrsMatrix(*matrix));  // matrix: a fill-complete Tpetra::CrsMatrix
  A->prepare(16);                                          // makes plans now, not in the first product; collective
  A->apply(X, Y);                                          // X and Y: Tpetra::MultiVectors
  std::cout << A->explain();                               // the plans of this rank

  Teuchos::Array<double> norms(16);
  Y.norm1(norms);
  EXPECT_EQ(norms[15], expected_sum() / 2);
}

TEST(Tpetra, TakesOptions) {
  const auto matrix = Teuchos::rcp(new Base(make_graph()));
  fill(*matrix);

  Tessera::TpetraOptions options;
  options.plan.hints.num_vectors = 16;
  options.plan.tuning = Tessera::Tuning::Adaptive;
  options.trusts_values = true;                // values_changed() will be called after each change
  options.overlap = Tessera::Overlap::Always;  // multiply while rows of X are under way
  auto A = Teuchos::rcp(new Tessera::CrsMatrix(*matrix, options));

  EXPECT_EQ(sum_of_product(*A), expected_sum());
}

TEST(Tpetra, SumsOverRanks) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  Tessera::BlockCgOptions<double> options;

  options.sum_over_ranks = [&](double* sums, int count) {
    MPI_Allreduce(MPI_IN_PLACE, sums, count, MPI_DOUBLE, MPI_SUM, comm);
  };

  double sums[] = {1, 2};
  options.sum_over_ranks(sums, 2);
  EXPECT_EQ(sums[1], 2.0 * Tpetra::getDefaultComm()->getSize());
}

}  // namespace

}  // namespace Tessera::Documents
