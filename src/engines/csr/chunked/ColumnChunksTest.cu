// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tessera/common/ChunkedRows.hpp>

#include "SpmmConformance.hpp"
#include "csr/chunked/Column.hpp"

namespace Tessera::Impl::Test {
namespace {

/// A matrix on the device whose single column has chunks of at most `chunk_rows` rows.
template <class Scalar>
class ColumnMatrix {
 public:
  ColumnMatrix(const HostMatrix& A, Ordinal chunk_rows, int multiprocessors)
      : row_offsets_(std::vector<Offset>(A.row_offsets.begin(), A.row_offsets.end())),
        column_indices_(A.column_indices),
        values_(std::vector<Scalar>(A.values.begin(), A.values.end())),
        pattern_{A.rows, A.columns, row_offsets_.data(), column_indices_.data()},
        chunks_{{A.rows, A.columns, chunks_of(A.columns, chunk_rows), A.nonzeros(), multiprocessors, nullptr}},
        items_(std::vector<Cuda::ChunkedItem>(chunks_.entries.item_count())),
        first_blocks_(std::vector<int>(chunk_count() + 1, -1)) {
    std::vector<int> order(static_cast<std::size_t>(A.rows));
    std::iota(order.rbegin(), order.rend(), 0);
    const OnDevice<int> rows(order);
    Cuda::fill_chunked_items(nullptr, pattern_, chunks_.entries, rows.data(), items_.data());
    chunks_.entries.items = items_.data();
    const OnDevice<std::uint64_t> counts{std::vector<std::uint64_t>(chunk_count())};
    Cuda::assign_chunk_blocks(nullptr, chunks_, counts.data(), first_blocks_.data());
    chunks_.first_blocks = first_blocks_.data();
    first_blocks();  // waits: a product may begin before earlier kernels end
  }

  const CsrPattern<Offset>& pattern() const { return pattern_; }
  const Scalar* values() const { return values_.data(); }
  const Cuda::ColumnChunks& chunks() const { return chunks_; }
  std::vector<int> first_blocks() const { return first_blocks_.to_host(); }

 private:
  static Chunks chunks_of(Ordinal columns, Ordinal chunk_rows) {
    return Chunks::of_column(columns, sizeof(Scalar), static_cast<std::size_t>(chunk_rows) * sizeof(Scalar));
  }
  std::size_t chunk_count() const { return static_cast<std::size_t>(chunks_.entries.chunks.count); }

