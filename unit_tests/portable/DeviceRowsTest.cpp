// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <set>
#include <tessera/portable/Spmm.hpp>

#include "DevicePack.hpp"
#include "DeviceRows.hpp"
#include "ProductCheck.hpp"
#include "TestTypes.hpp"

/// The product of compressed rows on devices, on every execution space: a team of a host has one thread.
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

/// Returns Y.
///
/// \param y_rows, x_rows [in] as in Product; empty: none
template <class Exec, class M, class V>
Dense<V> result_of(HostProduct<M, V, int>& host, std::size_t scratch_bytes = 0, bool same_bits_alone = false,
                   const std::vector<int>& y_rows = {}, const std::vector<int>& x_rows = {}) {
  const Exec exec;
  const DevicePattern<Exec, int> A(host.pattern);
  const auto values = to_device<Exec>(host.values);
  const auto x = to_device<Exec>(host.x.memory());
  const auto y = to_device<Exec>(host.y.memory());
  const auto y_places = to_device<Exec>(y_rows), x_places = to_device<Exec>(x_rows);
  const Kokkos::View<std::byte*, typename Exec::memory_space> scratch("scratch", scratch_bytes);
  Product<M, V> product{values.data(), is_conjugated(host.mode),
                        host.alpha,    host.x.view(static_cast<const V*>(x.data())),
                        host.beta,     host.y.view(y.data())};
  if (!y_rows.empty()) product.y_rows = y_places.data();
  if (!x_rows.empty()) product.x_rows = x_places.data();
  product.same_bits_alone = same_bits_alone;
  for_each_packed_slab(exec, host.pattern.nonzeros(), product, {scratch.data(), scratch_bytes},
                       [&](const auto& slab) { multiply_on_device(exec, A.view(), host.pattern.nonzeros(), slab); });
  Dense<V> result = host.y;
  result.memory() = to_host(y);
  return result;
}

/// Matrices whose rows have one part, several, or many; with rows that a team sums together.
std::vector<HostPattern<int>> patterns() {
  return {random_pattern<int>(67, 53, 0.2, 21, 9),
          rows_of_lengths(3000, repeated({0, 1, 2, 3, 4, 5, 129, 128, 7, 0, 2999}, 3)),
          rows_of_lengths(1200, joined(repeated({2, 3, 0, 1}, 150), {129, 1, 1000, 128})),
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
          host.set_factors(number % 2 ? V(2) : V(-1), columns % 2 ? V(0) : V(3), 23);
          const std::size_t scratch = columns % 5 == 0 ? 0 : spmm_scratch_bytes<Exec, V>(A.columns, columns);
          Dense<V> result = result_of<Exec>(host, scratch);
          host.expect_right(result,
                            "pattern " + std::to_string(number) + ", " + describe(A.rows, A.columns, columns, x, y));
        }
      }
    }
  }
}

/// Slabs of packed columns may end with a single one, which is a column among others all the same.
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
      for (const std::size_t scratch : {std::size_t(0), spmm_scratch_bytes<Exec, V>(A.columns, columns)}) {
        Dense<V> result = result_of<Exec>(few, scratch, columns == 1);
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
    HostProduct<M, V, int> host(A, 5, Layout::Right, Layout::Right, 52, Mode::Conjugate);
    Dense<V> result = result_of<Exec>(host);
    host.expect_right(result, "conjugate");
  }
}

/// Fewer teams than blocks of rows, or tiles of X.
TYPED_TEST(DeviceRowsTest, TeamsMultiplySeveralBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const Exec exec;
  for (const HostPattern<int>& pattern : patterns()) {
    HostProduct<M, V, int> host(pattern, 9, Layout::Left, Layout::Left, 61);
    const DevicePattern<Exec, int> A(pattern);
    const auto values = to_device<Exec>(host.values);
    const auto x = to_device<Exec>(host.x.memory()), y = to_device<Exec>(host.y.memory());
    const Kokkos::View<V*, typename Exec::memory_space> packed("packed", static_cast<std::size_t>(pattern.columns) * 9);
    Product<M, V> product{values.data(), false,
                          host.alpha,    host.x.view(static_cast<const V*>(x.data())),
                          host.beta,     host.y.view(y.data())};
    PackRows<Exec, V>(product.x, packed.data()).run(exec, 2);
    product.x = {packed.data(), pattern.columns, 9, 9, 1};
    const auto shape = device_rows_shape(pattern.rows, pattern.nonzeros(), 4, false, true);
    DeviceRows<Exec, M, V>(A.view(), product, shape).run(exec, 3);
    Dense<V> result = host.y;
    result.memory() = to_host(y);
    host.expect_right(result, "three teams");
  }
}

