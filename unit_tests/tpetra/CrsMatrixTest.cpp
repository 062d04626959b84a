// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tessera::CrsMatrix is a Tpetra::CrsMatrix that multiplies with Tessera. The products themselves are tested with
// TpetraOperator, which shares them.
#include <tessera/io/Generators.hpp>
#include <utility>

#include "Events.hpp"
#include "TestProblem.hpp"
#include "ToolEvents.hpp"
#include "ValueChecks.hpp"

namespace Tessera::Impl::Test {

using OurMatrix = CrsMatrix<double>;

/// Expects that Tessera computes products through the base class, and that they equal Tpetra's product of a copy.
void expect_ours(const Matrix& A) {
  ASSERT_TRUE(OurMatrix::multiplies_with_tessera);
  const Matrix copy(A, Teuchos::Copy);
  expect_product(copy, A, 4, Teuchos::NO_TRANS, 1, 0);
  expect_product(copy, A, 4, Teuchos::TRANS, -1, 2);
  const MV X(A.getDomainMap(), 4);
  MV Y(A.getRangeMap(), 4);
  const ToolEvents events;
  static_cast<const Tpetra::RowMatrix<double>&>(A).apply(X, Y);
  EXPECT_GE(events.executions(), A.getLocalNumEntries() > 0 ? 1U : 0U) << events.text();
}

/// A matrix, constructed in all ways that Tpetra offers.
class Constructors : public testing::Test {
 protected:
  Constructors() : model(distribute(generate_stencil27(4), Spread::Cyclic)) {}

  void fill(Matrix& A) {
    for (int row = 0; row < int(model->getLocalNumRows()); ++row) {
      Matrix::local_inds_host_view_type local;
      Matrix::values_host_view_type values;
      model->getLocalRowView(row, local, values);
      std::vector<GO> global;
      for (std::size_t k = 0; k < local.extent(0); ++k) global.push_back(columns->getGlobalElement(local(k)));
      const int count = int(global.size());
      if (A.isStaticGraph()) {
        EXPECT_EQ(A.replaceGlobalValues(rows->getGlobalElement(row), count, values.data(), global.data()), count);
      } else {
        A.insertGlobalValues(rows->getGlobalElement(row), count, values.data(), global.data());
      }
    }
    A.fillComplete(model->getDomainMap(), model->getRangeMap());
  }
  void expect_model(const Matrix& A) {
    expect_ours(A);
    expect_product(*model, A, 3, Teuchos::NO_TRANS, 2, 0);
  }

