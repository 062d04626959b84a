// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <tuple>

#include "SortedColumnsPicture.hpp"
#include "SortedColumnsProblem.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;

template <class Scalar>
constexpr Precision precision_of = std::is_same_v<Scalar, double> ? Precision::Native : Precision::Single;

template <class Offset, class Scalar>
void check_case(const HostMatrix& A, const SortedColumnsCase& c) {
  if (!is_chosen(31)) return;
  SCOPED_TRACE(describe(A, c));
  const auto x = random_values<Scalar>(extent(c, A.columns), 1);
  auto y = random_values<Scalar>(extent(c, A.rows), 2);
  if (c.beta == 0) std::fill(y.begin(), y.end(), static_cast<Scalar>(quiet_nan));
  std::vector<Scalar> result = y;
  device_product<Offset>(A, c, x, result);
  expect_right<Scalar>(A, c, x, y, result);
}

/// With the numbers of products, and in slabs of few columns.
template <class Scalar, class Visit>
void for_each_way(const Visit& visit) {
  for (const int slab : {0, 8, 20}) {
    SortedColumnsCase c;
    c.precision = precision_of<Scalar>;
    c.slab_columns = slab;
    visit(c);
  }
}

TEST(SortedColumnsSpmm, HostBuildIsThePicture) {
  // Row by row, as in Csr.hpp: the columns, and letters as values.
  const std::vector<std::vector<int>> rows = {{0, 1}, {0, 1, 9}, {},  {0, 2}, {5, 15}, {5, 6}, {5, 9, 13}, {12},
                                              {8, 9}, {8, 9},    {1}, {8, 9}, {12},    {13},   {},         {12, 13}};
  HostMatrix A{16, 16, {0}, {}, {}};
  for (const auto& row : rows) {
    for (const int column : row) {
      A.column_indices.push_back(column);
      A.values.push_back(static_cast<double>(A.values.size()) + 1);
    }
    A.row_offsets.push_back(static_cast<int>(A.values.size()));
  }
  const SortedColumnsPicture picture;
  const Bench::HostSortedColumns B = Bench::build_sorted_columns(A, 4, 2);
  EXPECT_EQ(B.column_order, picture.column_order);
  EXPECT_EQ(B.block_offsets, picture.block_offsets);
  EXPECT_EQ(B.block_positions, picture.block_positions);
  EXPECT_EQ(B.row_indices, picture.row_indices);
  EXPECT_EQ(B.position_indices, picture.position_indices);
  EXPECT_EQ(B.segment_lengths, picture.segment_lengths);
  EXPECT_EQ(B.piece_offsets, picture.piece_offsets);
  EXPECT_EQ(B.piece_columns, picture.piece_columns);
  std::string letters;
  for (const double value : B.values) letters += static_cast<char>('a' + static_cast<int>(value) - 1);
  EXPECT_EQ(letters, picture.values);
}

template <class Offset, class Scalar>
void check_shapes() {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_way<Scalar>([](SortedColumnsCase c) {
    for (const int rows : {0, 1, 7, 8, 9, 31, 32, 33, 100}) {
      for (const int columns : {0, 1, 31, 32, 33, 300}) {
        check_case<Offset, Scalar>(random_matrix(rows, columns, 20, 7), c);
      }
    }
    const HostMatrix A = random_matrix(61, 203, 30, 8);
    for (const int columns : {1, 2, 3, 4, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200}) {
      c.columns = columns;
      check_case<Offset, Scalar>(A, c);
    }
    for (const int width : {1, 3, 4, 32, 100, 300}) {
      for (const int height : {1, 2, 5, 32}) {
        for (const int steps : {1, 5, 8, 64}) {
          if (steps * width > Cuda::sorted_columns_most_elements) continue;
          c.columns = 12;
          c.width = width;
          c.height = height;
          c.group_steps = steps;
          check_case<Offset, Scalar>(A, c);
        }
      }
    }
  });
}

TEST(SortedColumnsSpmm, Double) { check_shapes<int, double>(); }
TEST(SortedColumnsSpmm, Float) { check_shapes<int, float>(); }
TEST(SortedColumnsSpmm, DoubleLongOffsets) { check_shapes<std::size_t, double>(); }

