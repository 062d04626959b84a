// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "CondensedProblem.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;
using Cuda::TileValues;

template <class Offset, class MatrixScalar, class Scalar>
void check_case(const HostMatrix& A, const ProductCase& c) {
  if (!is_chosen(13)) return;
  SCOPED_TRACE(describe(A, c));
  const auto x = random_values<Scalar>(extent(c, A.columns), 1);
  auto y = random_values<Scalar>(extent(c, A.rows), 2);
  if (c.beta == 0) std::fill(y.begin(), y.end(), static_cast<Scalar>(quiet_nan));
  std::vector<Scalar> result = y;
  device_product<Offset, MatrixScalar>(A, c, x, result);
  expect_right<MatrixScalar>(A, c, x, y, result);
}

template <class Visit>
void for_each_storage(Precision precision, const Visit& visit) {
  for (const int strips : {1, 2}) {
    for (const auto values : {TileValues::Dense, TileValues::Compact}) {
      ProductCase c;
      c.strips = strips;
      c.values = values;
      c.precision = precision;
      visit(c);
    }
  }
}

template <class Offset, class MatrixScalar, class Scalar>
void check_shapes(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_storage(precision, [](ProductCase c) {
    for (const int rows : {0, 1, 7, 8, 9, 15, 16, 17, 100}) {
      for (const int columns : {0, 1, 7, 8, 9, 300}) {
        check_case<Offset, MatrixScalar, Scalar>(random_matrix(rows, columns, 20, 7), c);
      }
    }
    const HostMatrix A = random_matrix(61, 203, 30, 8);
    for (const int columns : {1, 2, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 200}) {
      c.columns = columns;
      check_case<Offset, MatrixScalar, Scalar>(A, c);
    }
    for (int variant = 0; variant < 64; ++variant) {
      c.columns = 36;
      c.left_layout = (variant & 1) != 0;
      c.scatter = (variant & 2) != 0;
      c.misalignment = (variant & 4) != 0 ? 1 : 0;
      c.padding = (variant & 8) != 0 ? 3 : (variant & 16) != 0 ? 4 : 0;
      c.beta = (variant & 32) != 0 ? 0 : 0.5;
      check_case<Offset, MatrixScalar, Scalar>(A, c);
    }
  });
}

TEST(CondensedSpmm, Double) { check_shapes<int, double, double>(Precision::Native); }
TEST(CondensedSpmm, DoubleLongOffsets) { check_shapes<std::size_t, double, double>(Precision::Native); }
TEST(CondensedSpmm, Tf32x3) { check_shapes<int, float, float>(Precision::Tf32x3); }
TEST(CondensedSpmm, Tf32) { check_shapes<int, float, float>(Precision::Tf32); }
TEST(CondensedSpmm, Bf16) { check_shapes<int, float, float>(Precision::Bf16); }
TEST(CondensedSpmm, Fp16OfDoubles) { check_shapes<int, double, double>(Precision::Fp16); }
TEST(CondensedSpmm, Fp16FloatMatrixOfDoubles) { check_shapes<int, float, double>(Precision::Fp16); }

template <class Scalar>
void check_pieces(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_storage(precision, [](ProductCase c) {
    for (const int columns : {8 * 15, 8 * 16, 8 * 16 + 1, 8 * 32, 8 * 33, 20000}) {
      c.piece_tiles = 16;
      for (const int n : {3, 32, 70}) {
        c.columns = n;
        check_case<int, Scalar, Scalar>(random_matrix(21, columns, 40, 9), c);
      }
    }
  });
}

TEST(CondensedSpmm, PiecesDouble) { check_pieces<double>(Precision::Native); }
TEST(CondensedSpmm, PiecesBf16) { check_pieces<double>(Precision::Bf16); }
TEST(CondensedSpmm, PiecesTf32x3) { check_pieces<float>(Precision::Tf32x3); }

// An infinity or a NaN reaches the rows that touch it, and no others.
template <class Scalar>
void check_nonfinite(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_storage(precision, [](ProductCase c) {
    const HostMatrix A = random_matrix(61, 203, 6, 10);
    c.piece_tiles = 4;
    c.columns = 35;
    for (const double bad : {infinity, -infinity, quiet_nan}) {
      for (const int row : {0, 1, 100, 202}) {
        auto x = random_values<Scalar>(extent(c, A.columns), 3);
        for (const int j : {0, 1, 17, 34}) x[place(c, A.columns, row, j)] = static_cast<Scalar>(bad);
        const auto y = random_values<Scalar>(extent(c, A.rows), 4);
        std::vector<Scalar> result = y;
        device_product<int, Scalar>(A, c, x, result);
        expect_right<Scalar>(A, c, x, y, result);
      }
    }
  });
}

