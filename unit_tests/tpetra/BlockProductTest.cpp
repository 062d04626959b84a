// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with BlockVectors equal products with multivectors, and are computed by Tessera.
#include <tessera/io/Generators.hpp>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <utility>

#include "BlockProblem.hpp"
#include "Events.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

using Range = Teuchos::Range1D;
using Columns = Teuchos::Array<std::size_t>;
using AnyOperator = Tpetra::Operator<double>;
constexpr Teuchos::ETransp every_mode[] = {Teuchos::NO_TRANS, Teuchos::TRANS, Teuchos::CONJ_TRANS};

/// Rows of different lengths, with more columns than rows.
HostCsr<double> rectangular() {
  HostCsr<double> matrix{61, 83, {0}, {}, {}};
  for (Ordinal i = 0; i < matrix.rows; ++i) {
    for (Ordinal c = 0; c < matrix.columns; ++c) {
      const auto place = std::uint64_t(i) * 83 + std::uint64_t(c);
      if (i == 7 ? c % 3 == 1 : i % 5 == 3 || hash(place, 9) % 8 != 0) continue;
      matrix.column_indices.push_back(c);
      matrix.values.push_back(uniform(place, 10));
    }
    matrix.row_offsets.push_back(matrix.values.size());
  }
  return matrix;
}

class BlockProductOn : public OnRanks {
 protected:
  RCP<Matrix> make(const HostCsr<double>& matrix) { return distribute(matrix, spread()); }

  /// Compares the operator's product of a block with Tpetra's product of a multivector.
  void expect_block_product(const Matrix& A, const AnyOperator& op, std::size_t columns, Teuchos::ETransp mode,
                            double alpha, double beta) {
    SCOPED_TRACE("mode " + std::to_string(mode) + ", " + std::to_string(columns) + " columns, alpha " +
                 std::to_string(alpha) + ", beta " + std::to_string(beta));
    const auto x = random_vectors(x_map(A, mode), columns, 5), y = random_vectors(y_map(A, mode), columns, 6);
    const Block X(*x);
    Block Y(*y);
    if (beta == 0) Y.putScalar(nan);
    MV expected(*y, Teuchos::Copy);
    A.apply(*x, expected, mode, alpha, beta);
    apply(op, X, Y, mode, alpha, beta);
    expect_within(*Y.toMultiVector(), expected, *bound(A, *x, *y, mode, alpha, beta));
  }

  void expect_all_products(const HostCsr<double>& matrix) {
    const auto A = make(matrix);
    const Operator op(A, options());
    const CrsMatrix<double> crs(*A, options());
    for (const AnyOperator* const each : {static_cast<const AnyOperator*>(&op), static_cast<const AnyOperator*>(&crs),
                                          static_cast<const AnyOperator*>(A.get())}) {
      for (const auto mode : every_mode) {
        for (const std::size_t columns : {1, 3, 16, 33}) {
          expect_block_product(*A, *each, columns, mode, 1, 0);
          expect_block_product(*A, *each, columns, mode, -2.5, 0.5);
        }
        expect_block_product(*A, *each, 4, mode, 1, 1);
        expect_block_product(*A, *each, 4, mode, 0, 3);
        expect_block_product(*A, *each, 4, mode, 0, 0);
      }
    }
  }
};

TEST_P(BlockProductOn, MultipliesAsMultivectors) { expect_all_products(rectangular()); }
TEST_P(BlockProductOn, MultipliesASquareMatrix) { expect_all_products(generate_elasticity(5, 1)); }

TEST_P(BlockProductOn, MultipliesViews) {
  const auto A = make(generate_elasticity(4, 2));
  const CrsMatrix<double> crs(*A, options());
  const Columns list = Teuchos::tuple<std::size_t>(6, 1, 2, 5);
  for (const auto mode : every_mode) {
    for (const double beta : {0.0, -0.5}) {
      const auto x = random_vectors(x_map(*A, mode), 40, 1), y = random_vectors(y_map(*A, mode), 8, 2);
      const Block X(*x);
      for (const bool is_list : {false, true}) {
        SCOPED_TRACE(is_list);
        Block Y(*y);
        const auto read = is_list ? X.subView(list()) : X.subView(Range(11, 14));
        const auto written = is_list ? Y.subViewNonConst(list()) : Y.subViewNonConst(Range(3, 6));
        const auto read_copy = read->toMultiVector(), before = written->toMultiVector();
        MV expected(*before, Teuchos::Copy);
        A->apply(*read_copy, expected, mode, 2, beta);
        if (beta == 0) written->putScalar(nan);
        crs.apply(*read, *written, mode, 2, beta);
        expect_within(*written->toMultiVector(), expected, *bound(*A, *read_copy, *before, mode, 2, beta));
        expect_elements(*Y.subView(Range(0, 0)), MV(*y->subView(Range(0, 0)), Teuchos::Copy));
        expect_elements(*Y.subView(Range(7, 7)), MV(*y->subView(Range(7, 7)), Teuchos::Copy));
      }
    }
  }
}

