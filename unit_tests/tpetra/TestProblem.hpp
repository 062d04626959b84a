// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Matrices that are distributed in many ways, and comparisons with Tpetra's own product.
namespace Tessera::Impl::Test {

using Map = Tpetra::Map<>;
using GO = Map::global_ordinal_type;
using MV = Tpetra::MultiVector<double>;
using Matrix = Tpetra::CrsMatrix<double>;
using Operator = TpetraOperator<double>;
using Teuchos::RCP;
using Teuchos::rcp;

static_assert(std::is_same_v<decltype(TpetraOperator(RCP<Matrix>())), Operator>);
static_assert(std::is_same_v<decltype(TpetraOperator(RCP<const Matrix>(), TpetraOptions())), Operator>);

inline RCP<const Teuchos::Comm<int>> world() { return Tpetra::getDefaultComm(); }
inline int rank() { return world()->getRank(); }
inline int ranks() { return world()->getSize(); }
inline int last_rank() { return ranks() - 1; }

/// How a matrix is distributed over the ranks. Each comment names the case that it covers.
enum class Spread {
  Uniform,           // the usual distribution; columns locally fitted
  Cyclic,            // almost all columns belong to other ranks
  Shuffled,          // random owners of rows and of X
  RowsOnLastRank,    // all other ranks have no rows
  Exported,          // the row Map differs from the range Map
  SplitRows,         // each row has entries on every rank
  ColumnsReversed,   // not locally fitted
  ColumnsUnused,     // own and imported columns without entries
  ReplicatedDomain,  // every rank has all of X
  ReplicatedRange    // Y is summed over the ranks
};
inline const std::vector<std::pair<Spread, std::string>> every_spread = {{Spread::Uniform, "Uniform"},
                                                                         {Spread::Cyclic, "Cyclic"},
                                                                         {Spread::Shuffled, "Shuffled"},
                                                                         {Spread::RowsOnLastRank, "RowsOnLastRank"},
                                                                         {Spread::Exported, "Exported"},
                                                                         {Spread::SplitRows, "SplitRows"},
                                                                         {Spread::ColumnsReversed, "ColumnsReversed"},
                                                                         {Spread::ColumnsUnused, "ColumnsUnused"},
                                                                         {Spread::ReplicatedDomain, "ReplicatedDomain"},
                                                                         {Spread::ReplicatedRange, "ReplicatedRange"}};

inline std::string spread_name(const testing::TestParamInfo<std::pair<Spread, std::string>>& test) {
  return test.param.second;
}

inline TpetraOptions options_of(Overlap overlap) {
  TpetraOptions options;
  options.overlap = overlap;
  return options;
}

/// Runs a test for each distribution, with and without overlap of exchange and product.
class OnRanks : public testing::TestWithParam<std::tuple<std::pair<Spread, std::string>, Overlap>> {
 protected:
  static Spread spread() { return std::get<0>(GetParam()).first; }
  static TpetraOptions options() { return options_of(std::get<1>(GetParam())); }
};
inline const auto on_ranks =
    testing::Combine(testing::ValuesIn(every_spread), testing::Values(Overlap::Never, Overlap::Always));
inline std::string on_ranks_name(const testing::TestParamInfo<OnRanks::ParamType>& test) {
  return std::get<0>(test.param).second + (std::get<1>(test.param) == Overlap::Always ? "Overlapped" : "");
}

/// A pseudo-random number that depends only on the arguments, also across ranks.
inline std::uint64_t hash(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = (a + 1) * 0x9e3779b97f4a7c15u + b;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
inline double uniform(std::uint64_t a, std::uint64_t b) { return double(hash(a, b) >> 11) * 0x1p-52 - 1.0; }

/// Returns the Map of `size` indices, of which this rank owns the indices with is_mine(i).
inline RCP<const Map> map_of(GO size, const std::function<bool(GO)>& is_mine) {
  std::vector<GO> mine;
  for (GO i = 0; i < size; ++i) {
    if (is_mine(i)) mine.push_back(i);
  }
  const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  return rcp(new Map(unknown, Teuchos::ArrayView<const GO>(mine), 0, world()));
}
inline RCP<const Map> uniform_map(GO size) { return rcp(new Map(Tpetra::global_size_t(size), 0, world())); }
inline RCP<const Map> cyclic_map(GO size) {
  return map_of(size, [](GO i) { return i % ranks() == rank(); });
}
inline RCP<const Map> shuffled_map(GO size, std::uint64_t seed) {
  return map_of(size, [seed](GO i) { return int(hash(std::uint64_t(i), seed) % std::uint64_t(ranks())) == rank(); });
}
inline RCP<const Map> replicated_map(GO size) {
  return rcp(new Map(Tpetra::global_size_t(size), 0, world(), Tpetra::LocallyReplicated));
}

/// The row, column, domain and range Map of a matrix. If the column Map is null, Tpetra makes it.
struct Maps {
  RCP<const Map> row, column, domain, range;
  bool splits_rows = false;  // each rank has some entries of each of its rows
  static Maps of(const HostCsr<double>& matrix, Spread spread);
};

inline Maps Maps::of(const HostCsr<double>& matrix, Spread spread) {
  const GO rows = matrix.rows, columns = matrix.columns;
  Maps maps{uniform_map(rows), Teuchos::null, uniform_map(columns), uniform_map(rows), false};
  switch (spread) {
    case Spread::Uniform:
      break;
    case Spread::Cyclic:
      maps.row = maps.range = cyclic_map(rows);
      break;
    case Spread::Shuffled:
      maps.row = maps.range = shuffled_map(rows, 1);
      maps.domain = shuffled_map(columns, 2);
      break;
    case Spread::RowsOnLastRank:
      maps.row = maps.range = map_of(rows, [](GO) { return rank() == last_rank(); });
      break;
    case Spread::Exported:
      maps.range = shuffled_map(rows, 3);
      break;
    case Spread::SplitRows:
      maps.row = map_of(rows, [](GO) { return true; });
      maps.splits_rows = true;
      break;
    case Spread::ColumnsReversed: {
      std::vector<GO> reversed(static_cast<std::size_t>(columns));
      for (GO c = 0; c < columns; ++c) reversed[std::size_t(c)] = columns - 1 - c;
      maps.column = rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                Teuchos::ArrayView<const GO>(reversed), 0, world()));
      break;
    }
    case Spread::ColumnsUnused:
      maps.column = map_of(columns, [](GO) { return true; });
      break;
    case Spread::ReplicatedDomain:
      maps.domain = replicated_map(columns);
      break;
    case Spread::ReplicatedRange:
      maps.range = replicated_map(rows);
      break;
  }
  return maps;
}