TEST(CondensedSpmm, NonFiniteDouble) { check_nonfinite<double>(Precision::Native); }
TEST(CondensedSpmm, NonFiniteTf32x3) { check_nonfinite<float>(Precision::Tf32x3); }
TEST(CondensedSpmm, NonFiniteFp16) { check_nonfinite<float>(Precision::Fp16); }
TEST(CondensedSpmm, NonFiniteTf32) { check_nonfinite<float>(Precision::Tf32); }

// The bits of a column depend neither on the columns beside it, which may hold what is not finite, nor on its place,
// nor on the run.
template <class Scalar>
void check_columns(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_storage(precision, [](ProductCase c) {
    if (!is_chosen(3)) return;
    const HostMatrix A = random_matrix(61, 2003, 300, 11);
    c.columns = 100;
    c.piece_tiles = 16;
    auto x = random_values<Scalar>(extent(c, A.columns), 5);
    x[place(c, A.columns, 1000, 3)] = static_cast<Scalar>(quiet_nan);
    for (const int j : {20, 69, 98}) x[place(c, A.columns, 5, j)] = static_cast<Scalar>(infinity);
    const std::vector<Scalar> y = random_values<Scalar>(extent(c, A.rows), 6);
    std::vector<Scalar> all = y, again = y;
    device_product<int, Scalar>(A, c, x, all);
    device_product<int, Scalar>(A, c, x, again);
    EXPECT_EQ(std::memcmp(all.data(), again.data(), all.size() * sizeof(Scalar)), 0) << "run to run";
    for (const auto& [first, count] : {std::pair{0, 1}, {1, 32}, {5, 7}, {68, 32}, {96, 4}, {97, 3}}) {
      ProductCase part = c;
      part.columns = count;
      std::vector<Scalar> part_x(extent(part, A.columns)), part_y(extent(part, A.rows));
      for (int i = 0; i < A.rows; ++i) {
        for (int j = 0; j < count; ++j) part_y[place(part, 0, i, j)] = y[place(c, 0, i, first + j)];
      }
      for (int i = 0; i < A.columns; ++i) {
        for (int j = 0; j < count; ++j) part_x[place(part, 0, i, j)] = x[place(c, 0, i, first + j)];
      }
      device_product<int, Scalar>(A, part, part_x, part_y);
      int different = 0;
      for (int i = 0; i < A.rows; ++i) {
        for (int j = 0; j < count; ++j) {
          const Scalar one = part_y[place(part, 0, i, j)], other = all[place(c, 0, i, first + j)];
          different += std::memcmp(&one, &other, sizeof one) != 0 && !(std::isnan(one) && std::isnan(other));
        }
      }
      EXPECT_EQ(different, 0) << "of columns " << first << " to " << first + count;
    }
  });
}

TEST(CondensedSpmm, ColumnsDouble) { check_columns<double>(Precision::Native); }
TEST(CondensedSpmm, ColumnsBf16) { check_columns<float>(Precision::Bf16); }
TEST(CondensedSpmm, ColumnsTf32x3) { check_columns<float>(Precision::Tf32x3); }

// What is too large for FP16, but not for FP32, comes out right.
TEST(CondensedSpmm, Fp16Overflow) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_storage(Precision::Fp16, [](ProductCase c) {
    const HostMatrix A = random_matrix(61, 203, 6, 12);
    c.columns = 20;
    auto x = random_values<float>(extent(c, A.columns), 7);
    for (int i = 0; i < A.columns; i += 3) x[place(c, A.columns, i, 11)] = 1e6f;
    const auto y = random_values<float>(extent(c, A.rows), 8);
    std::vector<float> result = y;
    device_product<int, float>(A, c, x, result);
    expect_right<float>(A, c, x, y, result);
  });
}

TEST(CondensedSpmm, RowsOfXFarApart) {
  TESSERA_SKIP_WITHOUT_GPU();
  ProductCase c;
  c.columns = 36;
  c.x_row_stride = far_apart;
  check_case<int, double, double>(random_matrix(50, 1, 1, 12), c);
}

TEST(CondensedSpmm, RefusesWhatItCannotDo) {
  EXPECT_THROW(Cuda::build_condensed_schedule<int>(nullptr, 0, 0), std::invalid_argument);
  const Cuda::CondensedPattern<int> A;
  const Cuda::CondensedSchedule<int> schedule;
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Native, schedule, Product<float, float>{}, {}),
      std::invalid_argument);
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Tf32, schedule, Product<double, double>{}, {}),
      std::invalid_argument);
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Native, schedule, Product<float, double>{}, {}),
      std::invalid_argument);
  EXPECT_THROW(
      Cuda::condensed_spmm(nullptr, A, TileValues::Dense, Precision::Tf32, schedule, product_with_x_rows<float>(), {}),
      std::invalid_argument);
}

}  // namespace
