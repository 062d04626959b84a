// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "SpmmConformance.hpp"
#include "csr/chunked/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

struct ChunkedCase : ProductCase {
  int chunk_rows = 64;          // upper bound on the rows of X in a chunk
  int multiprocessors = 1;      // multiprocessors that share the work
  std::size_t values_from = 0;  // offset of the values, in elements, from a multiple of 256 bytes

  std::string text() const {
    return ", chunks of up to " + std::to_string(chunk_rows) + " rows, " + std::to_string(multiprocessors) +
           " multiprocessors, values from " + std::to_string(values_from);
  }
};

/// Returns the rows of A by decreasing length.
std::vector<int> rows_by_length(const std::vector<Offset>& row_offsets) {
  std::vector<int> order(row_offsets.size() - 1);
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](int row) { return row_offsets[std::size_t(row) + 1] - row_offsets[std::size_t(row)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return length(a) > length(b); });
  return order;
}

template <class MatrixScalar, class Scalar>
class ChunkedMatrix {
 public:
  ChunkedMatrix(const HostMatrix& A, const ChunkedCase& c)
      : row_offsets_(std::vector<Offset>(A.row_offsets.begin(), A.row_offsets.end())),
        column_indices_(A.column_indices),
        values_(shifted(A.values, c.values_from)),
        values_from_(c.values_from),
        pattern_{A.rows, A.columns, row_offsets_.data(), column_indices_.data()},
        schedule_(
            Cuda::chunked_schedule(pattern_, A.nonzeros(), {c.multiprocessors, chunk_shared_bytes(c.chunk_rows)})),
        items_(std::vector<Cuda::ChunkedItem>(schedule_.item_count())) {
    const OnDevice<int> order(rows_by_length(A.row_offsets));
    Cuda::fill_chunked_items(nullptr, pattern_, schedule_, order.data(), items_.data());
    schedule_.items = items_.data();
  }

  const MatrixScalar* values() const { return values_.data() + values_from_; }
  std::size_t workspace_bytes(Precision, const Multivector<const Scalar>& x) const {
    return Cuda::chunked_workspace_bytes(schedule_, x);
  }
  void launch(const ChunkedCase&, const Product<MatrixScalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::chunked_spmm(nullptr, pattern_, schedule_, product, workspace);
  }
  std::vector<Cuda::ChunkedItem> items() const { return items_.to_host(); }
  const Cuda::ChunkedSchedule& schedule() const { return schedule_; }

 private:
  static std::vector<MatrixScalar> shifted(const std::vector<double>& values, std::size_t from) {
    std::vector<MatrixScalar> all(from);
    for (const double value : values) all.push_back(static_cast<MatrixScalar>(value));
    return all;
  }

  OnDevice<Offset> row_offsets_;
  OnDevice<int> column_indices_;
  OnDevice<MatrixScalar> values_;
  std::size_t values_from_;
  CsrPattern<Offset> pattern_;
  Cuda::ChunkedSchedule schedule_;
  OnDevice<Cuda::ChunkedItem> items_;
};

ChunkedCase chunked_case(int chunk_rows, int multiprocessors) {
  ChunkedCase c;
  c.chunk_rows = chunk_rows;
  c.multiprocessors = multiprocessors;
  return c;
}

/// Runs products with one block for all chunks, with one block per chunk (X with few columns), and with a single chunk.
struct ChunkedKernel : SpmmKernel<ChunkedCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = ChunkedMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {4, 64};
  static constexpr std::array widths = {64, 128};
  static constexpr int emulated_share = 7, emulated_columns_share = 1;

  static std::vector<Case> variants() { return {chunked_case(64, 2), chunked_case(150, 48), chunked_case(1000, 5)}; }
  static constexpr int switches = 2;
  static void set_switch(Case& c, int number) { c.values_from = number == 0 ? 0 : 3; }
  static std::vector<Case> long_cases(Case c) {
    std::vector<Case> cases;
    for (const int rows : {30, 350, 700}) {
      c.chunk_rows = rows;
      cases.push_back(c);
    }
    return cases;
  }
  static std::vector<Case> column_cases(const Case& c) { return {c}; }
};

