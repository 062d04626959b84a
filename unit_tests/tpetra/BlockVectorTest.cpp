// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <tessera/tpetra/impl/BlockMemory.hpp>
#include <utility>

#include "BlockProblem.hpp"
#include "Events.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

using Range = Teuchos::Range1D;
using Columns = Teuchos::Array<std::size_t>;

constexpr GO global_rows = 253;

/// A distribution of rows over the ranks.
struct Rows {
  std::string name;
  std::function<RCP<const Map>()> map;
};
const std::vector<Rows> every_rows = {
    {"Uniform", [] { return uniform_map(global_rows); }},
    {"Cyclic", [] { return cyclic_map(global_rows); }},
    {"Shuffled", [] { return shuffled_map(global_rows, 7); }},
    {"LastRank", [] { return map_of(global_rows, [](GO) { return rank() == last_rank(); }); }},
    {"Replicated", [] { return replicated_map(global_rows); }},
    {"One", [] { return uniform_map(1); }},
    {"None", [] { return uniform_map(0); }},
};
const std::vector<std::size_t> every_width = {1, 3, 16, 127, 128, 129};

class BlockOn : public testing::TestWithParam<Rows> {
 protected:
  RCP<const Map> map = GetParam().map();
  const double rows = double(map->getGlobalNumElements()) + 1;

  /// Calls `function` with a block and the multivector with the same elements, for every number of columns.
  template <class Function>
  void for_each_width(const Function& function) {
    for (const std::size_t columns : every_width) {
      SCOPED_TRACE(columns);
      const auto vectors = random_vectors(map, columns, 1);
      Block block(*vectors);
      function(block, *vectors);
    }
  }
};

TEST_P(BlockOn, HasTheShapeOfItsMap) {
  const Block X(map, 5);
  EXPECT_EQ(X.getMap(), map);
  EXPECT_EQ(X.getNumVectors(), 5U);
  EXPECT_EQ(X.getLocalLength(), map->getLocalNumElements());
  EXPECT_EQ(X.getGlobalLength(), map->getGlobalNumElements());
  EXPECT_EQ(X.isDistributed(), map->isDistributed());
  EXPECT_TRUE(X.isConstantStride());
  EXPECT_GE(X.getStride(), 5U);
  expect_elements(X, MV(map, 5));
  EXPECT_EQ(Block(map, 0).getNumVectors(), 0U);
}

TEST_P(BlockOn, ComesFromAMultivectorAndGoesBack) {
  for_each_width([&](const Block& X, const MV& x) {
    expect_elements(X, x);
    MV back(map, x.getNumVectors());
    X.copyTo(back);
    expect_elements(Block(back), x);
  });
  const auto wide = random_vectors(map, 8, 2);
  const Columns some = Teuchos::tuple<std::size_t>(6, 1, 2, 5);
  const auto listed = wide->subViewNonConst(some());
  ASSERT_FALSE(listed->isConstantStride());
  Block X(*listed);
  expect_elements(X, MV(*listed, Teuchos::Copy));
  X.putScalar(3);
  X.copyTo(*listed);
  expect_elements(X, MV(*listed, Teuchos::Copy));
  EXPECT_EQ(wide->getLocalLength() == 0 || wide->getLocalViewHost(Tpetra::Access::ReadOnly)(0, 3) != 3, true);
}

/// A view shares the block's elements, even if they are changed; a copy does not.
TEST_P(BlockOn, ViewsShareTheirElements) {
  const auto x = random_vectors(map, 9, 1);
  Block X(*x);
  const Columns list = Teuchos::tuple<std::size_t>(7, 0, 4);
  expect_elements(*X.subView(Range(3, 6)), MV(*x->subView(Range(3, 6)), Teuchos::Copy));
  expect_elements(*X.subView(list()), MV(*x->subView(list()), Teuchos::Copy));
  const auto copy = X.subCopy(list()), range_copy = X.subCopy(Range(3, 6));
  EXPECT_FALSE(copy->aliases(X));
  EXPECT_FALSE(range_copy->aliases(X));
  EXPECT_EQ(X.subView(list())->aliases(X), X.getLocalLength() > 0);
  X.subViewNonConst(list())->putScalar(2);
  X.subViewNonConst(Range(1, 2))->putScalar(nan);
  expect_elements(*copy, MV(*x->subView(list()), Teuchos::Copy));
  expect_elements(*range_copy, MV(*x->subView(Range(3, 6)), Teuchos::Copy));
  x->subViewNonConst(list())->putScalar(2);
  x->subViewNonConst(Range(1, 2))->putScalar(nan);
  expect_elements(X, *x);
}