/// X is Y, X and Y overlap, or X and Y are columns of the same rows, as in a Krylov basis.
TEST_P(BlockProductOn, MultipliesWhatSharesRows) {
  const auto A = make(generate_elasticity(4, 2));
  if (!A->getDomainMap()->isSameAs(*A->getRangeMap())) GTEST_SKIP() << "X and Y have different Maps";
  const Operator op(A, options());
  const std::pair<Range, Range> cases[] = {
      {Range(0, 7), Range(0, 7)}, {Range(0, 4), Range(2, 6)}, {Range(0, 3), Range(4, 7)}, {Range(5, 5), Range(6, 6)}};
  for (const auto mode : every_mode) {
    for (const auto& [from, to] : cases) {
      const auto all = random_vectors(A->getDomainMap(), 8, 1);
      const MV x(*all->subView(from), Teuchos::Copy), y(*all->subView(to), Teuchos::Copy);
      MV expected(y, Teuchos::Copy);
      A->apply(x, expected, mode, 3, 0.5);
      Block block(*all);
      const auto Y = block.subViewNonConst(to);
      op.apply(*block.subView(from), *Y, mode, 3, 0.5);
      expect_within(*Y->toMultiVector(), expected, *bound(*A, x, y, mode, 3, 0.5));
    }
  }
}

TEST_P(BlockProductOn, SeesNewValuesAndPatterns) {
  CrsMatrix<double> A(*distribute(generate_stencil27(4), spread(), 1), options());
  const auto expect_present = [&] { expect_block_product(Matrix(A, Teuchos::Copy), A, 4, Teuchos::NO_TRANS, 1, 0); };
  expect_present();
  insert_entries(A, rank() == last_rank());
  expect_present();
  A.resumeFill();
  A.scale(-2);
  A.fillComplete(A.getDomainMap(), A.getRangeMap());
  expect_present();
}

INSTANTIATE_TEST_SUITE_P(Spreads, BlockProductOn, on_ranks, on_ranks_name);

TEST(BlockProduct, NoColumns) {
  const auto A = distribute(generate_stencil27(3), Spread::Uniform);
  const Block X(A->getDomainMap(), 0);
  Block Y(A->getRangeMap(), 0);
  EXPECT_NO_THROW(Operator(A).apply(X, Y));
  EXPECT_NO_THROW(apply(static_cast<const AnyOperator&>(*A), X, Y));
}

/// Blocks of wrong shapes are rejected like multivectors, on every rank.
TEST(BlockProduct, RejectsWhatDoesNotFit) {
  const auto A = distribute(rectangular(), Spread::Uniform);
  const CrsMatrix<double> crs(*A);
  const Block X(A->getDomainMap(), 3);
  Block Y(A->getRangeMap(), 4), transposed(A->getDomainMap(), 3);
  EXPECT_THROW(crs.apply(X, Y), std::invalid_argument);
  EXPECT_THROW(crs.apply(X, transposed, Teuchos::TRANS), std::invalid_argument);
  EXPECT_THROW(crs.apply(X, transposed, Teuchos::ETransp(7)), std::invalid_argument);
}

std::ptrdiff_t place(const std::vector<std::string>& names, const std::string& text) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& name) { return name.find(text) != std::string::npos; });
  return found == names.end() ? -1 : found - names.begin();
}