  OnDevice<Offset> row_offsets_;
  OnDevice<int> column_indices_;
  OnDevice<Scalar> values_;
  CsrPattern<Offset> pattern_;
  Cuda::ColumnChunks chunks_;
  OnDevice<Cuda::ChunkedItem> items_;
  OnDevice<int> first_blocks_;
};

struct ColumnCase {
  Ordinal chunk_rows;
  int multiprocessors;
  int x_stride = 1, y_stride = 1;
  bool orders_rows = false;
};

/// Returns a row's sum in the order that column_chunks_spmm() documents.
template <class Scalar>
Scalar serial_sum(const HostMatrix& A, Ordinal chunk_rows, int row, const std::vector<Scalar>& x) {
  constexpr int lanes = 16;
  Scalar sum(0);
  for (int first = 0; first < A.columns; first += chunk_rows) {
    Scalar lane[lanes] = {};
    int number = 0;
    for (int k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      const int column = A.column_indices[k];
      if (column < first || column >= first + chunk_rows) continue;
      Scalar& own = lane[number++ % lanes];
      own = std::fma(static_cast<Scalar>(A.values[k]), x[static_cast<std::size_t>(column)], own);
    }
    for (int distance = lanes / 2; distance > 0; distance /= 2)
      for (int l = 0; l < distance; ++l) lane[l] += lane[l + distance];
    sum = first == 0 ? lane[0] : sum + lane[0];
  }
  return sum;
}

template <class Scalar>
void expect_serial_bits(const HostMatrix& A, const ColumnCase& c, Scalar alpha, Scalar beta) {
  const ColumnMatrix<Scalar> matrix(A, c.chunk_rows, c.multiprocessors);
  const auto rows = static_cast<std::size_t>(A.rows), columns = static_cast<std::size_t>(A.columns);
  const auto x = random_values<Scalar>(columns, 1), y = random_values<Scalar>(rows, 2);
  const auto x_stride = static_cast<std::size_t>(c.x_stride), y_stride = static_cast<std::size_t>(c.y_stride);
  std::vector<int> x_rows(columns), y_rows(rows);
  std::iota(x_rows.begin(), x_rows.end(), 0);
  std::iota(y_rows.begin(), y_rows.end(), 0);
  if (c.orders_rows) std::reverse(x_rows.begin(), x_rows.end());
  if (c.orders_rows) std::rotate(y_rows.begin(), y_rows.begin() + 1, y_rows.end());
  constexpr Scalar untouched(77);
  std::vector<Scalar> x_memory(columns * x_stride, untouched), y_memory(rows * y_stride, untouched);
  for (std::size_t i = 0; i < columns; ++i) x_memory[static_cast<std::size_t>(x_rows[i]) * x_stride] = x[i];
  for (std::size_t i = 0; i < rows; ++i)
    y_memory[static_cast<std::size_t>(y_rows[i]) * y_stride] = beta == 0 ? Scalar(quiet_nan) : y[i];
  const OnDevice<Scalar> x_device(x_memory), y_device(y_memory);
  const OnDevice<int> x_order(x_rows), y_order(y_rows);
  const OnDevice<Scalar> sums(std::vector<Scalar>(matrix.chunks().entries.item_count(), Scalar(quiet_nan)));
  Product<Scalar, Scalar> product{matrix.values(), false, alpha, {}, beta, {}};
  product.x = {x_device.data(), A.columns, 1, c.x_stride, 1};
  product.y = {y_device.data(), A.rows, 1, c.y_stride, 1};
  if (c.orders_rows) product.x_rows = x_order.data();
  if (c.orders_rows) product.y_rows = y_order.data();
  Cuda::column_chunks_spmm(
      nullptr, matrix.pattern(), matrix.chunks(), product,
      {reinterpret_cast<std::byte*>(sums.data()), Cuda::column_chunks_bytes<Scalar>(matrix.chunks())});
  const auto result = y_device.to_host();
  const Ordinal chunk_rows = matrix.chunks().entries.chunks.rows;
  int different = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const Scalar scaled = alpha * serial_sum(A, chunk_rows, static_cast<int>(i), x);
    const Scalar expected = beta == 0 ? scaled : std::fma(beta, y[i], scaled);
    const std::size_t at = static_cast<std::size_t>(y_rows[i]) * y_stride;
    different += result[at] != expected;
    for (std::size_t k = 1; k < y_stride; ++k) different += result[at + k] != untouched;
  }
  EXPECT_EQ(different, 0) << "elements; chunks of " << chunk_rows << " rows, " << c.multiprocessors
                          << " multiprocessors";
}

/// One chunk and many, blocks for several chunks, more blocks than groups of rows, strides, orders of X and Y.
TEST(ColumnChunks, SumsAreInOrder) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(150, 403, 250, 12);
  for (const ColumnCase& c : {ColumnCase{150, 1}, {403, 3}, {64, 7}, {101, 40, 3, 2}, {30, 5, 1, 1, true}}) {
    expect_serial_bits<float>(A, c, 1, 0);
    expect_serial_bits<double>(A, c, 1.5, 0.5);
  }
}

/// Rows without entries in some chunks, empty rows, and a matrix without entries.
TEST(ColumnChunks, RowsMayLackEntries) {
  TESSERA_SKIP_WITHOUT_GPU();
  HostMatrix A;
  A.columns = 300;
  for (int row = 0; row < 70; ++row) {
    for (int k = 0; k < row % 5 * 40; ++k) A.column_indices.push_back(k + row % 3);
    A.end_row();
  }
  A.values = random_values<double>(A.nonzeros(), 4);
  expect_serial_bits<double>(A, {40, 12}, 2, 0.25);
  HostMatrix none;
  none.columns = 100;
  for (int row = 0; row < 5; ++row) none.end_row();
  expect_serial_bits<float>(none, {30, 2}, 1, 0.5);
}

/// Non-finite elements of X reach only the rows that need them.
TEST(ColumnChunks, OtherElementsOfXAreNotMultiplied) {
  TESSERA_SKIP_WITHOUT_GPU();
  HostMatrix A;
  A.columns = 90;
  for (int row = 0; row < 40; ++row) {
    A.column_indices.push_back(3 * (row % 30) + 1);
    A.end_row();
  }
  A.values.assign(A.nonzeros(), 2);
  const ColumnMatrix<double> matrix(A, 30, 4);
  std::vector<double> x(90, quiet_nan);
  for (std::size_t i = 1; i < 90; i += 3) x[i] = 1;
  x[4] = infinity;
  const OnDevice<double> x_device(x), y_device(std::vector<double>(40, quiet_nan)), sums(std::vector<double>(120));
  Product<double, double> product{matrix.values(), false, 1, {}, 0, {}};
  product.x = {x_device.data(), 90, 1, 1, 1};
  product.y = {y_device.data(), 40, 1, 1, 1};
  Cuda::column_chunks_spmm(nullptr, matrix.pattern(), matrix.chunks(), product,
                           {reinterpret_cast<std::byte*>(sums.data()), 120 * sizeof(double)});
  const auto y = y_device.to_host();
  for (std::size_t row = 0; row < 40; ++row) EXPECT_EQ(y[row], row % 30 == 1 ? infinity : 2) << row;
}

