// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <limits>
#include <set>
#include <tessera/format/Csr.hpp>
#include <tessera/portable/Spmm.hpp>

#include "ProductCheck.hpp"
#include "TestTypes.hpp"
#include "csr/DeviceRowsKernel.hpp"

/// The product of compressed rows on devices, on every execution space: a team of a host has one thread, which computes
/// all lanes, whatever the number of lanes of a device's waves.
namespace Tessera::Impl::Test {

template <class T>
class DeviceRowsTest : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceRowsTest, ProductCases);

/// Returns a pattern of rows with these numbers of entries. Columns are spread over the row.
HostPattern<int> rows_of_lengths(int columns, const std::vector<int>& lengths) {
  HostPattern<int> A;
  A.columns = columns;
  for (const int length : lengths) {
    for (int k = 0; k < length; ++k) A.column_indices.push_back(static_cast<int>(std::int64_t(columns) * k / length));
    A.end_row();
  }
  return A;
}

std::vector<int> repeated(std::vector<int> lengths, int times) {
  std::vector<int> all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), lengths.begin(), lengths.end());
  return all;
}

std::vector<int> joined(std::vector<int> lengths, const std::vector<int>& more) {
  lengths.insert(lengths.end(), more.begin(), more.end());
  return lengths;
}

/// The rows that a kernel is built for.
struct Rows {
  Ordinal rows;
  std::size_t nonzeros;
  const Offset* row_offsets;
  RowSummary summary = {};
  CsrPattern<Offset> view() const { return {rows, 0, row_offsets, nullptr}; }
};

/// How a product is computed.
struct How {
  int planned_columns = 8;       // columns of X that the plan expects
  bool has_scratch = true;       // whether X may be packed
  bool same_bits_alone = false;  // as in Product
  std::vector<int> y_rows = {};  // as in Product; empty: none
  RowSchedule shared = {};       // if it has more than one part, its numbers of lanes replace those chosen
};

/// Returns Y.
template <class Exec, class M, class V>
Dense<V> result_of(HostProduct<M, V, int>& host, const How& how = {}) {
  const Exec exec;
  const DevicePattern<Exec, int> A(host.pattern);
  const auto values = to_device<Exec>(host.values);
  const auto x = to_device<Exec>(host.x.memory());
  const auto y = to_device<Exec>(host.y.memory());
  const auto y_places = to_device<Exec>(how.y_rows);
  Product<M, V> product{values.data(), is_conjugated(host.mode),
                        host.alpha,    host.x.view(static_cast<const V*>(x.data())),
                        host.beta,     host.y.view(y.data())};
  if (!how.y_rows.empty()) product.y_rows = y_places.data();
  product.same_bits_alone = how.same_bits_alone;
  const std::size_t nonzeros = host.pattern.nonzeros();
  PlanOptions options;
  options.hints.num_vectors = how.planned_columns;
  DeviceRowsKernel<M, Exec> kernel;
  kernel.build(exec, Rows{host.pattern.rows, nonzeros, A.view().row_offsets}, options);
  if (how.shared.parts > 1) kernel.share(how.shared.parts, how.shared.column_lanes, how.shared.column_rows);
  const std::size_t bytes = kernel.scratch_bytes(how.has_scratch ? host.pattern.columns : 0, product.x.columns);
  const Kokkos::View<std::byte*, typename Exec::memory_space> scratch("scratch", bytes);
  kernel.multiply(exec, A.view(), nonzeros, product, {scratch.data(), bytes});
  Dense<V> result = host.y;
  result.memory() = to_host(y);
  return result;
}