/// Distributes a matrix, which every rank has completely, and calls fillComplete().
///
/// \param spare [in] space for more entries in each row; the rows then stay separate in memory
inline RCP<Matrix> distribute(const HostCsr<double>& matrix, const Maps& maps, std::size_t spare = 0) {
  std::size_t longest = spare;
  for (std::size_t i = 0; i < std::size_t(matrix.rows); ++i) {
    longest = std::max(longest, matrix.row_offsets[i + 1] - matrix.row_offsets[i] + spare);
  }
  const auto A =
      maps.column.is_null() ? rcp(new Matrix(maps.row, longest)) : rcp(new Matrix(maps.row, maps.column, longest));
  std::vector<GO> columns;
  std::vector<double> values;
  for (const GO row : maps.row->getLocalElementList()) {
    columns.clear();
    values.clear();
    for (std::size_t k = matrix.row_offsets[std::size_t(row)]; k < matrix.row_offsets[std::size_t(row) + 1]; ++k) {
      if (maps.splits_rows && int(k % std::size_t(ranks())) != rank()) continue;
      columns.push_back(matrix.column_indices[k]);
      values.push_back(matrix.values[k]);
    }
    A->insertGlobalValues(row, Teuchos::ArrayView<const GO>(columns), Teuchos::ArrayView<const double>(values));
  }
  const auto parameters = Teuchos::parameterList();
  parameters->set("Optimize Storage", spare == 0);
  A->fillComplete(maps.domain, maps.range, parameters);
  return A;
}
inline RCP<Matrix> distribute(const HostCsr<double>& matrix, Spread spread, std::size_t spare = 0) {
  return distribute(matrix, Maps::of(matrix, spread), spare);
}

/// Elements that depend only on their global index and the seed.
inline RCP<MV> random_vectors(const RCP<const Map>& map, std::size_t columns, std::uint64_t seed) {
  const auto result = rcp(new MV(map, columns));
  const auto view = result->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      view(i, j) = uniform(std::uint64_t(map->getGlobalElement(int(i))) * 64 + j, seed);
    }
  }
  return result;
}

inline const RCP<const Map> x_map(const Matrix& A, Teuchos::ETransp mode) {
  return mode == Teuchos::NO_TRANS ? A.getDomainMap() : A.getRangeMap();
}
inline const RCP<const Map> y_map(const Matrix& A, Teuchos::ETransp mode) {
  return mode == Teuchos::NO_TRANS ? A.getRangeMap() : A.getDomainMap();
}