TEST_P(BlockOn, ViewsOfViews) {
  const auto x = random_vectors(map, 9, 1);
  Block X(*x);
  const Columns list = Teuchos::tuple<std::size_t>(7, 2, 4, 3), of_list = Teuchos::tuple<std::size_t>(3, 0);
  const Columns expected = Teuchos::tuple<std::size_t>(3, 7), adjacent = Teuchos::tuple<std::size_t>(1, 2, 3);
  const auto view = X.subViewNonConst(list());
  EXPECT_FALSE(view->isConstantStride());
  EXPECT_THROW(view->getLocalView(), std::logic_error);
  EXPECT_TRUE(X.subView(adjacent())->isConstantStride());
  expect_elements(*view->subView(of_list()), MV(*x->subView(expected()), Teuchos::Copy));
  expect_elements(*view->subView(Range(1, 1)), MV(*x->subView(Range(2, 2)), Teuchos::Copy));
  expect_elements(*X.subView(Range(2, 8))->subView(Range(1, 2)), MV(*x->subView(Range(3, 4)), Teuchos::Copy));
  expect_elements(*X.subView(Range(1, 8))->subView(adjacent()), MV(*x->subView(Range(2, 4)), Teuchos::Copy));
}

TEST_P(BlockOn, ViewsOutliveTheirBlock) {
  const auto x = random_vectors(map, 6, 1);
  auto X = rcp(new Block(*x));
  const auto view = X->subView(Range(1, 3));
  X = Teuchos::null;
  const Block other(map, 6);  // would reuse freed memory
  expect_elements(*view, MV(*x->subView(Range(1, 3)), Teuchos::Copy));
}

TEST_P(BlockOn, CopiesAreViewsUnlessToldOtherwise) {
  const auto x = random_vectors(map, 4, 1);
  Block X(*x), view(X), assigned(map, 1);
  const Block copy(X, Teuchos::Copy);
  assigned = X;
  view.putScalar(1);
  expect_elements(copy, *x);
  x->putScalar(1);
  expect_elements(X, *x);
  expect_elements(assigned, *x);
}

TEST_P(BlockOn, Dots) {
  for_each_width([&](const Block& X, const MV& x) {
    const auto y = random_vectors(map, x.getNumVectors(), 2);
    const Block Y(*y);
    std::vector<double> actual(x.getNumVectors(), nan), expected(actual);
    X.dot(Y, actual);
    x.dot(*y, expected);
    for (std::size_t j = 0; j < actual.size(); ++j) EXPECT_NEAR(actual[j], expected[j], 1e-15 * rows);
  });
}

TEST_P(BlockOn, Norms) {
  for_each_width([&](const Block& X, const MV& x) {
    std::vector<double> actual(x.getNumVectors(), nan), expected(actual);
    const auto expect_same = [&] {
      for (std::size_t j = 0; j < actual.size(); ++j) EXPECT_NEAR(actual[j], expected[j], 1e-15 * rows);
    };
    X.norm1(actual);
    x.norm1(expected);
    expect_same();
    X.norm2(actual);
    x.norm2(expected);
    expect_same();
    X.normInf(actual);
    x.normInf(expected);
    EXPECT_EQ(actual, expected);
  });
}

