// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <BelosBlockCGSolMgr.hpp>
#include <BelosBlockGmresSolMgr.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>
#include <vector>

#include "../../example/common/DistributedMatrix.hpp"

/// Belos' solvers run unchanged with TpetraOperator instead of CrsMatrix, with equal numbers of iterations.
namespace Tessera::Impl::Test {

using Teuchos::RCP;
using Teuchos::rcp;
using Matrix = Tpetra::CrsMatrix<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;
using BlockCg = Belos::BlockCGSolMgr<double, MultiVector, Operator>;
using PseudoBlockCg = Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator>;
using BlockGmres = Belos::BlockGmresSolMgr<double, MultiVector, Operator>;

constexpr double tolerance = 1e-7;

/// Wraps an operator and records the number of columns of each product.
class NotingOperator : public Operator {
 public:
  explicit NotingOperator(const RCP<const Operator>& A) : A_(A) {}

  void apply(const MultiVector& X, MultiVector& Y, Teuchos::ETransp mode, double alpha, double beta) const override {
    columns_.push_back(X.getNumVectors());
    A_->apply(X, Y, mode, alpha, beta);
  }
  RCP<const Tpetra::Map<>> getDomainMap() const override { return A_->getDomainMap(); }
  RCP<const Tpetra::Map<>> getRangeMap() const override { return A_->getRangeMap(); }

  const std::vector<std::size_t>& columns() const { return columns_; }

 private:
  RCP<const Operator> A_;
  mutable std::vector<std::size_t> columns_;
};

/// A linear system with several right-hand sides that does not depend on the number of ranks.
struct System {
  RCP<const Matrix> A;
  RCP<const MultiVector> B;
  RCP<const MultiVector> start;
  RCP<const Operator> preconditioner;
};

struct Solution {
  bool converged = false;
  int iterations = 0;
  std::vector<std::size_t> columns;  // columns of each product
  std::vector<double> residuals;     // |b - A x| / |b|
};

RCP<MultiVector> random_vectors(const RCP<const Tpetra::Map<>>& map, std::size_t columns, std::uint64_t seed) {
  const auto all = random_dense<double>(map->getGlobalNumElements(), columns, seed);
  const auto result = rcp(new MultiVector(map, columns));
  const auto local = result->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < local.extent(0); ++i) {
      const auto row = static_cast<std::size_t>(map->getGlobalElement(static_cast<int>(i)));
      local(i, j) = all.values[row + j * all.rows];
    }
  }
  return result;
}

System make_system(const HostCsr<double>& matrix, std::size_t columns) {
  System system;
  system.A = Example::distribute(matrix, Tpetra::getDefaultComm());
  system.B = random_vectors(system.A->getRangeMap(), columns, 1);
  system.start = rcp(new MultiVector(system.A->getDomainMap(), columns));
  return system;
}

/// Convection and diffusion on a square grid with upwind differences: nonsymmetric, diagonally dominant.
HostCsr<double> convection_diffusion(int grid) {
  HostCsr<double> result;
  result.rows = result.columns = grid * grid;
  const auto add = [&](int column, double value) {
    result.column_indices.push_back(column);
    result.values.push_back(value);
  };
  for (int row = 0; row < result.rows; ++row) {
    if (row >= grid) add(row - grid, -1.5);
    if (row % grid > 0) add(row - 1, -3.0);
    add(row, 6.51);
    if (row % grid < grid - 1) add(row + 1, -1.0);
    if (row < result.rows - grid) add(row + grid, -1.0);
    result.row_offsets.push_back(result.column_indices.size());
  }
  return result;
}

template <class Solver>
Solution solve(const System& system, const RCP<const Operator>& op, const Teuchos::ParameterList& options) {
  const auto A = rcp(new NotingOperator(op));
  const auto X = rcp(new MultiVector(*system.start, Teuchos::Copy));
  const auto problem = rcp(new Belos::LinearProblem<double, MultiVector, Operator>(A, X, system.B));
  if (!system.preconditioner.is_null()) problem->setLeftPrec(system.preconditioner);
  problem->setProblem();
  Solver solver(problem, rcp(new Teuchos::ParameterList(options)));

  Solution solution;
  solution.converged = solver.solve() == Belos::Converged;
  solution.iterations = solver.getNumIters();
  solution.columns = A->columns();
  MultiVector R(*system.B, Teuchos::Copy);
  system.A->apply(*X, R, Teuchos::NO_TRANS, -1.0, 1.0);
  std::vector<double> norms(system.B->getNumVectors());
  solution.residuals.resize(norms.size());
  R.norm2(solution.residuals);
  system.B->norm2(norms);
  for (std::size_t j = 0; j < norms.size(); ++j) solution.residuals[j] /= norms[j];
  return solution;
}

/// Solves the system with CrsMatrix, and with TpetraOperator in each format. Returns all solutions. Rounding changes
/// numbers of iterations, as another number of ranks does: they may differ by `allowed` or, from 100 iterations on, by
/// 5 %.
template <class Solver>
std::vector<Solution> expect_same_solution(const System& system, Teuchos::ParameterList options, int allowed = 1) {
  options.set("Convergence Tolerance", tolerance);
  std::vector<Solution> solutions = {solve<Solver>(system, system.A, options)};
  const Solution expected = solutions.front();
  EXPECT_TRUE(expected.converged);
  if (expected.iterations >= 100) allowed = std::max(allowed, expected.iterations / 20);
  for (const Format format : {Format::Csr, Format::BitTcf}) {
    SCOPED_TRACE(to_string(format));
    TpetraOptions tessera_options;
    tessera_options.plan.format = format;
    const auto A = rcp(new TpetraOperator<double>(system.A, tessera_options));
    const Solution found = solve<Solver>(system, A, options);
    EXPECT_TRUE(found.converged);
    for (const double residual : found.residuals) EXPECT_LE(residual, 2 * tolerance);
    EXPECT_NEAR(found.iterations, expected.iterations, allowed);
    // Solvers report the iterations of the last block only. The products are those of all blocks.
    EXPECT_NEAR(static_cast<int>(found.columns.size()), static_cast<int>(expected.columns.size()), allowed);
    solutions.push_back(found);
  }
  return solutions;
}