/// Blocks are dealt out in proportion to entries, and each chunk has one.
TEST(ColumnChunks, BlocksFollowEntries) {
  TESSERA_SKIP_WITHOUT_GPU();
  HostMatrix A;
  A.columns = 400;
  for (int row = 0; row < 10; ++row) {
    for (int k = 0; k < 100; ++k) A.column_indices.push_back(k);
    for (int k = 100; k < 300; k += 10) A.column_indices.push_back(k);
    A.end_row();
  }
  A.values.assign(A.nonzeros(), 1);
  // 1000, 100, 100 and 0 entries, and 80 more for the rows of each chunk.
  EXPECT_EQ(ColumnMatrix<float>(A, 100, 38).first_blocks(), (std::vector<int>{0, 27, 32, 36, 38}));
  EXPECT_EQ(ColumnMatrix<float>(A, 100, 4).first_blocks(), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(ColumnMatrix<float>(A, 100, 1).first_blocks(), (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(ColumnChunks, PayForLargeMatricesWithLongRowsAllOverX) {
  const ChunkedMachine machine;
  const ChunkedProblem p{233e3, 233e3, 115e6, 1, 8};
  EXPECT_TRUE(column_chunks_pay(p, 2e5, machine));
  EXPECT_FALSE(column_chunks_pay(p, 5e4, machine)) << "entries are close together";
  const auto pays = [&](double rows, double columns, double nonzeros) {
    return column_chunks_pay({rows, columns, nonzeros, 1, 8}, columns, machine);
  };
  EXPECT_TRUE(pays(1e4, 1e6, 115e6));
  EXPECT_FALSE(pays(1e6, 1e6, 115e6)) << "too few entries in a chunk";
  EXPECT_FALSE(pays(1e4, 4e6, 115e6)) << "too many chunks";
  EXPECT_FALSE(pays(80e3, 80e3, 50e6)) << "X has three chunks";
  EXPECT_TRUE(pays(90e3, 90e3, 50e6));
  EXPECT_FALSE(pays(10e3, 30e3, 2e6)) << "small";
  EXPECT_FALSE(column_chunks_pay(p, 2e5, {132, 0})) << "no shared memory";
}

TEST(ColumnChunks, RejectsWhatItCannotDo) {
  const CsrPattern<Offset> A{2, 3, nullptr, nullptr};
  const Ordinal first_blocks[] = {0, 1};
  const Cuda::ColumnChunks chunks{{2, 3, {3, 1}, 0, 1, nullptr}, first_blocks};
  alignas(16) std::byte memory[32];
  const Scratch scratch{memory, sizeof(memory)};
  Product<double, double> product;
  product.x = {nullptr, 3, 1, 1, 1};
  product.y = {nullptr, 2, 1, 1, 1};
  const auto expect_error = [&](const Cuda::ColumnChunks& of, const Product<double, double>& p, const Scratch& s,
                                const char* what) {
    try {
      Cuda::column_chunks_spmm(nullptr, A, of, p, s);
      ADD_FAILURE() << "no error: " << what;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  auto two_columns = product;
  two_columns.x.columns = two_columns.y.columns = 2;
  expect_error(chunks, two_columns, scratch, "X has 2 columns");
  auto short_y = product;
  short_y.y.rows = 1;
  expect_error(chunks, short_y, scratch, "Y is 1 x 1");
  auto unbuilt = chunks;
  unbuilt.first_blocks = nullptr;
  expect_error(unbuilt, product, scratch, "not built");
  auto other = chunks;
  other.entries.rows = 5;
  expect_error(other, product, scratch, "5 x 3");
  expect_error(chunks, product, {memory, 15}, "16 bytes");
  expect_error(chunks, product, {memory + 1, 31}, "16 bytes");
}

}  // namespace
}  // namespace Tessera::Impl::Test