/// Entries of other rows, and rows of X that no entry needs, are not read: they are infinite.
TYPED_TEST(DeviceRowsTest, OnlyEntriesOfTheRowCount) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  for (const HostPattern<int>& A : patterns()) {
    const std::set<int> used(A.column_indices.begin(), A.column_indices.end());
    for (const int columns : {1, 3, 8}) {
      HostProduct<M, V, int> host(A, columns, Layout::Left, Layout::Left, 41);
      for (int i = 0; i < A.columns; ++i)
        for (int j = 0; j < columns && used.count(i) == 0; ++j)
          host.x(i, j) = V(std::numeric_limits<real_of_t<V>>::infinity());
      Dense<V> result = result_of<Exec>(host, spmm_scratch_bytes<Exec, V>(A.columns, columns));
      host.expect_right(result, std::to_string(columns) + " columns");
    }
  }
}

TYPED_TEST(DeviceRowsTest, RowsAreScatteredAndGathered) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  for (const HostPattern<int>& A : patterns()) {
    const auto y_rows = shuffled(A.rows, 92), x_rows = shuffled(A.columns, 93);
    for (const int columns : {1, 9}) {
      HostProduct<M, V, int> host(A, columns, Layout::Right, Layout::Left, 94);
      HostProduct<M, V, int> moved = host;
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < A.columns; ++i) moved.x(x_rows[static_cast<std::size_t>(i)], j) = host.x(i, j);
      Dense<V> expected = result_of<Exec>(host);
      Dense<V> result = result_of<Exec>(moved, 0, false, y_rows, x_rows);
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < A.rows; ++i)
          ASSERT_EQ(result(y_rows[static_cast<std::size_t>(i)], j), expected(i, j)) << "row " << i;
    }
  }
}

TEST(DeviceRowsShape, PartsDependOnTheMatrixAlone) {
  for (const int columns : {2, 8, 100}) {
    const auto parts = [&](int rows, std::size_t length) {
      return device_rows_shape(rows, rows * length, columns, false, false).parts;
    };
    EXPECT_EQ(parts(1000000, 3), 1);
    EXPECT_EQ(parts(1000000, 63), 1);
    EXPECT_EQ(parts(1000000, 64), 2);
    EXPECT_EQ(parts(4000, 16), 2);
    EXPECT_EQ(parts(4000, 500), 32);
    EXPECT_EQ(parts(10, 100000), 32);
  }
}

TEST(DeviceRowsShape, AColumnAloneHasMoreParts) {
  EXPECT_EQ(device_rows_shape(1000000, 80000000, 1, true, false).parts, 8);
  EXPECT_EQ(device_rows_shape(1000000, 80000000, 1, false, false).parts, 2);
  EXPECT_EQ(device_rows_shape(1000000, 3000000, 1, true, false).rows, 256);
}

TEST(DeviceRowsShape, FillsATeam) {
  for (const int columns : {1, 2, 3, 8, 31, 32, 500}) {
    for (const std::size_t length : {1, 20, 100, 5000}) {
      const DeviceRowsShape shape = device_rows_shape(3000, 3000 * length, columns, columns == 1, columns > 8);
      const int lanes = shape.parts * shape.columns * shape.rows;
      EXPECT_LE(lanes, 256);
      EXPECT_GT(lanes, 128);
      EXPECT_LE(shape.scratch_bytes<Complex<double>>(), 16384u);
    }
  }
}

}  // namespace Tessera::Impl::Test