/// NaN in any row reaches the norm of its column.
TEST_P(BlockOn, NormsOfNaN) {
  if (map->getGlobalNumElements() < 2) GTEST_SKIP() << "too few rows";
  for (const GO row : {GO(0), global_rows - 1}) {
    const auto x = random_vectors(map, 3, 1);
    if (map->isNodeGlobalElement(row)) x->replaceGlobalValue(row, 1, nan);
    const Block X(*x);
    std::vector<double> norms(3);
    X.normInf(norms);
    EXPECT_TRUE(std::isfinite(norms[0]) && std::isnan(norms[1]) && std::isfinite(norms[2])) << norms[1];
    X.norm2(norms);
    EXPECT_TRUE(std::isfinite(norms[0]) && std::isnan(norms[1]) && std::isfinite(norms[2])) << norms[1];
  }
}

TEST_P(BlockOn, ReducesOnceForAResult) {
  const auto X = random_block(map, 130, 1), Y = random_block(map, 3, 2);
  Small C(130, 3);
  std::vector<double> result(130);
  const std::size_t expected = map->isDistributed() ? 1 : 0;
  const std::vector<std::function<void()>> functions = {[&] { X->dot(*X, result); }, [&] { X->norm1(result); },
                                                        [&] { X->norm2(result); }, [&] { X->normInf(result); },
                                                        [&] { X->innerProducts(1, *Y, C); }};
  for (const auto& function : functions) {
    const Events events;
    function();
    EXPECT_EQ(Events::count("MPI_Allreduce"), expected) << Events::all();
  }
  const Events events;
  X->multiply(1, *Y, random_small(3, 130, 1), 1);
  X->update(1, *X, 2);
  X->scale(2);
  X->randomize();
  EXPECT_EQ(Events::count("MPI_Allreduce"), 0U) << Events::all();
}

TEST_P(BlockOn, UpdatesByOneBlock) {
  for_each_width([&](const Block& X, const MV& x) {
    for (const double alpha : {0.0, 1.0, -2.5}) {
      for (const double beta : {0.0, 1.0, 0.5}) {
        auto y = random_vectors(map, x.getNumVectors(), 2);
        Block Y(*y);
        if (beta == 0) Y.putScalar(nan);
        Y.update(alpha, X, beta);
        y->update(alpha, x, beta);
        expect_elements(Y, *y, 1e-15);
      }
    }
  });
}

TEST_P(BlockOn, UpdatesByTwoBlocks) {
  const auto x = random_vectors(map, 7, 1), y = random_vectors(map, 7, 2);
  const Block X(*x), Y(*y);
  for (const double alpha : {0.0, 1.0, -2.5}) {
    for (const double beta : {0.0, 1.0, 0.5}) {
      for (const double gamma : {0.0, 1.0, -3.0}) {
        SCOPED_TRACE(std::to_string(alpha) + ' ' + std::to_string(beta) + ' ' + std::to_string(gamma));
        const auto z = random_vectors(map, 7, 3);
        Block Z(*z);
        if (gamma == 0) Z.putScalar(nan);
        Z.update(alpha, X, beta, Y, gamma);
        z->update(alpha, *x, beta, *y, gamma);
        expect_elements(Z, *z, 3e-15);

        const auto both = random_vectors(map, 7, 3);  // Z is an operand, too
        Block first(*both), second(*both);
        first.update(alpha, first, beta, Y, gamma);
        second.update(alpha, X, beta, second, gamma);
        MV expected(*both, Teuchos::Copy);
        expected.update(beta, *y, alpha + gamma);
        expect_elements(first, expected, 3e-15);
        expected.assign(*both);
        expected.update(alpha, *x, beta + gamma);
        expect_elements(second, expected, 3e-15);
      }
    }
  }
}

/// A block with a factor of 0 is not read.
TEST_P(BlockOn, FactorsOfZeroKeepNaNOut) {
  const auto x = random_vectors(map, 5, 1);
  const Block X(*x);
  Block none(map, 5), Y(map, 5);
  none.putScalar(nan);
  Y.update(1, X, 0, none, 0);
  expect_elements(Y, *x);
  Y.update(0, none, 1);
  expect_elements(Y, *x);
  Y.multiply(0, none, identity(5), 1);
  expect_elements(Y, *x);
  Y.scale(0);
  expect_elements(Y, MV(map, 5));
  none.scale(0);
  expect_elements(none, MV(map, 5));
}