/// No multivectors are made. Besides products, kernels only pack the halo, and add it. X is copied in front of the halo
/// if there is no room for the halo behind X.
TEST(BlockProduct, MultipliesBlocksWhereTheyAre) {
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  for (const Overlap overlap : {Overlap::Never, Overlap::Always}) {
    const CrsMatrix<double> crs(*A, options_of(overlap));
    Block Y(A->getRangeMap(), 8);
    const std::size_t rows = A->getDomainMap()->getLocalNumElements();
    const Kokkos::View<double**, Kokkos::LayoutRight, Block::memory_space> memory("memory", rows, 8);
    const Block first(A->getDomainMap(), memory);
    EXPECT_EQ(first.getHaloRoom(), 0U);
    apply(static_cast<const AnyOperator&>(crs), first, Y);
    const Block second(A->getDomainMap(), 8);  // made after the halo is known
    for (const Block* X : {&first, &second}) {
      const ToolEvents events;
      apply(static_cast<const AnyOperator&>(crs), *X, Y);
      const bool joins = ranks() > 1 && overlap == Overlap::Never, cuts = ranks() > 1 && !joins;
      EXPECT_EQ(events.executions(), cuts ? 2U : 1U) << events.text();
      EXPECT_EQ(events.kokkos_kernels(), 0U) << events.text();
      EXPECT_EQ(events.allocations(), 0U) << events.text();
      EXPECT_EQ(place(events.kernels(), "MultiVector"), -1) << events.text();
      EXPECT_EQ(place(events.kernels(), "Tessera::gather_rows") >= 0, ranks() > 1) << events.text();
      EXPECT_EQ(place(events.kernels(), "Tessera::copy_rows") >= 0, joins && X == &first) << events.text();
    }
  }
}

/// Small blocks have little room, however large the halo of another matrix is, which may have gone.
TEST(BlockProduct, SmallBlocksHaveLittleRoom) {
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  const Block X(A->getDomainMap(), 2);
  Block Y(A->getRangeMap(), 2);
  CrsMatrix<double>(*A, options_of(Overlap::Never)).apply(X, Y);
  const auto small = uniform_map(static_cast<std::size_t>(2 * ranks()));
  const Block one(small, 16), other(A->getDomainMap(), 16);
  EXPECT_EQ(one.getHaloRoom(), ranks() > 1 ? 8U : 0U);
  EXPECT_EQ(other.getHaloRoom() > 0, ranks() > 1);
}

/// The room of X may be the rows of Y: then X is copied.
TEST(BlockProduct, TheRoomOfXMayBeY) {
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  const std::size_t rows = A->getDomainMap()->getLocalNumElements();
  const Kokkos::View<double**, Kokkos::LayoutRight, Block::memory_space> memory("memory", 2 * rows, 4);
  const auto rows_from = [&](std::size_t first) {
    return Kokkos::subview(memory, std::make_pair(first, first + rows), Kokkos::ALL);
  };
  const Block X(A->getDomainMap(), rows_from(0), rows);
  Block Y(A->getRangeMap(), rows_from(rows)), content(A->getDomainMap(), 4), expected(A->getRangeMap(), 4);
  content.randomize(7);
  Block(X).assign(content);
  Y.assign(content);
  expected.assign(content);
  const CrsMatrix<double> crs(*A, options_of(Overlap::Never));
  crs.apply(X, Y, Teuchos::NO_TRANS, 1, 1);
  crs.apply(content, expected, Teuchos::NO_TRANS, 1, 1);
  expected.update(-1, Y, 1);
  std::vector<double> norms(4);
  expected.normInf(norms);
  for (const double norm : norms) EXPECT_LE(norm, 1e-12);
}