  RCP<Matrix> model;
  RCP<const Map> rows = model->getRowMap(), columns = model->getColMap();
  Teuchos::Array<std::size_t> counts = Teuchos::Array<std::size_t>(model->getLocalNumRows(), 27);
};

TEST_F(Constructors, FromMapsAndCounts) {
  OurMatrix a(rows, 27), b(rows, counts()), c(rows, columns, 27), d(rows, columns, counts());
  for (OurMatrix* const A : {&a, &b, &c, &d}) {
    fill(*A);
    expect_model(*A);
  }
}

TEST_F(Constructors, FromAGraph) {
  OurMatrix a(model->getCrsGraph());
  fill(a);
  expect_model(a);
  OurMatrix b(model->getCrsGraph(), model->getLocalMatrixDevice().values);
  b.fillComplete(model->getDomainMap(), model->getRangeMap());
  expect_model(b);
}

/// On a GPU, Tpetra refuses to use arrays while Views of them exist, so the local matrix is not kept.
TEST_F(Constructors, FromALocalMatrix) {
  const auto local = [] { return distribute(generate_stencil27(4), Spread::Cyclic)->getLocalMatrixDevice(); };
  const OurMatrix a(rows, columns, local());  // its row Map is also its domain Map
  expect_ours(a);
  OurMatrix b(local(), rows, columns, model->getDomainMap(), model->getRangeMap());
  OurMatrix c(local(), rows, columns, model->getDomainMap(), model->getRangeMap(), model->getGraph()->getImporter(),
              model->getGraph()->getExporter());
  const auto from_arrays = [&](const auto& A) {
    return OurMatrix(rows, columns, A.graph.row_map, A.graph.entries, A.values);
  };
  OurMatrix d = from_arrays(local());
  d.expertStaticFillComplete(model->getDomainMap(), model->getRangeMap());
  for (OurMatrix* const A : {&b, &c, &d}) expect_model(*A);
}

/// Shares graph and values with a matrix that is then destroyed, and keeps working.
TEST_F(Constructors, FromAMatrix) {
  model = distribute(generate_stencil27(4), Spread::Cyclic, 1);
  const void* const values = model->getLocalMatrixDevice().values.data();
  const auto A = rcp(new CrsMatrix(*model));
  static_assert(std::is_same_v<decltype(A), const RCP<OurMatrix>>);
  EXPECT_EQ(A->getLocalMatrixDevice().values.data(), values);
  EXPECT_EQ(A->getCrsGraph(), model->getCrsGraph());
  expect_model(*A);
  model = Teuchos::null;
  insert_entries(*A, true);
  expect_ours(*A);
  expect_ours(OurMatrix(*A, Teuchos::Copy));
  expect_ours(OurMatrix(*A, Teuchos::View));
}

TEST_F(Constructors, CopiesAndMoves) {
  OurMatrix a(*model);
  expect_model(a);
  OurMatrix b(a), c(columns, 1);
  c = a;
  expect_model(a);
  expect_model(b);
  expect_model(c);
  const OurMatrix d(std::move(b));
  expect_model(d);
  c = OurMatrix(*model);
  expect_model(c);
}

/// Edits values in place.
void scale_in_place(Matrix& A, double factor) {
  const auto values = A.getLocalValuesDevice(Tpetra::Access::ReadWrite);
  Kokkos::parallel_for(
      "scale in place", Kokkos::RangePolicy<Matrix::execution_space>(0, values.extent(0)),
      KOKKOS_LAMBDA(std::size_t k) { values(k) *= factor; });
}

class CrsMatrixOn : public testing::TestWithParam<std::pair<Spread, std::string>> {
 protected:
  auto make(const HostCsr<double>& matrix, std::size_t spare = 0) {
    return rcp(new OurMatrix(*distribute(matrix, GetParam().first, spare)));
  }
};

/// Products see every change without being notified.
TEST_P(CrsMatrixOn, IsNeverStale) {
  const auto A = make(generate_stencil27(4), 1);
  expect_ours(*A);
  insert_entries(*A, rank() == last_rank());
  expect_ours(*A);
  A->resumeFill();
  A->scale(-2);
  A->fillComplete(A->getDomainMap(), A->getRangeMap());
  expect_ours(*A);
  scale_in_place(*A, 0.5);
  expect_ours(*A);
  A->resumeFill();
  for (int row = 0; row < int(A->getLocalNumRows()); ++row) {
    const double value = 7;
    const int column = 0;
    A->sumIntoLocalValues(row, 1, &value, &column);
  }
  A->fillComplete(A->getDomainMap(), A->getRangeMap());
  expect_ours(*A);
}

/// Assigns another matrix through the base class, which does not know Tessera.
TEST_P(CrsMatrixOn, IsAssignedThroughTheBase) {
  const auto A = make(generate_stencil27(4));
  expect_ours(*A);
  static_cast<Matrix&>(*A) = *distribute(generate_elasticity(5, 1), Spread::Uniform);
  expect_ours(*A);
}

TEST_P(CrsMatrixOn, TrustsWhoTells) {
  const ValueChecks none(false);
  const auto A = make(generate_elasticity(4, 2));
  A->values_changed();
  expect_ours(*A);
  const Matrix before(*A, Teuchos::Copy);
  A->resumeFill();
  A->scale(3);
  A->fillComplete(A->getDomainMap(), A->getRangeMap());
  expect_product(before, *A, 4, Teuchos::NO_TRANS, 1, 0);
  A->values_changed();
  expect_ours(*A);
}

/// A copy is not notified of changes, even if the original is.
TEST_P(CrsMatrixOn, CopiesTrustNobody) {
  const ValueChecks none(false);
  const auto A = make(generate_elasticity(4, 2));
  A->values_changed();
  const OurMatrix b(*A);
  OurMatrix c(*make(generate_stencil27(2)));
  c = *A;
  expect_ours(b);
  expect_ours(c);
  scale_in_place(*A, 3);
  expect_ours(b);
  expect_ours(c);
}

/// After a product with at least as many columns in a mode, ranks exchange only elements of X or Y.
TEST_P(CrsMatrixOn, ReducesNothingInAnApply) {
  const auto A = make(generate_elasticity(4, 2));
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    const MV X(x_map(*A, mode), 4);
    MV Y(y_map(*A, mode), 4);
    A->apply(X, Y, mode);
    A->resumeFill();
    A->scale(-2);
    A->fillComplete(A->getDomainMap(), A->getRangeMap());
    const Events events;
    A->apply(X, Y, mode);
    A->apply(*X.subView(Teuchos::Range1D(0, 1)), *Y.subViewNonConst(Teuchos::Range1D(2, 3)), mode);
    // Tpetra sums a replicated Y over the ranks.
    EXPECT_EQ(Events::count("MPI_Allreduce"), Y.isDistributed() || ranks() == 1 ? 0U : 2U) << Events::all();
  }
}

INSTANTIATE_TEST_SUITE_P(Spreads, CrsMatrixOn, testing::ValuesIn(every_spread), spread_name);

/// A matrix that is being filled refuses to multiply, like Tpetra's matrix.
TEST(CrsMatrix, RejectsToMultiplyWhileFilling) {
  OurMatrix A(*distribute(generate_stencil27(4), Spread::Uniform));
  const MV X(A.getDomainMap(), 4);
  MV Y(A.getRangeMap(), 4);
  A.apply(X, Y);
  A.resumeFill();
  EXPECT_THROW(A.apply(X, Y), std::runtime_error);
  A.fillComplete(A.getDomainMap(), A.getRangeMap());
  expect_ours(A);
}

TEST(CrsMatrix, TakesOptions) {
  OurMatrix A(*distribute(generate_elasticity(4, 1), Spread::Uniform));
  for (const Format format : {Format::Csr, Format::BitTcf}) {
    TpetraOptions options;
    options.plan.format = format;
    A.set_options(options);
    A.prepare(4);
    EXPECT_NE(A.explain().find(std::string(to_string(format))), std::string::npos) << A.explain();
    expect_ours(A);
  }
}

/// Two matrices share a graph, as in assembly codes. Each has its own values.
TEST(CrsMatrix, SharesItsGraph) {
  const auto model = distribute(generate_stencil27(4), Spread::Uniform);
  OurMatrix a(model->getCrsGraph()), b(model->getCrsGraph());
  a.setAllToScalar(2);
  b.setAllToScalar(-3);
  a.fillComplete(model->getDomainMap(), model->getRangeMap());
  b.fillComplete(model->getDomainMap(), model->getRangeMap());
  for (int i = 0; i < 2; ++i) {
    expect_ours(a);
    expect_ours(b);
  }
}

}  // namespace Tessera::Impl::Test