template <class Scalar>
void check_layouts() {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_way<Scalar>([](SortedColumnsCase c) {
    const HostMatrix A = random_matrix(61, 203, 30, 8);
    for (int variant = 0; variant < 32; ++variant) {
      c.columns = 36;
      c.left_layout = (variant & 1) != 0;
      c.misalignment = (variant & 2) != 0 ? 1 : 0;
      c.padding = (variant & 4) != 0 ? 3 : (variant & 8) != 0 ? 4 : 0;
      c.beta = (variant & 16) != 0 ? 0 : 0.5;
      check_case<int, Scalar>(A, c);
    }
  });
}

TEST(SortedColumnsSpmm, LayoutsDouble) { check_layouts<double>(); }
TEST(SortedColumnsSpmm, LayoutsFloat) { check_layouts<float>(); }

/// Rows are aligned, and end within 16 bytes that are not all theirs.
template <class Scalar>
void check_row_ends() {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_way<Scalar>([](SortedColumnsCase c) {
    const HostMatrix A = random_matrix(9, 20, 5, 8);
    c.columns = 33;
    c.padding = 3;
    const auto x = random_values<Scalar>(extent(c, A.columns), 1);
    const auto y = random_values<Scalar>(extent(c, A.rows), 2);
    std::vector<Scalar> result = y;
    device_product<int>(A, c, x, result);
    expect_right<Scalar>(A, c, x, y, result);
  });
}

TEST(SortedColumnsSpmm, RowEndsDouble) { check_row_ends<double>(); }
TEST(SortedColumnsSpmm, RowEndsFloat) { check_row_ends<float>(); }

/// Rows with more slots than some lanes sum, up to as many as there are columns.
template <class Scalar>
void check_long_rows() {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_way<Scalar>([](SortedColumnsCase c) {
    c.width = 4;
    c.height = 1;
    c.group_steps = 1;
    for (const int columns : {4 * 63, 4 * 64, 4 * 65, 400}) {
      for (const int n : {3, 36}) {
        for (const bool left : {false, true}) {
          c.columns = n;
          c.left_layout = left;
          check_case<int, Scalar>(random_matrix(21, columns, 40, 9), c);
        }
      }
    }
  });
}

TEST(SortedColumnsSpmm, LongRowsDouble) { check_long_rows<double>(); }
TEST(SortedColumnsSpmm, LongRowsFloat) { check_long_rows<float>(); }

// An infinity or a NaN reaches the rows that touch it, and no others.
template <class Scalar>
void check_nonfinite() {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_way<Scalar>([](SortedColumnsCase c) {
    const HostMatrix A = random_matrix(61, 203, 6, 10);
    c.columns = 35;
    for (const double bad : {infinity, -infinity, quiet_nan}) {
      for (const int row : {0, 1, 100, 202}) {
        if (!is_chosen(7)) continue;
        auto x = random_values<Scalar>(extent(c, A.columns), 3);
        for (const int j : {0, 1, 17, 34}) x[place(c, A.columns, row, j)] = static_cast<Scalar>(bad);
        const auto y = random_values<Scalar>(extent(c, A.rows), 4);
        std::vector<Scalar> result = y;
        device_product<int>(A, c, x, result);
        expect_right<Scalar>(A, c, x, y, result);
      }
    }
  });
}

TEST(SortedColumnsSpmm, NonFiniteDouble) { check_nonfinite<double>(); }
TEST(SortedColumnsSpmm, NonFiniteFloat) { check_nonfinite<float>(); }

template <class Scalar>
int different(const HostMatrix& A, const SortedColumnsCase& c, const std::vector<Scalar>& all,
              const SortedColumnsCase& part, const std::vector<Scalar>& some, int first) {
  int count = 0;
  for (int i = 0; i < A.rows; ++i) {
    for (int j = 0; j < part.columns; ++j) {
      const Scalar one = some[place(part, A.rows, i, j)], other = all[place(c, A.rows, i, first + j)];
      count += std::memcmp(&one, &other, sizeof one) != 0 && !(std::isnan(one) && std::isnan(other));
    }
  }
  return count;
}