/// Matrices whose rows have one part, several, or many; with long rows.
std::vector<HostPattern<int>> patterns() {
  return {random_pattern<int>(67, 53, 0.2, 21, 9),
          rows_of_lengths(3000, repeated({0, 1, 2, 3, 4, 5, 129, 128, 7, 0, 2999}, 3)),
          rows_of_lengths(1200, joined(repeated({2, 3, 0, 1}, 150), {129, 1, 1000, 128, 513})),
          rows_of_lengths(700, repeated({40, 64, 0, 65, 66, 67}, 20)),
          rows_of_lengths(2000, repeated({500, 600, 517, 2000}, 3)),
          rows_of_lengths(9000, {9000, 8999, 1}),
          rows_of_lengths(10, {}),
          rows_of_lengths(10, {0, 0, 0})};
}

TYPED_TEST(DeviceRowsTest, EveryPairOfLayouts) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  int number = 0;
  for (const HostPattern<int>& A : patterns()) {
    ++number;
    for (const Layout x : every_layout) {
      for (const Layout y : every_layout) {
        for (const int columns : {1, 2, 5, 8, 32, 33}) {
          if (!is_chosen_on<Exec>(7)) continue;
          HostProduct<M, V, int> host(A, columns, x, y, 22);
          host.set_factors(number % 2 ? V(2) : V(-1), (number / 2 + columns) % 2 ? V(0) : V(3), 23);
          How how;
          how.planned_columns = columns % 3 == 2 ? 1 : 8;
          how.has_scratch = columns != 5;
          Dense<V> result = result_of<Exec>(host, how);
          host.expect_right(result,
                            "pattern " + std::to_string(number) + ", " + describe(A.rows, A.columns, columns, x, y));
        }
      }
    }
  }
}

/// Many short rows, of which a lane multiplies twice as many columns.
TYPED_TEST(DeviceRowsTest, ManyShortRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const auto A = rows_of_lengths(50, repeated({0, 1, 2, 3, 5, 1}, 22000));
  for (const Layout y : {Layout::Right, Layout::Left}) {
    for (const int columns : {1, 8 * lane_elements<V>}) {
      HostProduct<M, V, int> host(A, columns, Layout::Right, y, 26);
      host.set_factors(V(2), V(0), 27);
      Dense<V> result = result_of<Exec>(host);
      host.expect_right(result, "many short rows, " + std::to_string(columns) + " columns");
    }
  }
}

/// Many long rows, of which a single column is multiplied with more registers.
TYPED_TEST(DeviceRowsTest, ManyLongRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const auto A = rows_of_lengths(600, repeated({520, 3, 511, 490}, 1320));
  HostProduct<M, V, int> host(A, 1, Layout::Right, Layout::Right, 28);
  Dense<V> result = result_of<Exec>(host);
  host.expect_right(result, "many long rows");
}

/// Any number of lanes that a device may have gives the right result: also that of a wave of 64 lanes, of 32 or of 16.
TYPED_TEST(DeviceRowsTest, AnyNumberOfLanes) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  for (const HostPattern<int>& A : patterns()) {
    for (const int lanes : {2, 16, 32, 64}) {
      for (const int columns : {1, 6}) {
        HostProduct<M, V, int> host(A, columns, Layout::Right, Layout::Left, 24);
        How how;
        how.shared.parts = how.shared.column_lanes = lanes;
        how.shared.column_rows = 3;
        Dense<V> result = result_of<Exec>(host, how);
        host.expect_right(result, std::to_string(lanes) + " lanes, " + std::to_string(columns) + " columns");
      }
    }
  }
}

/// The last slab of packed columns may have a single one, which is a column among others all the same.
TYPED_TEST(DeviceRowsTest, AColumnHasTheSameBitsWhateverTheOthersAre) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  for (const HostPattern<int>& A : patterns()) {
    HostProduct<M, V, int> many(A, 70, Layout::Right, Layout::Right, 31);
    many.set_factors(V(3), V(0), 32);
    Dense<V> expected = result_of<Exec>(many);
    for (const int columns : {1, 2, 7, 17, 33, 65}) {
      HostProduct<M, V, int> few(A, columns, Layout::Left, columns % 2 ? Layout::Right : Layout::Left, 31);
      few.set_factors(V(3), V(0), 32);
      few.values = many.values;
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < A.columns; ++i) few.x(i, j) = many.x(i, j + 3);
      for (const bool has_scratch : {false, true}) {
        How how;
        how.has_scratch = has_scratch;
        how.same_bits_alone = columns == 1;
        Dense<V> result = result_of<Exec>(few, how);
        for (int j = 0; j < columns; ++j)
          for (int i = 0; i < A.rows; ++i)
            ASSERT_EQ(result(i, j), expected(i, j + 3)) << columns << " columns, column " << j << ", row " << i;
      }
    }
  }
}

