// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tpetra_BlockMultiVector.hpp>
#include <Tpetra_Details_Behavior.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/BlockCg.hpp>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>

#include "BlockMatrixProblem.hpp"

namespace Tessera::Impl::Test {

namespace {

using Block = BlockVector<double>;

static_assert(std::is_same_v<decltype(TpetraOperator(RCP<BlockMatrix>())), Operator>);
static_assert(std::is_same_v<decltype(TpetraOperator(RCP<const BlockMatrix>(), TpetraOptions())), Operator>);

/// Blocks where a rectangular matrix has entries; block rows 3, 8, ... and some block columns are empty.
HostCsr<double> rectangular_mesh(Ordinal rows, Ordinal columns) {
  HostCsr<double> mesh{rows, columns, {0}, {}, {}};
  for (Ordinal i = 0; i < rows; ++i) {
    for (Ordinal c = 0; c < columns; ++c) {
      const auto place = std::uint64_t(i) * std::uint64_t(columns) + std::uint64_t(c);
      const bool there = i == 7 ? c % 3 != 1 : i % 5 != 3 && c % 7 != 4 && hash(place, 9) % 6 == 0;
      if (!there) continue;
      mesh.column_indices.push_back(c);
      mesh.values.push_back(1);
    }
    mesh.row_offsets.push_back(mesh.values.size());
  }
  return mesh;
}

RCP<const Map> x_points(const Operator& op, Teuchos::ETransp mode) {
  return mode == Teuchos::NO_TRANS ? op.getDomainMap() : op.getRangeMap();
}
RCP<const Map> y_points(const Operator& op, Teuchos::ETransp mode) {
  return mode == Teuchos::NO_TRANS ? op.getRangeMap() : op.getDomainMap();
}

/// Compares products of multivectors and of BlockVectors with a serial one.
void expect_products(const Operator& op, const HostCsr<double>& mesh, int size, std::uint64_t seed, std::size_t columns,
                     Teuchos::ETransp mode, double alpha, double beta) {
  SCOPED_TRACE("blocks of " + std::to_string(size) + ", mode " + std::to_string(mode) + ", " + std::to_string(columns) +
               " columns, alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta));
  const auto X = random_vectors(x_points(op, mode), columns, 5);
  const auto Y = random_vectors(y_points(op, mode), columns, 6);
  const SerialProduct expected = multiply_serially(mesh, size, seed, mode != Teuchos::NO_TRANS, alpha, columns, 5);
  const Block x(*X);
  Block y(*Y);
  if (beta == 0) Y->putScalar(nan), y.putScalar(nan);
  op.apply(*X, *Y, mode, alpha, beta);
  expect_serial(*Y, expected, beta, 6);
  op.apply(x, y, mode, alpha, beta);
  expect_serial(*y.toMultiVector(), expected, beta, 6);
}

class BlockMatrixOn : public OnRanks {
 protected:
  void expect_all_products(const HostCsr<double>& mesh, int size) {
    const auto A = distribute_blocks(mesh, Maps::of(mesh, spread()), size, 1);
    const Operator op(A, options());
    for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS, Teuchos::CONJ_TRANS}) {
      for (const std::size_t columns : {1, 5, 16}) {
        expect_products(op, mesh, size, 1, columns, mode, 1, 0);
        expect_products(op, mesh, size, 1, columns, mode, -2.5, 0.5);
      }
      expect_products(op, mesh, size, 1, 3, mode, 0, 3);
      expect_products(op, mesh, size, 1, 3, mode, 0, 0);
    }
  }
};

TEST_P(BlockMatrixOn, MultipliesBlocksOfEachSize) {
  for (const int size : {1, 2, 3, 4, 5, 7}) expect_all_products(rectangular_mesh(23, 17), size);
}
TEST_P(BlockMatrixOn, MultipliesFewerBlocksThanRanks) { expect_all_products(rectangular_mesh(1, 2), 3); }

/// Products see values that were written without a call of update(), and after update() only those that it copied.
TEST_P(BlockMatrixOn, SeesNewValues) {
  const auto mesh = rectangular_mesh(23, 17);
  for (const Format format : {Format::Auto, Format::Csr, Format::BitTcf}) {
    const auto A = distribute_blocks(mesh, Maps::of(mesh, spread()), 3, 1);
    TpetraOptions with_format = options();
    with_format.plan.format = format;
    Operator op(A, with_format);
    expect_products(op, mesh, 3, 1, 4, Teuchos::NO_TRANS, 1, 0);
    expect_products(op, mesh, 3, 1, 4, Teuchos::TRANS, 1, 0);
    fill_blocks(*A, 2);
    expect_products(op, mesh, 3, 2, 4, Teuchos::TRANS, -1, 2);
    expect_products(op, mesh, 3, 2, 4, Teuchos::NO_TRANS, -1, 2);
    fill_blocks(*A, 3);
    op.update();
    expect_products(op, mesh, 3, 3, 4, Teuchos::NO_TRANS, 1, 0);
    expect_products(op, mesh, 3, 3, 4, Teuchos::TRANS, 1, 0);
  }
}

/// Tpetra's own product exists for plain products and range Maps that are the row Map.
TEST_P(BlockMatrixOn, MultipliesAsTpetraDoes) {
  const auto mesh = rectangular_mesh(23, 17);
  for (const int size : {1, 3, 4}) {
    const auto A = distribute_blocks(mesh, Maps::of(mesh, spread()), size, 1);
    if (!A->getCrsGraph().getExporter().is_null()) return;  // Tpetra does not add up the rows of several ranks
    const auto X = random_vectors(A->getDomainMap(), 5, 5);
    const auto Y = random_vectors(A->getRangeMap(), 5, 6);
    const SerialProduct expected = multiply_serially(mesh, size, 1, false, 2, 5, 5);
    MV y(*Y, Teuchos::Copy);
    A->apply(*X, *Y, Teuchos::NO_TRANS, 2, -1);
    Operator(A, options()).apply(*X, y, Teuchos::NO_TRANS, 2, -1);
    expect_serial(*Y, expected, -1, 6);
    expect_serial(y, expected, -1, 6);
  }
}

TEST_P(BlockMatrixOn, HasTheMapsOfThePoints) {
  const auto mesh = rectangular_mesh(23, 17);
  const auto A = distribute_blocks(mesh, Maps::of(mesh, spread()), 3, 1);
  const Operator op(A, options());
  EXPECT_TRUE(op.getDomainMap()->isSameAs(*A->getDomainMap()));
  EXPECT_TRUE(op.getRangeMap()->isSameAs(*A->getRangeMap()));
  EXPECT_EQ(op.getRangeMap()->getGlobalNumElements(), 3 * A->getCrsGraph().getRangeMap()->getGlobalNumElements());
  EXPECT_TRUE(op.hasTransposeApply());
}

/// All distributions but the replicated ones, of which Tpetra has no Map of points.
INSTANTIATE_TEST_SUITE_P(Spreads, BlockMatrixOn,
                         testing::Combine(testing::ValuesIn(every_spread.begin(), every_spread.end() - 2),
                                          testing::Values(Overlap::Never, Overlap::Always)),
                         on_ranks_name);

TEST(BlockMatrix, RejectsReplicatedMaps) {
  const auto mesh = rectangular_mesh(23, 17);
  for (const Spread spread : {Spread::ReplicatedDomain, Spread::ReplicatedRange}) {
    const auto A = distribute_blocks(mesh, Maps::of(mesh, spread), 3, 1);
    if (ranks() == 1) {
      expect_products(Operator(A), mesh, 3, 1, 2, Teuchos::NO_TRANS, 1, 0);
    } else {
      EXPECT_THROW(Operator op(A), std::invalid_argument);
    }
  }
}

/// X and Y may overlap, and need no constant stride: Tpetra's own product rejects these.
TEST(BlockMatrix, MultipliesVectorsOfAnyStride) {
  const auto mesh = generate_stencil27(3);
  const auto A = distribute_blocks(mesh, Maps::of(mesh, Spread::Cyclic), 3, 1);
  const Operator op(A);
  const auto X = random_vectors(A->getDomainMap(), 5, 5);
  const Teuchos::Array<std::size_t> chosen = Teuchos::tuple<std::size_t>(0, 2, 3);
  MV expected(A->getRangeMap(), 3);
  op.apply(MV(*X->subView(chosen()), Teuchos::Copy), expected);
  const auto y = X->subViewNonConst(chosen());
  op.apply(*y, *y);
  expect_within(MV(*y, Teuchos::Copy), expected, MV(A->getRangeMap(), 3));
}

TEST(BlockMatrix, GivesTheDiagonal) {
  const auto mesh = rectangular_mesh(23, 23);
  const auto A = distribute_blocks(mesh, Maps::of(mesh, Spread::Cyclic), 3, 1);
  const Operator op(A);
  ASSERT_TRUE(op.hasDiagonal());
  Tpetra::Vector<double> diagonal(A->getRangeMap());
  op.getLocalDiagCopy(diagonal);
  const auto view = diagonal.getLocalViewHost(Tpetra::Access::ReadOnly);
  int found = 0;
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    const GO point = diagonal.getMap()->getGlobalElement(int(i)), I = point / 3;
    const auto begin = mesh.column_indices.begin() + std::ptrdiff_t(mesh.row_offsets[std::size_t(I)]);
    const auto end = mesh.column_indices.begin() + std::ptrdiff_t(mesh.row_offsets[std::size_t(I) + 1]);
    const bool is_there = std::find(begin, end, int(I)) != end;
    EXPECT_EQ(view(i, 0), is_there ? element_of(I, I, int(point % 3), int(point % 3), 1) : 0) << "point " << point;
    found += is_there;
  }
  int found_by_all = 0;
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_SUM, found, Teuchos::outArg(found_by_all));
  EXPECT_GT(found_by_all, 0);
  EXPECT_LT(found_by_all, 69);
  Tpetra::Vector<double> other(A->getRowMap());
  EXPECT_THROW(op.getLocalDiagCopy(other), std::invalid_argument);
}