template <Precision precision, class Scalar>
using ChunkedCell = SpmmCell<ChunkedKernel, precision, Scalar, Scalar>;
using ChunkedCells = ::testing::Types<ChunkedCell<Precision::Native, float>, ChunkedCell<Precision::Native, double>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Chunked, Spmm, ChunkedCells, SpmmCellNames);

/// Returns the sum of the entries of row i in a chunk, in the order that chunked_spmm() documents.
template <class Scalar>
Scalar serial_chunk_sum(const HostMatrix& A, const ChunkedCase& c, int first_column, int end_column, int i, int j,
                        const std::vector<Scalar>& x) {
  Scalar team[4] = {};
  int first = -1;
  for (int k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
    const int column = A.column_indices[k];
    if (column < first_column || column >= end_column) continue;
    if (first < 0) first = k;
    Scalar& sum = team[(k / 4 - first / 4) % 4];
    sum = std::fma(static_cast<Scalar>(A.values[k]), x[place(c, A.columns, column, j)], sum);
  }
  return (team[0] + team[1]) + (team[2] + team[3]);
}

template <class Scalar>
Scalar serial_element(const HostMatrix& A, const ChunkedCase& c, const Chunks& chunks, int i, int j,
                      const std::vector<Scalar>& x, Scalar y) {
  Scalar sum = serial_chunk_sum(A, c, 0, chunks.rows, i, j, x);
  for (int chunk = 1; chunk < chunks.count; ++chunk)
    sum += serial_chunk_sum(A, c, chunk * chunks.rows, (chunk + 1) * chunks.rows, i, j, x);
  const Scalar scaled = static_cast<Scalar>(c.alpha) * sum;
  return c.beta == 0 ? scaled : std::fma(static_cast<Scalar>(c.beta), y, scaled);
}

template <class Cell>
void expect_serial_bits(const HostMatrix& A, const ChunkedCase& c) {
  using Scalar = typename Cell::Scalar;
  SCOPED_TRACE(describe(A, c));
  const typename Cell::Matrix matrix(A, c);
  const auto x = random_values<Scalar>(extent(c, A.columns), 1), y = random_values<Scalar>(extent(c, A.rows), 2);
  auto result = y;
  multiply(matrix, A, c, x, result);
  int different = 0;
  for (int i = 0; i < A.rows; ++i) {
    for (int j = 0; j < c.columns; ++j) {
      const std::size_t at = place(c, A.rows, i, j);
      different += result[at] != serial_element(A, c, matrix.schedule().chunks, i, j, x, y[at]);
    }
  }
  EXPECT_EQ(different, 0) << "elements";
}

/// Sums have the promised bits for any number of blocks that share the work: one block for all chunks, one block per
/// chunk, more parts than rows, a slab of few columns.
TEST(ChunkedSpmm, SumsAreInOrder) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(61, 403, 250, 12);
  for (const auto& [chunk_rows, multiprocessors, columns, layout, from] :
       {std::tuple{150, 1, 32, 0, 0}, std::tuple{150, 24, 32, 0, 0}, std::tuple{150, 24, 33, 1, 1},
        std::tuple{150, 48, 64, 0, 2}, std::tuple{150, 200, 4, 0, 0}, std::tuple{403, 3, 1, 0, 3},
        std::tuple{101, 4, 70, 32, 0}, std::tuple{30, 20, 5, 1, 0}}) {
    ChunkedCase c = chunked_case(chunk_rows, multiprocessors);
    c.columns = columns;
    c.values_from = static_cast<std::size_t>(from);
    set_layout(c, layout);
    expect_serial_bits<ChunkedCell<Precision::Native, float>>(A, c);
    expect_serial_bits<ChunkedCell<Precision::Native, double>>(A, c);
  }
}