TEST_P(BlockOn, MultipliesASmallMatrix) {
  for_each_width([&](const Block& X, const MV& x) {
    for (const int columns : {1, 5, 130}) {
      const Small B = random_small(int(x.getNumVectors()), columns, 3);
      for (const double beta : {0.0, 1.0, -0.5}) {
        const auto y = random_vectors(map, std::size_t(columns), 2);
        Block Y(*y);
        if (beta == 0) Y.putScalar(nan);
        Y.multiply(-2, X, B, beta);
        expect_elements(Y, multiplied(-2, x, B, beta, *y), 1e-13);
      }
    }
  });
}

TEST_P(BlockOn, MultipliesInPlace) {
  for_each_width([&](Block& X, const MV& x) {
    const Small B = random_small(int(x.getNumVectors()), int(x.getNumVectors()), 3);
    const Block before(X, Teuchos::Copy);
    X.multiply(1, X, B, 0);
    expect_elements(X, multiplied(1, x, B, 0, x), 1e-13);
    X.assign(before);
    X.multiply(1, X, B, 2);
    expect_elements(X, multiplied(1, x, B, 2, x), 1e-13);
  });
}

TEST_P(BlockOn, InnerProducts) {
  for_each_width([&](const Block& X, const MV& x) {
    const auto y = random_vectors(map, 5, 2);
    Small C(int(x.getNumVectors()), 5);
    C.putScalar(nan);
    X.innerProducts(-2, Block(*y), C);
    expect_small(C, transposed_product(-2, x, *y), 1e-15 * rows);
    X.innerProducts(0, Block(*y), C);
    expect_small(C, Small(int(x.getNumVectors()), 5), 0);
  });
  // The result is written to part of a matrix. Other elements of the matrix must not change.
  Small C(5, 4);
  C.putScalar(7);
  Small part(Teuchos::View, C, 3, 2, 1, 1);
  const auto X = random_block(map, 3, 1), Y = random_block(map, 2, 2);
  X->innerProducts(1, *Y, part);
  expect_small(part, products(*X, *Y), 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(C(i, 0), 7);
  for (int j = 0; j < 4; ++j) EXPECT_TRUE(C(0, j) == 7 && C(4, j) == 7);
}

TEST_P(BlockOn, ScalesColumnsAndRows) {
  for_each_width([&](Block& X, MV x) {
    std::vector<double> factors(x.getNumVectors());
    for (std::size_t j = 0; j < factors.size(); ++j) factors[j] = double(j) - 2;
    X.scale(factors);
    x.scale(factors);
    expect_elements(X, x);
    X.scale(-0.5);
    x.scale(-0.5);
    expect_elements(X, x);
    Tpetra::Vector<double> of_rows(map);
    of_rows.update(1, *random_vectors(map, 1, 4)->getVector(0), 0);
    Block Y(map, x.getNumVectors());
    Y.scaleRows(of_rows, X);
    X.scaleRows(of_rows, X);
    MV y(map, x.getNumVectors());
    y.elementWiseMultiply(1, of_rows, x, 0);
    expect_elements(X, y);
    expect_elements(Y, y);
  });
}

TEST_P(BlockOn, RandomElements) {
  Block X(map, 6), Y(map, 6);
  X.randomize();
  Y.randomize();
  std::vector<double> greatest(6), products(6), squares(6);
  X.normInf(greatest);
  X.dot(Y, products);
  X.dot(X, squares);
  if (map->getGlobalNumElements() > 100) {
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_LE(greatest[j], 1);
      EXPECT_NEAR(squares[j], double(global_rows) / 3, double(global_rows) / 10);
      EXPECT_LE(std::abs(products[j]), 0.3 * squares[j]);
    }
  }
  X.randomize(5);
  Y.randomize(5);
  expect_elements(X, *Y.toMultiVector());
}