TYPED_TEST(DeviceRowsTest, ConjugatesOnRequest) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  for (const HostPattern<int>& A : patterns()) {
    for (const int columns : {1, 5}) {
      HostProduct<M, V, int> host(A, columns, Layout::Right, Layout::Right, 52, Mode::Conjugate);
      Dense<V> result = result_of<Exec>(host);
      host.expect_right(result, "conjugate");
    }
  }
}

/// Fewer teams than blocks of items, or tiles of X.
TYPED_TEST(DeviceRowsTest, TeamsMultiplySeveralBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Pattern = CsrPattern<Offset>;
  const Exec exec;
  for (const HostPattern<int>& pattern : patterns()) {
    const DevicePattern<Exec, int> A(pattern);
    RowSchedule schedule;
    for (const int columns : {1, 9}) {
      HostProduct<M, V, int> host(pattern, columns, Layout::Left, Layout::Left, 61);
      const auto values = to_device<Exec>(host.values);
      const auto x = to_device<Exec>(host.x.memory()), y = to_device<Exec>(host.y.memory());
      const Kokkos::View<V*, typename Exec::memory_space> packed("packed",
                                                                 static_cast<std::size_t>(pattern.columns) * 9);
      Product<M, V> product{values.data(), false,
                            host.alpha,    host.x.view(static_cast<const V*>(x.data())),
                            host.beta,     host.y.view(y.data())};
      if (columns == 1) {
        DeviceColumn<Exec, RowItems<Pattern, M, V>, 6>({A.view(), schedule, product}).run(exec, 3);
      } else {
        PackRows<Exec, V>(product.x, packed.data(), 9).run(exec, 2);
        product.x = {packed.data(), pattern.columns, 9, 9, 1};
        DeviceRows<Exec, RowItems<Pattern, M, V>, 1, false>({A.view(), schedule, product}, {9, 1, 4, 2}).run(exec, 3);
      }
      Dense<V> result = host.y;
      result.memory() = to_host(y);
      host.expect_right(result, std::to_string(columns) + " columns, few teams");
    }
  }
}

/// Entries of other rows, and rows of X that no entry needs, do not count: they are infinite.
TYPED_TEST(DeviceRowsTest, OnlyEntriesOfTheRowCount) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  auto all = patterns();
  all.push_back(rows_of_lengths(700, repeated({0, 3, 40, 65, 1}, 20)));
  for (int& column : all.back().column_indices) ++column;  // column 0 is empty
  ++all.back().columns;
  for (const HostPattern<int>& A : all) {
    const std::set<int> used(A.column_indices.begin(), A.column_indices.end());
    for (const int columns : {1, 3, 8}) {
      HostProduct<M, V, int> host(A, columns, Layout::Left, Layout::Left, 41);
      for (int i = 0; i < A.columns; ++i)
        for (int j = 0; j < columns && used.count(i) == 0; ++j)
          host.x(i, j) = V(std::numeric_limits<real_of_t<V>>::infinity());
      Dense<V> result = result_of<Exec>(host);
      host.expect_right(result, std::to_string(columns) + " columns");
    }
  }
}