TEST(ChunkedSpmm, BlocksForEachChunkWhereThereAreFewPairsOfSlabAndChunk) {
  const ChunkedProblem p{4267, 4267, 2.14e6, 128, 4};
  ChunkedBlocks blocks = choose_chunked_blocks(p, 3, 132);
  EXPECT_EQ(blocks.slabs, 4);
  EXPECT_TRUE(blocks.are_split);
  EXPECT_EQ(blocks.parts, 11);
  ChunkedProblem wide = p;
  wide.vector_columns = 512;
  blocks = choose_chunked_blocks(wide, 3, 132);
  EXPECT_FALSE(blocks.are_split);
  EXPECT_EQ(blocks.parts, 8);
  EXPECT_FALSE(choose_chunked_blocks(p, 1, 132).are_split) << "nothing to add";
  wide.vector_columns = 96 * 32;  // 96 slabs: one wave would leave 36 of 132 multiprocessors idle
  EXPECT_GT(choose_chunked_blocks(wide, 3, 132).parts, 1);
}

TEST(ChunkedSpmm, ScratchNeverShrinksForMoreColumns) {
  Cuda::ChunkedSchedule schedule;
  schedule.rows = 1000;
  schedule.chunks = {100, 3};
  schedule.multiprocessors = 132;
  std::size_t before = 0;
  for (int columns = 1; columns < 700; ++columns) {
    const Multivector<const float> x{nullptr, 300, columns, 1, 300};
    const std::size_t bytes = Cuda::chunked_workspace_bytes(schedule, x);
    EXPECT_GE(bytes, before) << columns;
    before = bytes;
  }
}

/// Items contain all entries of a row, chunk by chunk, the longest rows first.
TEST(ChunkedSpmm, ItemsHaveTheEntriesOfEachChunk) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(50, 203, 60, 13);
  for (const int chunk_rows : {1, 64, 102, 203, 500}) {
    const ChunkedMatrix<float, float> matrix(A, chunked_case(chunk_rows, 1));
    const Chunks chunks = matrix.schedule().chunks;
    ASSERT_LE(chunks.rows, chunk_rows);
    ASSERT_GE(chunks.rows * chunks.count, A.columns);
    const auto items = matrix.items();
    ASSERT_EQ(items.size(), std::size_t(A.rows * chunks.count));
    const std::vector<int> order = rows_by_length(A.row_offsets);
    for (int chunk = 0; chunk < chunks.count; ++chunk) {
      for (int place = 0; place < A.rows; ++place) {
        const Cuda::ChunkedItem& item = items[std::size_t(chunk * A.rows + place)];
        EXPECT_EQ(item.row, order[std::size_t(place)]);
        const auto begin = A.column_indices.begin() + A.row_offsets[item.row],
                   end = A.column_indices.begin() + A.row_offsets[item.row + 1];
        const auto first = std::lower_bound(begin, end, chunk * chunks.rows),
                   behind = std::lower_bound(begin, end, (chunk + 1) * chunks.rows);
        EXPECT_EQ(item.first, std::size_t(first - A.column_indices.begin()));
        EXPECT_EQ(item.length, std::size_t(behind - first));
      }
    }
  }
}

/// The end of the last chunk is 2^31, one more than an int holds.
TEST(ChunkedSpmm, TheLastChunkOfTheMostColumns) {
  TESSERA_SKIP_WITHOUT_GPU();
  HostMatrix A;
  A.columns = std::numeric_limits<int>::max();
  A.column_indices = {5, A.columns - 1};
  A.end_row();
  A.values = {1, 2};
  const ChunkedMatrix<float, float> matrix(A, chunked_case(1 << 20, 1));
  const Chunks chunks = matrix.schedule().chunks;
  ASSERT_EQ(std::int64_t(chunks.rows) * chunks.count, std::int64_t(1) << 31);
  const auto items = matrix.items();
  EXPECT_EQ(items.front().length, 1u);
  EXPECT_EQ(items.back().first, 1u);
  EXPECT_EQ(items.back().length, 1u);
}