// The bits of a column depend neither on the columns beside it, which may hold what is not finite, nor on its place,
// its layout, the slab, nor on the run.
template <class Scalar>
void check_columns(SortedColumnsCase c) {
  const HostMatrix A = random_matrix(41, 403, 60, 11);
  c.precision = precision_of<Scalar>;
  c.columns = 100;
  auto x = random_values<Scalar>(extent(c, A.columns), 5);
  x[place(c, A.columns, 200, 3)] = static_cast<Scalar>(quiet_nan);
  for (const int j : {20, 69, 98}) x[place(c, A.columns, 5, j)] = static_cast<Scalar>(infinity);
  const std::vector<Scalar> y = random_values<Scalar>(extent(c, A.rows), 6);
  std::vector<Scalar> all = y, again = y;
  device_product<int>(A, c, x, all);
  device_product<int>(A, c, x, again);
  EXPECT_EQ(std::memcmp(all.data(), again.data(), all.size() * sizeof(Scalar)), 0) << "run to run";
  for (const auto& [first, count, slab] : {std::tuple{0, 1, 0}, {1, 32, 0}, {5, 7, 4}, {68, 32, 0}, {96, 4, 4}}) {
    SortedColumnsCase part = c;
    part.columns = count;
    part.slab_columns = slab;
    part.left_layout = slab != 0;
    std::vector<Scalar> part_x(extent(part, A.columns)), part_y(extent(part, A.rows));
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < A.rows; ++i) part_y[place(part, A.rows, i, j)] = y[place(c, A.rows, i, first + j)];
      for (int i = 0; i < A.columns; ++i) {
        part_x[place(part, A.columns, i, j)] = x[place(c, A.columns, i, first + j)];
      }
    }
    device_product<int>(A, part, part_x, part_y);
    EXPECT_EQ(different(A, c, all, part, part_y, first), 0) << "of columns " << first << " to " << first + count;
  }
}

// In few slots a row, and in so many that a block of threads sums them.
template <class Scalar>
void check_columns() {
  TESSERA_SKIP_WITHOUT_GPU();
  SortedColumnsCase c;
  check_columns<Scalar>(c);
  c.width = 4;
  c.height = 1;
  c.group_steps = 1;
  check_columns<Scalar>(c);
}

TEST(SortedColumnsSpmm, ColumnsDouble) { check_columns<double>(); }
TEST(SortedColumnsSpmm, ColumnsFloat) { check_columns<float>(); }

TEST(SortedColumnsSpmm, SlabsFitTheirMemory) {
  Cuda::SortedColumnsSchedule<std::size_t> schedule;
  const auto slab = [&](std::size_t slots, int N) {
    schedule.slot_count = slots;
    return Cuda::sorted_columns_slab<std::size_t, double>(schedule, N);
  };
  constexpr std::size_t most = std::size_t(1) << 28;  // doubles in 2 GiB
  EXPECT_EQ(slab(0, 1000), 1000);
  EXPECT_EQ(slab(10, 0), 1);
  EXPECT_EQ(slab(most / 32, 101), 32);
  EXPECT_EQ(slab(most / 100, 100), 100);
  EXPECT_EQ(slab(most / 100, 101), 64);
  EXPECT_EQ(slab(most / 100, 1000), 96);
  EXPECT_EQ(slab(most / 31, 101), 16);
  EXPECT_EQ(slab(most, 101), 2);
}

TEST(SortedColumnsSpmm, RefusesWhatItCannotDo) {
  const SortedColumnsPicture picture;
  const auto host_schedule = Cuda::build_sorted_columns_schedule(picture.view(), 3);
  const SortedColumnsPattern<int> A = picture.view();
  Cuda::SortedColumnsSchedule<int> schedule = host_schedule.view();
  Product<float, float> product;
  product.x.rows = product.y.rows = 16;
  product.x.columns = product.y.columns = 4;
  const auto run = [&](Precision precision) {
    Cuda::sorted_columns_spmm(nullptr, A, precision, schedule, product, {});
  };
  EXPECT_THROW(run(Precision::Tf32), std::invalid_argument);
  EXPECT_THROW(run(Precision::Single), std::invalid_argument) << "no workspace";
  const int order = 0;
  product.y_rows = &order;
  EXPECT_THROW(run(Precision::Single), std::invalid_argument);
  product.y_rows = nullptr;
  product.x_rows = &order;
  EXPECT_THROW(run(Precision::Single), std::invalid_argument);
  product.x_rows = nullptr;
  product.x.rows = 15;
  EXPECT_THROW(run(Precision::Single), std::invalid_argument);
  product.x.rows = 16;
  schedule.places = nullptr;  // which groups of 3 steps need
  EXPECT_THROW(run(Precision::Single), std::invalid_argument);
}

}  // namespace
