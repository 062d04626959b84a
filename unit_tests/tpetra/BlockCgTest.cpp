// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// block_cg() for BlockVectors: solutions on any distribution of rows, and sums over ranks.
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/BlockCg.hpp>

#include "BlockProblem.hpp"
#include "Events.hpp"

namespace Tessera::Impl::Test {

/// Divides by a constant, for multivectors only.
class Divided : public Tpetra::Operator<double> {
 public:
  Divided(const RCP<const Map>& map, double divisor) : map_(map), divisor_(divisor) {}
  void apply(const MV& X, MV& Y, Teuchos::ETransp, double alpha, double beta) const override {
    Y.update(alpha / divisor_, X, beta);
  }
  RCP<const Map> getDomainMap() const override { return map_; }
  RCP<const Map> getRangeMap() const override { return map_; }

 private:
  RCP<const Map> map_;
  double divisor_;
};

/// Returns the greatest |b - A x| / |b|, by Tpetra.
double true_residual(const Matrix& A, const Block& X, const MV& b) {
  MV r(b, Teuchos::Copy);
  A.apply(*X.toMultiVector(), r, Teuchos::NO_TRANS, -1, 1);
  std::vector<double> residuals(b.getNumVectors()), norms(b.getNumVectors());
  r.norm2(residuals);
  b.norm2(norms);
  double greatest = 0;
  for (std::size_t j = 0; j < norms.size(); ++j) greatest = std::max(greatest, residuals[j] / norms[j]);
  return greatest;
}

/// A distribution of rows, and of the vectors, whose domain Map is their range Map.
struct SquareMaps {
  std::string name;
  std::function<RCP<const Map>(GO)> rows, vectors;
};
const std::vector<SquareMaps> every_square = {
    {"Uniform", uniform_map, uniform_map},
    {"Cyclic", cyclic_map, cyclic_map},
    {"LastRank", [](GO size) { return map_of(size, [](GO) { return rank() == last_rank(); }); },
     [](GO size) { return map_of(size, [](GO) { return rank() == last_rank(); }); }},
    {"Exported", uniform_map, [](GO size) { return shuffled_map(size, 3); }},
};

class BlockCgOn : public testing::TestWithParam<SquareMaps> {};

TEST_P(BlockCgOn, SolvesOnAnyDistribution) {
  const auto host = generate_elasticity(4, 2);
  const auto vectors = GetParam().vectors(host.rows);
  const auto A = distribute(host, Maps{GetParam().rows(host.rows), Teuchos::null, vectors, vectors, false});
  const CrsMatrix matrix(*A);
  BlockCgWorkspace<Matrix::execution_space, double> workspace;
  int iterations[2] = {};
  for (const std::size_t columns : {1, 5}) {
    SCOPED_TRACE(columns);
    const auto b = random_vectors(A->getRangeMap(), columns, 1);
    const Block B(*b);
    Block X(A->getDomainMap(), columns);
    BlockCgOptions<double> options;
    options.tolerance = 1e-10;
    const auto result = block_cg(matrix, B, X, options, workspace);
    EXPECT_TRUE(result.has_converged) << to_string(result.stop);
    EXPECT_LE(true_residual(*A, X, *b), 1e-9);
    iterations[columns > 1] = result.iterations;

    Block preconditioned(A->getDomainMap(), columns);
    const auto again = block_cg(matrix, Divided(A->getDomainMap(), 3), B, preconditioned, options, workspace);
    EXPECT_TRUE(again.has_converged) << to_string(again.stop);
    EXPECT_LE(true_residual(*A, preconditioned, *b), 1e-9);
    EXPECT_NEAR(again.iterations, result.iterations, 1 + result.iterations / 20);  // a constant changes nothing
  }
  EXPECT_LT(iterations[1], iterations[0]);
}
INSTANTIATE_TEST_SUITE_P(Maps, BlockCgOn, testing::ValuesIn(every_square),
                         [](const auto& test) { return test.param.name; });

/// With more ranks than rows, some ranks have none.
TEST(BlockCgOnRanks, SolvesWhereRanksHaveNoRows) {
  HostCsr<double> diagonal;
  diagonal.rows = diagonal.columns = 2;
  diagonal.row_offsets = {0, 1, 2};
  diagonal.column_indices = {0, 1};
  diagonal.values = {2, 4};
  const auto A = distribute(diagonal, Spread::Uniform);
  const auto b = random_vectors(A->getRangeMap(), 2, 1);
  const Block B(*b);
  Block X(A->getDomainMap(), 2);
  const CrsMatrix matrix(*A);
  EXPECT_TRUE(block_cg(matrix, B, X).has_converged);
  EXPECT_LE(true_residual(*A, X, *b), 1e-12);
  EXPECT_THROW(block_cg(matrix, X, X), std::invalid_argument);  // also on ranks where nothing overlaps
  const Divided other(uniform_map(3), 2);
  EXPECT_THROW(block_cg(matrix, other, B, X), std::invalid_argument);
  const Matrix unfinished(A->getRowMap(), 1);
  EXPECT_THROW(block_cg(unfinished, B, X), std::invalid_argument);
}

/// Views of wider blocks are solved in place; all ranks reject blocks of other shapes, even if they fit on this rank.
TEST(BlockCgOnRanks, TakesViewsAndRejectsOtherShapes) {
  const auto A = distribute(generate_stencil27(4), Spread::Uniform);
  const CrsMatrix matrix(*A);
  const auto b = random_vectors(A->getRangeMap(), 3, 1);
  Block wide(A->getDomainMap(), 7);
  const auto B = wide.subViewNonConst(Teuchos::Range1D(0, 2));
  const auto X = wide.subViewNonConst(Teuchos::Range1D(3, 5));
  B->assign(Block(*b));
  EXPECT_TRUE(block_cg(matrix, *B, *X).has_converged);
  EXPECT_LE(true_residual(*A, *X, *b), 1e-7);
  const std::size_t places[] = {0, 2, 1};
  const auto list = wide.subView(Teuchos::ArrayView<const std::size_t>(places, 3));
  EXPECT_THROW(block_cg(matrix, *list, *X), std::invalid_argument);
  const Block shorter(
      map_of(GO(A->getGlobalNumRows()),
             [&](GO i) { return A->getDomainMap()->isNodeGlobalElement(i) && i + 1 < GO(A->getGlobalNumRows()); }),
      3);
  EXPECT_THROW(block_cg(matrix, shorter, *X), std::invalid_argument);
  EXPECT_THROW(block_cg(matrix, *B, *B), std::invalid_argument);
  if (ranks() == 1) return;
  const CrsMatrix shuffled(*distribute(generate_stencil27(4), Spread::Shuffled));  // rows and X have other owners
  Block Z(shuffled.getDomainMap(), 1);
  EXPECT_THROW(block_cg(shuffled, Block(shuffled.getRangeMap(), 1), Z), std::invalid_argument);
}

/// A View of the caller's memory is a block like any other.
TEST(BlockCgOnRanks, ABlockMayViewTheCallersMemory) {
  const auto map = uniform_map(50);
  const std::size_t rows = map->getLocalNumElements();
  const Kokkos::View<double**, Kokkos::LayoutRight, Matrix::device_type> elements("elements", rows, 3);
  const auto x = random_vectors(map, 3, 1);
  Block X(map, elements);
  X.assign(*x);
  expect_elements(X, *x);
  Block same(map, elements);
  EXPECT_EQ(same.aliases(X), rows > 0);
  EXPECT_FALSE(Block(map, 3).aliases(X));
  const auto first = X.subView(Teuchos::Range1D(0, 1)), last = X.subView(Teuchos::Range1D(2, 2));
  EXPECT_FALSE(first->aliases(*last));
  EXPECT_EQ(first->aliases(same), rows > 0);
  const Block part(map, Kokkos::subview(elements, Kokkos::ALL, std::pair(0, 2)));
  expect_elements(part, *x->subView(Teuchos::Range1D(0, 1)));
  EXPECT_THROW(Block(uniform_map(50 + ranks()), elements), std::invalid_argument);
  EXPECT_THROW(
      Block(map_of(50, [](GO) { return true; }), Block::row_major_view_type(static_cast<double*>(nullptr), 50, 1)),
      std::invalid_argument);
  EXPECT_THROW(Block(Teuchos::null, elements), std::invalid_argument);
}

/// Counts the reductions of an iteration: those of ten more iterations, divided by ten.
TEST(BlockCgOnRanks, SumsOverRanksOnceAnIteration) {
  if (ranks() == 1) GTEST_SKIP() << "one rank reduces nothing";
  const auto A = distribute(generate_stencil27(12), Spread::Uniform);
  const CrsMatrix matrix(*A);
  const Block B(*random_vectors(A->getRangeMap(), 4, 1));
  std::size_t counts[2] = {};
  for (const int more : {0, 1}) {
    Block X(A->getDomainMap(), 4);
    BlockCgOptions<double> options;
    options.tolerance = 0;
    options.max_iterations = 5 + 10 * more;
    block_cg(matrix, B, X, options);  // warms up
    X.putScalar(0);
    const Events events;
    EXPECT_EQ(block_cg(matrix, B, X, options).iterations, options.max_iterations);
    counts[more] = Events::count("MPI_Allreduce");
  }
  EXPECT_GE(counts[1] - counts[0], 10U);
  EXPECT_LE(counts[1] - counts[0], 12U);  // where rounding refuses a prediction, there is one more
}

}  // namespace Tessera::Impl::Test