/// Random elements do not depend on the distribution of rows.
TEST(BlockVector, RandomElementsOfASeed) {
  Block X(uniform_map(global_rows), 4), all(replicated_map(global_rows), 4);
  X.randomize(11);
  all.randomize(11);
  const auto x = X.toMultiVector(), a = all.toMultiVector();
  const auto mine = x->getLocalViewHost(Tpetra::Access::ReadOnly),
             every = a->getLocalViewHost(Tpetra::Access::ReadOnly);
  for (std::size_t i = 0; i < mine.extent(0); ++i) {
    const auto row = std::size_t(X.getMap()->getGlobalElement(int(i)));
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(mine(i, j), every(row, j));
  }
}

/// Writes columns that overlap with the columns that are read.
TEST_P(BlockOn, OverlappingColumns) {
  const auto all = random_vectors(map, 8, 1);
  const MV x(*all->subView(Range(0, 4)), Teuchos::Copy), y(*all->subView(Range(2, 6)), Teuchos::Copy);
  const Columns list = Teuchos::tuple<std::size_t>(6, 2, 5, 3, 4);
  const MV listed(*all->subView(list()), Teuchos::Copy);
  const Small B = random_small(5, 5, 3);
  const auto expect = [&](const auto& function, const MV& expected, const MV& expected_in_list) {
    for (const bool is_list : {false, true}) {
      SCOPED_TRACE(is_list);
      Block block(*all);
      const auto written = is_list ? block.subViewNonConst(list()) : block.subViewNonConst(Range(2, 6));
      function(*block.subView(Range(0, 4)), *written);
      expect_elements(*written, is_list ? expected_in_list : expected, 1e-14);
      expect_elements(*block.subView(Range(0, 1)), MV(*all->subView(Range(0, 1)), Teuchos::Copy));
      expect_elements(*block.subView(Range(7, 7)), MV(*all->subView(Range(7, 7)), Teuchos::Copy));
    }
  };
  expect([](const Block& X, Block& Y) { Y.assign(X); }, x, x);
  MV sum(y, Teuchos::Copy), listed_sum(listed, Teuchos::Copy);
  sum.update(2, x, -1);
  listed_sum.update(2, x, -1);
  expect([](const Block& X, Block& Y) { Y.update(2, X, -1); }, sum, listed_sum);
  expect([&](const Block& X, Block& Y) { Y.multiply(1, X, B, 1); }, multiplied(1, x, B, 1, y),
         multiplied(1, x, B, 1, listed));
  expect([&](const Block& X, Block& Y) { Y.multiply(1, X, B, 0); }, multiplied(1, x, B, 0, y),
         multiplied(1, x, B, 0, listed));
}

/// Expects X0 = Q C + X R with X orthonormal and orthogonal to Q.
TEST_P(BlockOn, Orthonormalizes) {
  if (map->getGlobalNumElements() < 200) GTEST_SKIP() << "fewer rows than columns";
  const auto Q = random_block(map, 20, 1), more = random_block(map, 3, 2);
  EXPECT_EQ(Q->orthonormalize(), 20);
  expect_small(products(*Q, *Q), identity(20), 1e-14);
  const std::vector<RCP<const Block>> first = {Q}, both = {Q, more};
  EXPECT_EQ(more->orthonormalize(first), 3);
  for (const std::size_t columns : {1, 16, 130}) {
    const auto x = random_vectors(map, columns, 3);
    Block X(*x);
    Small C, R;
    EXPECT_EQ(X.orthonormalize(both, &C, &R), int(columns));
    expect_small(products(X, X), identity(int(columns)), 1e-13);
    expect_small(products(*Q, X), Small(20, int(columns)), 1e-14);
    expect_small(products(*more, X), Small(3, int(columns)), 1e-14);
    Block back(map, columns);
    back.multiply(1, X, R, 0);
    back.multiply(1, *Q, Small(Teuchos::View, C, 20, int(columns)), 1);
    back.multiply(1, *more, Small(Teuchos::View, C, 3, int(columns), 20), 1);
    expect_elements(back, *x, 1e-12);
  }
}