/// A product writes the halo behind the rows of X, and nothing else: neither the rows nor what follows the room, and of
/// a block of some columns not the other columns.
TEST(BlockProduct, ReceivesTheHaloBehindX) {
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  const CrsMatrix<double> crs(*A, options_of(Overlap::Never));
  const std::size_t rows = A->getDomainMap()->getLocalNumElements();
  const std::size_t columns = A->getColMap()->getLocalNumElements(), room = columns - std::min(columns, rows);
  using Memory = Kokkos::View<double**, Kokkos::LayoutRight, Block::memory_space>;
  for (const int count : {8, 5}) {
    const Memory memory("memory", rows + room + 1, 8);
    const Block all(A->getDomainMap(), Kokkos::subview(memory, std::make_pair(std::size_t(0), rows), Kokkos::ALL),
                    room);
    Block content(A->getDomainMap(), 8);
    content.randomize(7);
    Kokkos::deep_copy(memory, -3.0);
    Block(all).assign(content);
    const Range some(8 - count, 7);
    Block Y(A->getRangeMap(), count), expected(A->getRangeMap(), count);
    const ToolEvents events;
    crs.apply(*all.subView(some), Y);
    EXPECT_EQ(place(events.kernels(), "MultiVector"), -1) << events.text();
    Operator(A, options_of(Overlap::Never)).apply(*content.subCopy(some), expected);
    expected.update(-1, Y, 1);
    std::vector<double> norms(static_cast<std::size_t>(count));
    expected.normInf(norms);
    for (const double norm : norms) EXPECT_LE(norm, 1e-12);
    Block(content).update(-1, all, 1);
    norms.resize(8);
    content.normInf(norms);
    for (const double norm : norms) EXPECT_EQ(norm, 0);
    const auto behind = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
    for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(behind(rows + room, j), -3) << "behind the room";
    for (std::size_t j = 0; j < std::size_t(8 - count); ++j) {
      for (std::size_t i = 0; i < room; ++i) ASSERT_EQ(behind(rows + i, j), -3) << "a column that is not multiplied";
    }
  }
}

/// Products with a number of columns that occurred before allocate nothing.
TEST(BlockProduct, AllocatesOnceForAWidth) {
  const auto A = distribute(generate_elasticity(4, 2), Spread::Cyclic);
  for (const Overlap overlap : {Overlap::Never, Overlap::Always}) {
    const Operator op(A, options_of(overlap));
    const Block X(A->getDomainMap(), 8);
    Block Y(A->getRangeMap(), 8);
    const auto apply_all = [&] {
      for (const int columns : {8, 5, 2, 1}) {
        op.apply(*X.subView(Range(0, columns - 1)), *Y.subViewNonConst(Range(0, columns - 1)));
      }
    };
    apply_all();
    const ToolEvents events;
    apply_all();
    EXPECT_EQ(events.allocations(), 0U) << events.text();
  }
}

/// Products of prepared blocks allocate nothing, neither the first product nor a narrower product afterwards.
TEST(BlockProduct, PrepareBlocksLeavesNothingToAllocate) {
  for (const Spread spread : {Spread::Uniform, Spread::Cyclic, Spread::ColumnsReversed, Spread::RowsOnLastRank}) {
    const auto A = distribute(generate_elasticity(4, 2), spread);
    Operator op(A);
    op.prepare_blocks(6);
    const CrsMatrix<double> crs(*A);
    crs.prepare_blocks(6);
    const Block X(A->getDomainMap(), 6);
    Block Y(A->getRangeMap(), 6), few(A->getRangeMap(), 4);
    const auto some = X.subView(Range(0, 3));
    const ToolEvents events;
    op.apply(X, Y);
    crs.apply(X, Y);
    op.apply(*some, few);
    EXPECT_EQ(events.allocations(), 0U) << events.text();
    EXPECT_EQ(events.plans(), 0U) << events.text();
  }
}

/// If blocks are copied to multivectors, only Tpetra allocates.
TEST(BlockProduct, PrepareBlocksMakesRoomForCopies) {
  const auto A = distribute(generate_elasticity(4, 2), Spread::Exported);
  Operator op(A);
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    op.prepare_blocks(6, mode);
    const Block X(x_map(*A, mode), 6);
    Block Y(y_map(*A, mode), 6);
    const Events events;
    op.apply(X, Y, mode);
    EXPECT_EQ(Events::find("allocate Tessera"), -1) << Events::all();
    EXPECT_EQ(Events::find("allocate MV::DualView"), -1) << Events::all();
  }
}

TEST(BlockProduct, PrepareBlocksRejectsTooManyColumns) {
  const auto A = distribute(generate_stencil27(3), Spread::Uniform);
  Operator op(A);
  EXPECT_THROW(op.prepare_blocks(std::size_t(1) << 31), std::invalid_argument);
  EXPECT_THROW(op.prepare_blocks(2, Teuchos::ETransp(7)), std::invalid_argument);
}