TYPED_TEST(DeviceRowsTest, RowsOfYAreScattered) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  for (const HostPattern<int>& A : patterns()) {
    How how;
    how.y_rows = shuffled(A.rows, 92);
    for (const int columns : {1, 8, 9}) {
      HostProduct<M, V, int> host(A, columns, Layout::Right, columns == 8 ? Layout::Right : Layout::Left, 94);
      host.set_factors(V(1), V(0), 95);
      Dense<V> expected = result_of<Exec>(host);
      Dense<V> result = result_of<Exec>(host, how);
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < A.rows; ++i)
          ASSERT_EQ(result(how.y_rows[static_cast<std::size_t>(i)], j), expected(i, j)) << "row " << i;
    }
  }
}

/// A product without room for its sums of pieces is refused, and nothing is written.
TYPED_TEST(DeviceRowsTest, NeedsRoomForSumsOfPieces) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const Exec exec;
  HostProduct<M, V, int> host(rows_of_lengths(9000, {9000, 8999, 1}), 2, Layout::Right, Layout::Right, 71);
  host.set_factors(V(1), V(1), 72);
  const DevicePattern<Exec, int> A(host.pattern);
  const auto x = to_device<Exec>(host.x.memory()), y = to_device<Exec>(host.y.memory());
  const auto values = to_device<Exec>(host.values);
  DeviceRowsKernel<M, Exec> kernel;
  kernel.build(exec, Rows{3, host.pattern.nonzeros(), A.view().row_offsets}, {});
  const Product<M, V> product{
      values.data(), false, host.alpha, host.x.view(static_cast<const V*>(x.data())), host.beta, host.y.view(y.data())};
  EXPECT_THROW(kernel.multiply(exec, A.view(), host.pattern.nonzeros(), product, {}), std::invalid_argument);
  const auto after = to_host(y);
  EXPECT_EQ(std::memcmp(after.data(), host.y.memory().data(), after.size() * sizeof(V)), 0);
}

LongRowCounts counts_of(const std::vector<int>& lengths) {
  LongRowCounts counts;
  for (const int length : lengths) counts.add_row(length);
  return counts;
}

TEST(RowSchedule, LongRowsAreCut) {
  const LongRowCounts counts = counts_of({64, 65, 128, 129, 200, 10000});
  EXPECT_EQ(counts.longest, 10000);
  EXPECT_EQ(counts.rows[0], 5);
  EXPECT_EQ(counts.pieces[0], 2 + 2 + 3 + 4 + 157);
  EXPECT_EQ(counts.rows[1], 3);
  const RowSchedule cut = choose_row_schedule(1000, 20000, counts, 8, 8);
  EXPECT_EQ(cut.piece_length, 64);
  EXPECT_EQ(cut.long_rows, 5);
  EXPECT_EQ(cut.pieces, counts.pieces[0]);
  EXPECT_EQ(choose_row_schedule(1000, 33000, counts, 8, 8).piece_length, 128) << "most rows are longer than 32";
}

TEST(RowSchedule, RowsThatAreNotMuchLongerAreNotCut) {
  const auto pieces = [](int longest, int rows, int columns) {
    return choose_row_schedule(rows, rows * 10.0, counts_of({longest}), columns, 8).pieces;
  };
  EXPECT_EQ(pieces(64, 1000000, 8), 0);
  EXPECT_GT(pieces(65, 1000000, 8), 0);
  EXPECT_EQ(pieces(160, 1000, 8), 0) << "a small matrix";
  EXPECT_GT(pieces(161, 1000, 8), 0);
  EXPECT_EQ(pieces(512, 100000, 1), 0) << "a single column";
  EXPECT_GT(pieces(513, 100000, 1), 0);
  EXPECT_GT(pieces(512, 1000000, 1), 0) << "a large matrix";
}