/// A symmetric matrix with a dominant diagonal: blocks (I, J) and (J, I) are transposes of each other.
RCP<BlockMatrix> positive_definite(const HostCsr<double>& mesh, int size) {
  const auto map = cyclic_map(mesh.rows);
  const auto A = distribute_blocks(mesh, Maps{map, Teuchos::null, map, map}, size, 1);
  write_blocks(*A, [](GO I, GO J, int r, int c) {
    const bool is_upper = I < J || (I == J && r < c);
    return (is_upper ? element_of(I, J, r, c, 1) : element_of(J, I, c, r, 1)) + (I == J && r == c ? 60 + 20 * r : 0);
  });
  return A;
}

/// Solves with Jacobi's preconditioner, and checks the residual by Tpetra's own product.
TEST(BlockMatrix, IsSolvedByBlockCg) {
  const auto A = positive_definite(generate_stencil27(5), 3);
  const auto op = rcp(new Operator(A));
  const Jacobi M(op);
  const auto B = random_vectors(A->getRangeMap(), 4, 5);
  const Block b(*B);
  Block x(A->getDomainMap(), 4);
  const BlockCgResult result = block_cg(*op, M, b, x, BlockCgOptions<double>{.tolerance = 1e-10});
  EXPECT_TRUE(result.has_converged);
  std::vector<double> norms(4), residuals(4);
  B->norm2(norms);
  A->apply(*x.toMultiVector(), *B, Teuchos::NO_TRANS, -1, 1);
  B->norm2(residuals);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_LE(residuals[j], 2e-10 * norms[j]);
}

