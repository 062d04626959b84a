// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "StagedProblem.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;

/// bad: an element of X, in row 5 of those that a case has, or 0 for a random one.
void check_case(const HostMatrix& A, const ProductCase& c, double bad = 0) {
  SCOPED_TRACE(describe(A, c));
  auto x = random_values<double>(extent(c, A.columns), 1);
  if (bad != 0) x[place(c, A.columns, 5, c.columns - 1)] = bad;
  auto y = random_values<double>(extent(c, A.rows), 2);
  if (c.beta == 0) std::fill(y.begin(), y.end(), quiet_nan);
  std::vector<double> result = y;
  staged_product(A, c, x, result);
  expect_right<double>(A, c, x, y, result);
}

TEST(StagedSpmm, Widths) {
  TESSERA_SKIP_WITHOUT_GPU();
  // The last row touches every column, so that windows have several chunks, and tiles that look back.
  const HostMatrix A = random_matrix(141, 300, 12, 8);
  for (const int columns : {1, 31, 33, 64}) {
    for (const double beta : {0.0, 0.5}) check_case(A, {.columns = columns, .beta = beta});
  }
}

TEST(StagedSpmm, Shapes) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int rows : {0, 1, 63, 64, 65, 129}) {
    for (const int columns : {0, 1, 8, 63, 64, 65, 200}) check_case(random_matrix(rows, columns, 5, 7), {.columns = 5});
  }
}

TEST(StagedSpmm, LayoutsAndAlignment) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(70, 150, 10, 9);
  for (int variant = 0; variant < 32; ++variant) {
    ProductCase c = {.columns = 36};
    c.left_layout = (variant & 1) != 0;
    c.scatter = (variant & 2) != 0;
    c.misalignment = (variant & 4) != 0 ? 1 : 0;
    c.padding = (variant & 8) != 0 ? 3 : 0;
    c.beta = (variant & 16) != 0 ? 0 : 0.5;
    check_case(A, c);
  }
}

TEST(StagedSpmm, Pieces) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(130, 700, 60, 10);
  for (const int chunks : {1, 2, 3, 50}) {
    check_case(A, {.piece_tiles = chunks, .columns = 35, .scatter = chunks == 2});
  }
}

// An infinity or a NaN reaches the rows that touch it, and no others.
TEST(StagedSpmm, NonFinite) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(100, 203, 6, 10);
  for (const int chunks : {1, 50}) {
    for (const double bad : {infinity, -infinity, quiet_nan}) {
      check_case(A, {.piece_tiles = chunks, .columns = 33}, bad);
    }
  }
}

// The bits of a column depend neither on the columns beside it, nor on alignment, nor on the run.
TEST(StagedSpmm, ColumnsAloneAndTogetherHaveTheSameBits) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(100, 300, 40, 11);
  const ProductCase all = {.piece_tiles = 2, .columns = 40, .beta = 0};
  const auto x = random_values<double>(extent(all, A.columns), 5);
  std::vector<double> together(extent(all, A.rows)), again(together.size());
  staged_product(A, all, x, together);
  staged_product(A, all, x, again);
  EXPECT_EQ(std::memcmp(together.data(), again.data(), again.size() * sizeof(double)), 0) << "two runs differ";
  for (const int j : {0, 7, 33}) {
    const ProductCase one = {.piece_tiles = 2, .columns = 1, .misalignment = j % 2, .beta = 0};
    std::vector<double> one_x(extent(one, A.columns)), one_y(extent(one, A.rows));
    for (int i = 0; i < A.columns; ++i) one_x[place(one, A.columns, i, 0)] = x[place(all, A.columns, i, j)];
    staged_product(A, one, one_x, one_y);
    int different = 0;
    for (int i = 0; i < A.rows; ++i) {
      different += one_y[place(one, A.rows, i, 0)] != together[place(all, A.rows, i, j)];
    }
    EXPECT_EQ(different, 0) << "of column " << j;
  }
}

TEST(StagedSpmm, RowsOfXFarApart) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(70, 1, 1, 12);
  check_case(A, {.columns = 5, .x_row_stride = far_apart});
}

// With chunks of more or fewer values, and thus other shared memory, in turns.
TEST(StagedSpmm, ChunksThatDifferInTurns) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix few = random_matrix(64, 10, 1, 13), many = random_matrix(64, 200, 100, 14);
  for (const HostMatrix* A : {&few, &many, &few, &many}) check_case(*A, {.columns = 33});
}

#ifdef TESSERA_CUDA_EMULATED
TEST(StagedSpmm, ASecondProductOnlyLaunches) {
  const HostMatrix A = random_matrix(70, 200, 20, 15);
  check_case(A, {.columns = 33});
  const int asked = Emulation::Runtime::instance().questions();
  EXPECT_GT(asked, 0);
  check_case(A, {.columns = 33});
  EXPECT_EQ(Emulation::Runtime::instance().questions(), asked);
}
#endif

TEST(StagedSpmm, RefusesWhatItCannotDo) {
  StagedPattern A;
  const Cuda::CondensedSchedule<int> schedule;
  EXPECT_THROW(Cuda::staged_spmm(nullptr, A, Precision::Tf32, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
  EXPECT_THROW(Cuda::staged_spmm(nullptr, A, Precision::Native, schedule, product_with_x_rows<double>(), {}),
               std::invalid_argument);
  A.strip_blocks = 3;
  EXPECT_THROW(Cuda::staged_spmm(nullptr, A, Precision::Native, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
}

}  // namespace
