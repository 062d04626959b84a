// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/io/Generators.hpp>

#include "TestProblem.hpp"

namespace Tessera::Impl::Test {

/// A rectangular matrix with empty, short and long rows, and empty columns.
HostCsr<double> rectangular(Ordinal rows, Ordinal columns) {
  HostCsr<double> matrix{rows, columns, {0}, {}, {}};
  for (Ordinal i = 0; i < rows; ++i) {
    for (Ordinal c = 0; c < columns; ++c) {
      const auto place = std::uint64_t(i) * std::uint64_t(columns) + std::uint64_t(c);
      const bool there = i == 7 ? c % 3 != 1 : i % 5 != 3 && c % 11 != 4 && hash(place, 9) % 16 == 0;
      if (!there) continue;
      matrix.column_indices.push_back(c);
      matrix.values.push_back(uniform(place, 10));
    }
    matrix.row_offsets.push_back(matrix.values.size());
  }
  return matrix;
}

class OperatorOn : public OnRanks {
 protected:
  void expect_all_products(const HostCsr<double>& matrix) {
    const auto A = distribute(matrix, spread());
    const Operator op(A, options());
    const CrsMatrix<double> crs(*A, options());
    for (const Tpetra::Operator<double>* const each :
         {static_cast<const Tpetra::Operator<double>*>(&op), static_cast<const Tpetra::Operator<double>*>(&crs)}) {
      for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS, Teuchos::CONJ_TRANS}) {
        for (const std::size_t columns : {1, 3, 16, 33}) {
          expect_product(*A, *each, columns, mode, 1, 0);
          expect_product(*A, *each, columns, mode, -2.5, 0.5);
        }
        expect_product(*A, *each, 4, mode, 1, 1);
        expect_product(*A, *each, 4, mode, 0, 3);
        expect_product(*A, *each, 4, mode, 0, 0);
      }
    }
  }
};

TEST_P(OperatorOn, MultipliesAsCrsMatrixDoes) { expect_all_products(rectangular(61, 47)); }
TEST_P(OperatorOn, MultipliesAWideMatrix) { expect_all_products(rectangular(19, 150)); }
TEST_P(OperatorOn, MultipliesASquareMatrix) { expect_all_products(generate_elasticity(5, 1)); }
TEST_P(OperatorOn, MultipliesFewerRowsThanRanks) { expect_all_products(rectangular(1, 5)); }

TEST_P(OperatorOn, HasTheMapsOfTheMatrix) {
  const auto A = distribute(rectangular(61, 47), spread());
  const Operator op(A);
  EXPECT_TRUE(op.getDomainMap()->isSameAs(*A->getDomainMap()));
  EXPECT_TRUE(op.getRangeMap()->isSameAs(*A->getRangeMap()));
  EXPECT_TRUE(op.hasTransposeApply());
}

INSTANTIATE_TEST_SUITE_P(Spreads, OperatorOn, on_ranks, on_ranks_name);

TEST(Operator, MultipliesAnEmptyMatrix) {
  const auto A = distribute(HostCsr<double>{6, 4, std::vector<std::size_t>(7), {}, {}}, Spread::Uniform);
  const Operator op(A);
  expect_product(*A, op, 3, Teuchos::NO_TRANS, 1, 0);
  expect_product(*A, op, 3, Teuchos::TRANS, 1, 2);
}

TEST(Operator, TakesEveryFormat) {
  const auto A = distribute(generate_elasticity(4, 1), Spread::Uniform);
  for (const Format format : {Format::Csr, Format::BitTcf}) {
    TpetraOptions options;
    options.plan.format = format;
    const Operator op(A, options);
    EXPECT_NE(op.explain().find(std::string(to_string(format))), std::string::npos) << op.explain();
    expect_product(*A, op, 5, Teuchos::NO_TRANS, 1, 0);
    expect_product(*A, op, 5, Teuchos::TRANS, 1, 1);
  }
}

TEST(Operator, GivesTheDiagonal) {
  const auto A = distribute(generate_elasticity(4, 1), Spread::Cyclic);
  const Operator op(A);
  Tpetra::Vector<double> expected(A->getRowMap()), actual(A->getRowMap());
  A->getLocalDiagCopy(expected);
  ASSERT_TRUE(op.hasDiagonal());
  op.getLocalDiagCopy(actual);
  const MV zero(A->getRowMap(), 1);
  expect_within(actual, expected, zero);
}

TEST(Operator, SaysWhatItDoes) {
  const auto A = distribute(generate_stencil27(6), Spread::Uniform);
  for (const Overlap overlap : {Overlap::Never, Overlap::Always}) {
    const std::string text = Operator(A, options_of(overlap)).explain();
    const auto expect_said = [&](const std::string& part) { EXPECT_NE(text.find(part), std::string::npos) << text; };
    expect_said("rank " + std::to_string(rank()) + " of " + std::to_string(ranks()));
    expect_said(ranks() == 1 ? "all columns are its own" : "a halo of");
    if (ranks() > 1) expect_said(overlap == Overlap::Never ? "columns in one plan" : "which");
  }
}

/// An infinity in X, own or imported, must reach only rows with an entry in that column. The test computes the expected
/// rows, because with cuSPARSE infinities also reach other rows.
TEST(Operator, KeepsInfinityWhereItBelongs) {
  const auto is_infinite = [](GO row_of_x) { return row_of_x % 9 == 0; };
  const HostCsr<double> matrix = rectangular(61, 47);
  const auto A = distribute(matrix, Spread::Uniform);
  const Operator op(A);
  const auto X = random_vectors(A->getDomainMap(), 5, 1);
  {
    const auto x = X->getLocalViewHost(Tpetra::Access::ReadWrite);
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      if (!is_infinite(X->getMap()->getGlobalElement(int(i)))) continue;
      for (std::size_t j = 0; j < 5; ++j) x(i, j) = std::numeric_limits<double>::infinity();
    }
  }
  MV Y(A->getRangeMap(), 5);
  op.apply(*X, Y);
  const auto y = Y.getLocalViewHost(Tpetra::Access::ReadOnly);
  for (std::size_t i = 0; i < y.extent(0); ++i) {
    const auto row = std::size_t(Y.getMap()->getGlobalElement(int(i)));
    const auto columns = matrix.column_indices.begin();
    const bool is_touched = std::any_of(columns + std::ptrdiff_t(matrix.row_offsets[row]),
                                        columns + std::ptrdiff_t(matrix.row_offsets[row + 1]), is_infinite);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(std::isfinite(y(i, j)), !is_touched) << "row " << row;
  }
}

}  // namespace Tessera::Impl::Test