TEST(BlockMatrix, RejectsWrongArguments) {
  const auto mesh = rectangular_mesh(23, 17);
  const auto A = distribute_blocks(mesh, Maps::of(mesh, Spread::Uniform), 3, 1);
  EXPECT_THROW(Operator(RCP<const BlockMatrix>()), std::invalid_argument);
  TpetraOptions always;
  always.agreement = Agreement::EveryApply;
  const Operator op(A, always);
  const auto X = random_vectors(A->getDomainMap(), 2, 5);
  MV Y(A->getRangeMap(), 2), three(A->getRangeMap(), 3), blocks(A->getCrsGraph().getRangeMap(), 2);
  EXPECT_THROW(op.apply(*X, three), std::invalid_argument);
  EXPECT_THROW(op.apply(*X, blocks), std::invalid_argument);
  EXPECT_THROW(op.apply(*X, Y, Teuchos::TRANS), std::invalid_argument);
  EXPECT_THROW(op.apply(*X, Y, static_cast<Teuchos::ETransp>(7)), std::invalid_argument);
  op.apply(*X, Y, Teuchos::NO_TRANS, 2, 0);
  expect_serial(Y, multiply_serially(mesh, 3, 1, false, 2, 2, 5), 0, 6);
}

/// With blocks, explain() counts blocks, and points of the halo.
TEST(BlockMatrix, SaysWhatItDoes) {
  const auto A = distribute_blocks(generate_stencil27(6), Maps::of(generate_stencil27(6), Spread::Uniform), 3, 1);
  const std::string text = Operator(A, options_of(Overlap::Always)).explain();
  EXPECT_NE(text.find(ranks() == 1 ? "all columns are its own" : " blocks in columns of its own"), std::string::npos)
      << text;
}

}  // namespace

}  // namespace Tessera::Impl::Test