/// Returns a copy of A with function(value) as values.
inline RCP<Matrix> with_values(const Matrix& A, const std::function<double(double)>& function) {
  const auto result = rcp(new Matrix(A, Teuchos::Copy));
  const auto values = result->getLocalMatrixHost().values;
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = function(values(k));
  return result;
}

/// On ranks with `is_wanted`, inserts an entry in the last column of each row that has no entry there. Completes the
/// matrix. The pattern must change on at least one rank.
inline void insert_entries(Matrix& A, bool is_wanted) {
  const std::size_t before = A.getGlobalNumEntries();
  A.resumeFill();
  for (int row = 0; row < int(A.getLocalNumRows()) && is_wanted; ++row) {
    Matrix::local_inds_host_view_type columns;
    Matrix::values_host_view_type values;
    A.getLocalRowView(row, columns, values);
    const int column = int(A.getColMap()->getLocalNumElements()) - 1;
    const auto end = columns.data() + columns.extent(0);
    const double value = 0.5;
    if (std::find(columns.data(), end, column) == end) A.insertLocalValues(row, 1, &value, &column);
  }
  A.fillComplete(A.getDomainMap(), A.getRangeMap());
  ASSERT_GT(A.getGlobalNumEntries(), before);
}

/// Upper bound on the difference of two products of A in each entry, by the rounding errors of both: 2 * 2 (n + ranks +
/// 2) u (|alpha| |A| |X| + |beta| |Y|), where n is the row's length.
inline RCP<MV> bound(const Matrix& A, const MV& X, const MV& Y, Teuchos::ETransp mode, double alpha, double beta) {
  const auto absolute = with_values(A, [](double value) { return std::abs(value); });
  const auto ones = with_values(A, [](double) { return 1.0; });
  MV x(X, Teuchos::Copy), result(Y, Teuchos::Copy), one(X.getMap(), 1), length(Y.getMap(), 1);
  x.abs(X);
  if (beta != 0) result.abs(Y);
  absolute->apply(x, result, mode, std::abs(alpha), std::abs(beta));
  one.putScalar(1);
  ones->apply(one, length, mode);
  {
    const auto n = length.getLocalViewHost(Tpetra::Access::ReadOnly);
    const auto view = result.getLocalViewHost(Tpetra::Access::ReadWrite);
    constexpr double u = std::numeric_limits<double>::epsilon() / 2;
    for (std::size_t i = 0; i < view.extent(0); ++i) {
      for (std::size_t j = 0; j < view.extent(1); ++j) view(i, j) *= 4 * (n(i, 0) + ranks() + 2) * u;
    }
  }
  return rcp(new MV(result, Teuchos::Copy));
}

/// Expects the difference of each entry to be within the bound, and prints entries that exceed it.
inline void expect_within(const MV& actual, const MV& expected, const MV& bound) {
  const auto a = actual.getLocalViewHost(Tpetra::Access::ReadOnly);
  const auto e = expected.getLocalViewHost(Tpetra::Access::ReadOnly);
  const auto b = bound.getLocalViewHost(Tpetra::Access::ReadOnly);
  ASSERT_EQ(a.extent(0), e.extent(0));
  ASSERT_EQ(a.extent(1), e.extent(1));
  int wrong = 0;
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      if (std::abs(a(i, j) - e(i, j)) <= b(i, j) || ++wrong > 3) continue;
      ADD_FAILURE() << "rank " << rank() << ", entry (" << i << ", " << j << ") is " << a(i, j) << ", not " << e(i, j)
                    << " +- " << b(i, j);
    }
  }
  EXPECT_EQ(wrong, 0);
}

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Compares alpha op(A) X + beta Y of A and the operator, with random X and Y. The operator's Y holds NaN if beta is 0.
inline void expect_product(const Matrix& A, const Tpetra::Operator<double>& op, std::size_t columns,
                           Teuchos::ETransp mode, double alpha, double beta) {
  SCOPED_TRACE("mode " + std::to_string(mode) + ", " + std::to_string(columns) + " columns, alpha " +
               std::to_string(alpha) + ", beta " + std::to_string(beta));
  const auto X = random_vectors(x_map(A, mode), columns, 5);
  const auto Y = random_vectors(y_map(A, mode), columns, 6);
  MV actual(*Y, Teuchos::Copy), expected(*Y, Teuchos::Copy);
  if (beta == 0) actual.putScalar(nan);
  A.apply(*X, expected, mode, alpha, beta);
  op.apply(*X, actual, mode, alpha, beta);
  expect_within(actual, expected, *bound(A, *X, *Y, mode, alpha, beta));
}

}  // namespace Tessera::Impl::Test