/// Orthonormalizes listed columns, one of which is dependent. Other columns must not change.
TEST_P(BlockOn, OrthonormalizesViewsAndDependentColumns) {
  if (map->getGlobalNumElements() < 200) GTEST_SKIP() << "fewer rows than columns";
  const auto block = random_block(map, 9, 1);
  const Columns list = Teuchos::tuple<std::size_t>(7, 2, 4, 3);
  const auto X = block->subViewNonConst(list());
  X->subViewNonConst(Range(2, 2))->update(2, *X->subView(Range(0, 0)), -3, *X->subView(Range(1, 1)), 0);
  const auto before = block->subCopy(Range(5, 6));
  Small R;
  EXPECT_EQ(X->orthonormalize({}, nullptr, &R), 3);
  EXPECT_EQ(R(2, 2), 0);
  expect_small(products(*X, *X), identity(4), 1e-13);
  expect_elements(*before, *block->subView(Range(5, 6))->toMultiVector());
}

/// Blocks that do not match are rejected by Tessera's own error, before anything is sent.
TEST_P(BlockOn, RejectsWhatDoesNotFit) {
  Block X(map, 3), wide(map, 4);
  Small B(2, 3), C(3, 3);
  std::vector<double> two(2);
  MV four(map, 4);
  const Columns outside = Teuchos::tuple<std::size_t>(1, 3);
  EXPECT_THROW(X.assign(wide), std::invalid_argument);
  EXPECT_THROW(X.assign(four), std::invalid_argument);
  EXPECT_THROW(X.copyTo(four), std::invalid_argument);
  EXPECT_THROW(X.update(1, wide, 1), std::invalid_argument);
  EXPECT_THROW(X.update(1, X, 1, wide, 1), std::invalid_argument);
  EXPECT_THROW(X.multiply(1, X, B, 0), std::invalid_argument);
  EXPECT_THROW(X.innerProducts(1, wide, C), std::invalid_argument);
  EXPECT_THROW(X.dot(wide, two), std::invalid_argument);
  EXPECT_THROW(X.norm2(two), std::invalid_argument);
  EXPECT_THROW(X.normInf(two), std::invalid_argument);
  EXPECT_THROW(X.scale(two), std::invalid_argument);
  EXPECT_THROW(X.subView(Range(1, 3)), std::invalid_argument);
  EXPECT_THROW(X.subView(outside()), std::invalid_argument);
  EXPECT_THROW(Block(RCP<const Map>(), 3), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Rows, BlockOn, testing::ValuesIn(every_rows),
                         [](const testing::TestParamInfo<Rows>& test) { return test.param.name; });

/// Solvers allocate and free work vectors in every iteration.
TEST(BlockVector, MemoryIsUsedAgain) {
  const auto map = uniform_map(10000);
  { const Block X(map, 16), Y(map, 16), Z(map, 3); }
  const ToolEvents events;
  for (int i = 0; i < 10; ++i) {
    const Block X(map, 16, false), Y(X, Teuchos::Copy), Z(map, 3, false);
  }
  EXPECT_EQ(events.allocations(), 0U) << events.text();
}

/// The bytes that are kept for reuse are at most the peak that was in use.
TEST(BlockVector, MemoryThatIsKeptIsBounded) {
  const auto map = uniform_map(1000 * ranks());
  for (std::size_t columns = 100; columns < 140; ++columns) const Block X(map, columns, false);
  const auto& memory = Impl::BlockMemory<Block::memory_space>::instance();
  EXPECT_LE(memory.kept_bytes(), memory.most_bytes());
}

/// Sums have the same bits in each run with one rank.
TEST(BlockVector, SumsAreTheSameInEachRun) {
  const auto X = random_block(uniform_map(5000), 7, 1);
  const Small first = products(*X, *X);
  for (int i = 0; i < 3; ++i) expect_small(products(*X, *X), first, 0);
}

}  // namespace Tessera::Impl::Test