TEST(ChunkedSpmm, RowsAreNumberedByLength) {
  TESSERA_SKIP_WITHOUT_GPU();
  const OnDevice<int> offsets(std::vector<int>{0, 5, 5, 9});
  const OnDevice<std::uint64_t> keys(std::vector<std::uint64_t>(3));
  const OnDevice<int> order(std::vector<int>(3));
  Cuda::number_rows_by_length(nullptr, CsrPattern<int>{3, 12, offsets.data(), nullptr}, keys.data(), order.data());
  EXPECT_EQ(keys.to_host(), (std::vector<std::uint64_t>{7, 12, 8}));
  EXPECT_EQ(order.to_host(), (std::vector<int>{0, 1, 2}));
}

/// Rows of X that no row of A needs are infinite. So are rows of X for entries of other rows in the same quad.
TEST(ChunkedSpmm, NeighboursInAQuadAreNotMultiplied) {
  TESSERA_SKIP_WITHOUT_GPU();
  HostMatrix A;
  A.columns = 90;
  for (int row = 0; row < 40; ++row) {
    for (int k = 0; k < row % 7; ++k) A.column_indices.push_back((row % 3) * 30 + 3 * k + 1);
    A.end_row();
  }
  A.values = random_values<double>(A.nonzeros(), 4);
  ChunkedCase c = chunked_case(30, 30);
  for (const int columns : {3, 40}) {
    c.columns = columns;
    auto x = random_values<double>(extent(c, A.columns), 5);
    for (int row = 0; row < A.columns; ++row) {
      if (row % 3 != 1)
        for (int j = 0; j < columns; ++j) x[place(c, A.columns, row, j)] = row % 2 == 0 ? infinity : quiet_nan;
    }
    for (int j = 0; j < columns; ++j) x[place(c, A.columns, 1, j)] = infinity;  // column 1, which some rows need
    check_product<ChunkedCell<Precision::Native, double>>(A, c, x);
  }
}

TEST(ChunkedSpmm, RejectsWhatItCannotDo) {
  CsrPattern<int> A;
  Cuda::ChunkedSchedule schedule = Cuda::chunked_schedule(A, 0, {});
  EXPECT_NO_THROW(Cuda::chunked_spmm(nullptr, A, schedule, Product<float, float>{}, {}));
  EXPECT_THROW(Cuda::chunked_spmm(nullptr, A, schedule, product_with_x_rows<float>(), {}), std::invalid_argument);
  A.rows = 1;
  EXPECT_THROW(Cuda::chunked_spmm(nullptr, A, schedule, Product<float, float>{}, {}), std::invalid_argument);
  Product<double, double> product;
  product.y.rows = 1;
  EXPECT_THROW(Cuda::chunked_spmm(nullptr, A, schedule, product, {}), std::invalid_argument) << "of other extents";
  schedule = Cuda::chunked_schedule(A, 0, {132, 100});
  EXPECT_THROW(Cuda::chunked_spmm(nullptr, A, schedule, product, {}), std::invalid_argument) << "no shared memory";
  A.columns = product.x.rows = 300;
  product.x.columns = product.y.columns = 4;
  product.x.row_stride = product.y.row_stride = 4;
  product.x.column_stride = product.y.column_stride = 1;
  schedule = Cuda::chunked_schedule(A, 0, {132, chunk_shared_bytes(100)});
  EXPECT_EQ(schedule.chunks.count, 3);
  EXPECT_THROW(Cuda::chunked_spmm(nullptr, A, schedule, product, {}), std::invalid_argument) << "no workspace";
}

}  // namespace
}  // namespace Tessera::Impl::Test