/// The halo is exchanged while the rank multiplies its own rows.
TEST(BlockProduct, TheExchangeOverlapsTheProduct) {
  if (ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const auto A = distribute(generate_elasticity(6, 2), Spread::Uniform);
  TpetraOptions options = options_of(Overlap::Always);
  options.halo_memory = HaloMemory::Host;
  const Operator op(A, options);
  const Block X(A->getDomainMap(), 4);
  Block Y(A->getRangeMap(), 4);
  op.apply(X, Y);
  const Events events;
  op.apply(X, Y);
  const auto packed = Events::find("Tessera::gather_rows"), product = Events::find("Tessera::spmm"),
             added = Events::find("Tessera::add_to_rows");
  EXPECT_GE(packed, 0) << Events::all();
  EXPECT_LT(packed, product) << Events::all();
  EXPECT_LT(Events::find("MPI_Irecv"), product) << Events::all();
  // On devices, rows may be copied to the host meanwhile, and sent after the product is launched.
  if (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Block::memory_space>::accessible) {
    EXPECT_LT(Events::find("MPI_Isend"), product) << Events::all();
  }
  EXPECT_LT(Events::find("MPI_Isend"), Events::find("MPI_Waitall")) << Events::all();
  EXPECT_LT(product, Events::find("MPI_Waitall")) << Events::all();
  EXPECT_LT(product, added) << Events::all();
}

/// An operator that multiplies its columns by 3, and supports only multivectors.
class Triple : public AnyOperator {
 public:
  explicit Triple(const RCP<const Map>& map) : map_(map) {}
  void apply(const MV& X, MV& Y, Teuchos::ETransp, double alpha, double beta) const override {
    ++calls;
    Y.update(3 * alpha, X, beta);
  }
  RCP<const Map> getDomainMap() const override { return map_; }
  RCP<const Map> getRangeMap() const override { return map_; }

  mutable int calls = 0;

 private:
  RCP<const Map> map_;
};

/// An operator that calls another operator with blocks, within its own apply().
class Nested : public Triple {
 public:
  explicit Nested(const RCP<const Map>& map) : Triple(map), inner_(map) {}
  void apply(const MV& X, MV& Y, Teuchos::ETransp mode, double alpha, double beta) const override {
    const Block x(X);
    Block y(Y);
    Tessera::apply(inner_, x, y, mode, alpha, beta);
    y.copyTo(Y);
  }

 private:
  Triple inner_;
};

TEST(BlockProduct, OperatorsThatKnowMultivectorsGetThem) {
  const auto map = cyclic_map(77);
  const Triple triple(map);
  const Nested nested(map);
  for (const AnyOperator* const op :
       {static_cast<const AnyOperator*>(&triple), static_cast<const AnyOperator*>(&nested)}) {
    for (const std::size_t columns : {4, 2, 7, 4}) {
      const auto x = random_vectors(map, columns, 1), y = random_vectors(map, columns, 2);
      Block X(*x), Y(*y);
      apply(*op, X, Y, Teuchos::NO_TRANS, 2.0, -1.0);
      y->update(6, *x, -1);
      expect_elements(Y, *y, 1e-15);
      Y.putScalar(nan);
      apply(*op, X, Y);
      y->update(3, *x, 0);
      expect_elements(Y, *y, 1e-15);
      apply(*op, X, X);
      expect_elements(X, *y, 1e-15);
    }
  }
  EXPECT_EQ(triple.calls, 12);
  Block X(map, 7), Y(map, 7);
  const ToolEvents events;
  apply(static_cast<const AnyOperator&>(triple), X, Y);
  EXPECT_EQ(events.allocations(), 0U) << events.text();
}

/// An operator that also supports blocks is called with blocks.
class Both : public Triple, public BlockOperator<double> {
 public:
  using Triple::apply;
  using Triple::Triple;
  void apply(const Block& X, Block& Y, Teuchos::ETransp, double alpha, double beta) const override {
    Y.update(5 * alpha, X, beta);
  }
};

TEST(BlockProduct, OperatorsOfBlocksGetBlocks) {
  const auto map = cyclic_map(77);
  const Both both(map);
  const auto x = random_vectors(map, 4, 1);
  const Block X(*x);
  Block Y(map, 4);
  apply(static_cast<const AnyOperator&>(both), X, Y);
  EXPECT_EQ(both.calls, 0);
  x->scale(5);
  expect_elements(Y, *x);
}

}  // namespace Tessera::Impl::Test