Teuchos::ParameterList block_options(int block_size, bool adaptive = true) {
  Teuchos::ParameterList options;
  options.set("Block Size", block_size);
  options.set("Adaptive Block Size", adaptive);
  return options;
}

/// The number of columns in the first iteration's product. An earlier product computes the initial residual.
std::size_t first_block(const Solution& solution) { return solution.columns.at(1); }

TEST(BlockCg, AsManyColumnsAsRightHandSides) {
  const auto system = make_system(generate_elasticity(7, 1), 8);
  for (const auto& solution : expect_same_solution<BlockCg>(system, block_options(8))) {
    EXPECT_EQ(first_block(solution), 8U);
  }
}

TEST(BlockCg, OneRightHandSide) {
  const auto system = make_system(generate_elasticity(7, 1), 1);
  expect_same_solution<BlockCg>(system, block_options(1));
}

/// Columns that start closer to the solution converge earlier and leave the block.
TEST(BlockCg, DeflatesColumnsThatConvergeEarly) {
  auto system = make_system(generate_elasticity(7, 1), 6);
  const auto X = random_vectors(system.A->getDomainMap(), 6, 2);
  const auto B = rcp(new MultiVector(system.A->getRangeMap(), 6));
  system.A->apply(*X, *B);
  system.B = B;
  const auto start = random_vectors(system.A->getDomainMap(), 6, 3);
  for (std::size_t j = 0; j < 6; ++j) {
    start->getVectorNonConst(j)->update(1.0, *X->getVector(j), std::pow(10.0, -static_cast<double>(j)));
  }
  system.start = start;
  auto options = block_options(6);
  options.set("Implicit Residual Scaling", "Norm of RHS");
  for (const auto& solution : expect_same_solution<BlockCg>(system, options)) {
    auto blocks = solution.columns;
    EXPECT_TRUE(std::is_sorted(blocks.rbegin(), blocks.rend()));
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    EXPECT_GE(blocks.size(), 4U);
    EXPECT_EQ(blocks.front(), 6U);
    EXPECT_EQ(blocks.back(), 1U);
  }
}

TEST(BlockCg, MoreRightHandSidesThanColumns) {
  const auto system = make_system(generate_elasticity(7, 1), 10);
  for (const auto& solution : expect_same_solution<BlockCg>(system, block_options(4), 3)) {  // blocks of 4, 4 and 2
    EXPECT_EQ(first_block(solution), 4U);
  }
}

TEST(BlockCg, FewerRightHandSidesThanColumns) {
  const auto system = make_system(generate_elasticity(7, 1), 3);
  for (const auto& solution : expect_same_solution<BlockCg>(system, block_options(8))) {
    EXPECT_EQ(first_block(solution), 3U);
  }
}

TEST(PseudoBlockCg, EachRightHandSideForItself) {
  const auto system = make_system(generate_elasticity(7, 1), 8);
  for (const auto& solution : expect_same_solution<PseudoBlockCg>(system, {})) EXPECT_EQ(first_block(solution), 8U);
}

TEST(BlockGmres, RestartsOnANonsymmetricMatrix) {
  const auto system = make_system(convection_diffusion(20), 3);
  auto options = block_options(3);
  options.set("Num Blocks", 10);
  options.set("Maximum Restarts", 100);
  for (const auto& solution : expect_same_solution<BlockGmres>(system, options)) EXPECT_GT(solution.iterations, 2 * 10);
}

TEST(BlockGmres, MoreRightHandSidesThanColumns) {
  const auto system = make_system(convection_diffusion(20), 5);
  for (const auto& solution : expect_same_solution<BlockGmres>(system, block_options(2), 3)) {
    EXPECT_EQ(first_block(solution), 2U);
  }
}

/// With a fixed block size, the solver fills the block with random columns, which differ in each solve.
TEST(BlockGmres, FillsABlockOfFixedSize) {
  const auto system = make_system(convection_diffusion(20), 3);
  for (const auto& solution : expect_same_solution<BlockGmres>(system, block_options(4, false), 8)) {
    EXPECT_EQ(first_block(solution), 4U);
  }
}

/// Matrices from structural mechanics, a grid and a power network. All converge soon, because rounding alone changes a
/// number of many hundred iterations.
TEST(RealMatrices, BlockCgAndPseudoBlockCg) {
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "TESSERA_DATA_DIR is not set";
  for (const std::string name : {"bcsstk16.mtx.gz", "gr_30_30.mtx", "685_bus.mtx"}) {
    SCOPED_TRACE(name);
    auto system = make_system(read_matrix<double>(std::filesystem::path(folder) / name), 8);
    system.preconditioner = rcp(new Jacobi<double>(system.A));
    expect_same_solution<BlockCg>(system, block_options(8));
    expect_same_solution<PseudoBlockCg>(system, {});
  }
}

}  // namespace Tessera::Impl::Test
