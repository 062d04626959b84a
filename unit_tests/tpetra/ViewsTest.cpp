// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <tessera/io/Generators.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/tpetra/impl/GrowingMultivector.hpp>

#include "TestProblem.hpp"

namespace Tessera::Impl::Test {

constexpr Teuchos::ETransp every_mode[] = {Teuchos::NO_TRANS, Teuchos::TRANS, Teuchos::CONJ_TRANS};

/// A square matrix with equal domain and range Maps in most distributions, and its operator.
class Views : public OnRanks {
 protected:
  Views() : A(distribute(generate_elasticity(4, 2), spread())), op(A, options()) {}

  /// Expects the columns that the product must not touch to be unchanged.
  void expect_same_columns(const MV& actual, const MV& expected, const std::vector<std::size_t>& columns) {
    const auto a = actual.getLocalViewHost(Tpetra::Access::ReadOnly);
    const auto e = expected.getLocalViewHost(Tpetra::Access::ReadOnly);
    for (const std::size_t j : columns) {
      for (std::size_t i = 0; i < a.extent(0); ++i) ASSERT_EQ(a(i, j), e(i, j)) << "column " << j;
    }
  }

  RCP<Matrix> A;
  Operator op;
};

TEST_P(Views, ColumnSubviews) {
  for (const auto mode : every_mode) {
    for (const double beta : {0.0, -0.5}) {
      const auto X = random_vectors(x_map(*A, mode), 8, 1);
      const auto Y = random_vectors(y_map(*A, mode), 8, 2);
      const MV before(*Y, Teuchos::Copy);
      MV expected(*Y->subView(Teuchos::Range1D(4, 6)), Teuchos::Copy);
      const auto x = X->subView(Teuchos::Range1D(2, 4));
      const auto y = Y->subViewNonConst(Teuchos::Range1D(4, 6));
      const auto limit = bound(*A, *x, *y, mode, 2, beta);
      A->apply(*x, expected, mode, 2, beta);
      op.apply(*x, *y, mode, 2, beta);
      expect_within(*y, expected, *limit);
      expect_same_columns(*Y, before, {0, 1, 2, 3, 7});
    }
  }
}

/// CrsMatrix gets copies, because with an Import it cannot multiply its transpose by Views of non-constant stride.
TEST_P(Views, NonConstantStride) {
  const Teuchos::Array<std::size_t> from = Teuchos::tuple<std::size_t>(0, 3, 4, 7);
  const Teuchos::Array<std::size_t> to = Teuchos::tuple<std::size_t>(6, 1, 2, 5);
  for (const auto mode : every_mode) {
    for (const double beta : {0.0, 1.5}) {
      const auto X = random_vectors(x_map(*A, mode), 8, 1);
      const auto Y = random_vectors(y_map(*A, mode), 8, 2);
      const auto x = X->subView(from());
      const auto y = Y->subViewNonConst(to());
      ASSERT_FALSE(x->isConstantStride());
      ASSERT_FALSE(y->isConstantStride());
      const MV x_copy(*x, Teuchos::Copy), before(*Y, Teuchos::Copy);
      MV expected(*y, Teuchos::Copy);
      const auto limit = bound(*A, x_copy, expected, mode, -1, beta);
      A->apply(x_copy, expected, mode, -1, beta);
      op.apply(*x, *y, mode, -1, beta);
      expect_within(MV(*y, Teuchos::Copy), expected, *limit);
      expect_same_columns(*Y, before, {0, 3, 4, 7});
    }
  }
}

TEST_P(Views, XIsY) {
  if (!A->getDomainMap()->isSameAs(*A->getRangeMap())) GTEST_SKIP() << "X and Y have different Maps";
  for (const auto mode : every_mode) {
    for (const double beta : {0.0, 0.5}) {
      const auto X = random_vectors(A->getDomainMap(), 8, 1);
      MV expected(*X, Teuchos::Copy), both(*X, Teuchos::Copy);
      A->apply(*X, expected, mode, 3, beta);
      op.apply(both, both, mode, 3, beta);
      expect_within(both, expected, *bound(*A, *X, *X, mode, 3, beta));
    }
  }
}

TEST_P(Views, XAndYShareColumns) {
  if (!A->getDomainMap()->isSameAs(*A->getRangeMap())) GTEST_SKIP() << "X and Y have different Maps";
  for (const auto mode : every_mode) {
    const auto all = random_vectors(A->getDomainMap(), 8, 1);
    const MV X(*all->subView(Teuchos::Range1D(0, 4)), Teuchos::Copy);
    MV expected(*all->subView(Teuchos::Range1D(2, 6)), Teuchos::Copy);
    const auto limit = bound(*A, X, expected, mode, 1, -1);
    A->apply(X, expected, mode, 1, -1);
    const auto x = all->subView(Teuchos::Range1D(0, 4));
    const auto y = all->subViewNonConst(Teuchos::Range1D(2, 6));
    op.apply(*x, *y, mode, 1, -1);
    expect_within(*y, expected, *limit);
  }
}

/// Whether the sums of a column are bitwise independent of other columns. The order in which MPI sums a replicated Y
/// depends on its size. If two ranks send values to a third, its threads add them in any order.
bool is_summed_in_order(const MV& Y) {
  if (ranks() == 1) return true;
  return Y.isDistributed() && (ranks() == 2 || MV::execution_space().concurrency() == 1);
}

/// A Krylov block loses and regains columns: results stay right, and columns do not depend on their neighbours. (On a
/// GPU a column alone may have other bits.)
TEST_P(Views, Deflation) {
  for (const auto mode : every_mode) {
    const auto X = random_vectors(x_map(*A, mode), 8, 1);
    MV whole(y_map(*A, mode), 8);
    op.apply(*X, whole, mode);
    for (const int columns : {8, 5, 2, 1, 7, 8}) {
      SCOPED_TRACE(columns);
      expect_product(*A, op, std::size_t(columns), mode, 1, 0.5);
      const auto x = X->subView(Teuchos::Range1D(8 - columns, 7));
      MV y(y_map(*A, mode), std::size_t(columns));
      op.apply(*x, y, mode);
      MV difference(*whole.subView(Teuchos::Range1D(8 - columns, 7)), Teuchos::Copy);
      difference.update(-1, y, 1);
      Teuchos::Array<double> norms(columns);
      difference.normInf(norms());
      const bool has_other_bits = columns == 1 && !is_host_space<MV::execution_space>;
      const double most = is_summed_in_order(y) && !has_other_bits ? 0 : 1e-13;
      for (const double norm : norms) EXPECT_LE(norm, most);
    }
  }
}

TEST_P(Views, NoColumns) {
  const MV X(A->getDomainMap(), 0);
  MV Y(A->getRangeMap(), 0);
  EXPECT_NO_THROW(op.apply(X, Y));
}

/// Reference counts of multivectors and matrix would show Views that were kept. Tpetra counts references to all arrays
/// except the row offsets. On a device it needs to be their only owner. On a host plans keep the columns.
TEST_P(Views, NothingIsKept) {
  const auto X = random_vectors(A->getDomainMap(), 4, 1);
  const auto Y = random_vectors(A->getRangeMap(), 4, 2);
  const auto counts = [&] {
    const auto local = A->getLocalMatrixDevice();
    const bool is_host = std::is_same_v<MV::execution_space::memory_space, Kokkos::HostSpace>;
    return std::vector<int>{X->getLocalViewDevice(Tpetra::Access::ReadOnly).use_count(),
                            Y->getLocalViewDevice(Tpetra::Access::ReadOnly).use_count(), local.values.use_count(),
                            is_host ? 0 : local.graph.entries.use_count()};
  };
  const std::vector<int> before = counts();
  Operator other(A, options());
  other.apply(*X, *Y);
  other.apply(*Y, *X, Teuchos::TRANS, 1, 1);
  if (A->getDomainMap()->isSameAs(*A->getRangeMap())) other.apply(*X, *X);
  other.update();
  EXPECT_EQ(counts(), before);
}

/// reserve() does all work that may fail. Products call it before any rank waits for another.
TEST(GrowingMultivector, MakesColumnsInAdvance) {
  const auto map = uniform_map(10);
  Impl::GrowingMultivector<MV> growing;
  growing.reserve(map, 0);
  growing.reserve(map, 8);
  growing.reserve(map, 3);
  const auto& vectors = growing;
  const MV* const three = &vectors.first(3);
  EXPECT_EQ(three->getNumVectors(), 3U);
  EXPECT_EQ(vectors.first(8).getNumVectors(), 8U);
  EXPECT_THROW(vectors.first(5), std::out_of_range);
  growing.reserve(map, 3);
  EXPECT_EQ(&vectors.first(3), three);
}

INSTANTIATE_TEST_SUITE_P(Spreads, Views, on_ranks, on_ranks_name);

}  // namespace Tessera::Impl::Test