TEST(RowSchedule, VeryLongRowsHaveLongerPieces) {
  const auto cut = [](int longest) {
    std::vector<int> lengths(1000, 70);
    lengths.push_back(longest);
    return choose_row_schedule(100000, 1e6, counts_of(lengths), 8, 8);
  };
  EXPECT_EQ(cut(64 << 14).piece_length, 64);
  EXPECT_EQ(cut(64 << 14).most_pieces, 1 << 14);
  EXPECT_EQ(cut((64 << 14) + 1).piece_length, 128);
}

/// Rows and pieces are numbered together.
TEST(RowSchedule, AsManyRowsAsCanBeCountedAreNotCut) {
  const auto cut = [](Ordinal rows) { return choose_row_schedule(rows, 2e9, counts_of({1000}), 1, 4).pieces; };
  constexpr Ordinal most = std::numeric_limits<Ordinal>::max();
  EXPECT_EQ(cut(most - 16), 16);
  EXPECT_EQ(cut(most - 15), 0);
}

TEST(RowSchedule, LanesShareLongRowsAndFillADevice) {
  const auto parts = [](int rows, int length, int columns) {
    return choose_row_schedule(rows, double(rows) * length, {}, columns, 8).parts;
  };
  EXPECT_EQ(parts(1000000, 63, 8), 1);
  EXPECT_EQ(parts(1000000, 64, 8), 2);
  EXPECT_EQ(parts(4000, 16, 8), 4) << "few rows";
  EXPECT_EQ(parts(20000, 16, 32), 1) << "the lanes of wide rows of X fill a device";
  EXPECT_EQ(parts(10, 100000, 8), 32);
}

TEST(RowSchedule, UnevenRowsHaveMoreLanesForAColumn) {
  const auto column = [](int rows, double length, int longest) {
    return choose_row_schedule(rows, rows * length, counts_of({longest}), 1, 8);
  };
  EXPECT_EQ(column(1000000, 80, 81).column_lanes, 8) << "even";
  EXPECT_EQ(column(1000000, 80, 81).column_rows, 4);
  EXPECT_EQ(column(1000, 80, 81).column_lanes, 32) << "few rows";
  EXPECT_EQ(column(1000, 80, 81).column_rows, 1);
  EXPECT_EQ(column(600000, 11, 5000).column_lanes, 2) << "pieces of 64";
  EXPECT_EQ(column(600000, 3, 500).column_lanes, 16) << "rows of 500 are not cut";
  EXPECT_EQ(column(600000, 3, 500).column_rows, 1);
}

/// Long rows of a matrix whose rows are long are cut into longer pieces if a single column is expected.
TEST(RowSchedule, PiecesForAColumnAreLongerThanMostRows) {
  const auto length = [](double mean, int columns) {
    return choose_row_schedule(100000, 100000 * mean, counts_of({20000}), columns, 8).piece_length;
  };
  EXPECT_EQ(length(16, 1), 64);
  EXPECT_EQ(length(17, 1), 128);
  EXPECT_EQ(length(500, 1), 512);
  EXPECT_EQ(length(500, 2), 128);
}

/// Every quotient and remainder that teams compute is right.
TEST(SmallDivisor, DividesExactly) {
  for (int divisor = 1; divisor <= SmallDivisor::most_divisor; ++divisor) {
    const SmallDivisor by(divisor);
    for (int dividend = 0; dividend <= SmallDivisor::most_dividend; ++dividend) {
      int remainder;
      ASSERT_EQ(by.divide(dividend, remainder), dividend / divisor) << dividend << " / " << divisor;
      ASSERT_EQ(remainder, dividend % divisor) << dividend << " / " << divisor;
    }
  }
}

TEST(DeviceRowsShape, FillsATeam) {
  for (const int columns : {1, 2, 3, 8, 31, 32, 500}) {
    for (const int parts : {1, 2, 8, 32}) {
      const DeviceRowsShape shape(columns, 2, 16, parts);
      const int lanes = shape.parts * shape.lanes * shape.items;
      EXPECT_LE(lanes, 256);
      EXPECT_GT(lanes, 128);
    }
  }
}

}  // namespace Tessera::Impl::Test
