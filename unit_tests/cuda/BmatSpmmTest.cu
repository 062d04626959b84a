// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "../../src/cuda/bmat/Launch.cuh"
#include "BmatProblem.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;

/// bad: an element of X, in row 5 of those that a case has, or 0 for a random one.
template <class Offset, class Scalar>
void check_case(const HostMatrix& A, const ProductCase& c, double bad = 0) {
  SCOPED_TRACE(describe(A, c));
  auto x = random_values<Scalar>(extent(c, A.columns), 1);
  if (bad != 0) x[place(c, A.columns, 5, c.columns - 1)] = static_cast<Scalar>(bad);
  auto y = random_values<Scalar>(extent(c, A.rows), 2);
  if (c.beta == 0) std::fill(y.begin(), y.end(), static_cast<Scalar>(quiet_nan));
  std::vector<Scalar> result = y;
  bmat_product<Offset>(A, c, x, result);
  expect_right<Scalar>(A, c, x, y, result);
}

template <class Offset, class Scalar>
void check_widths(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  // The last row touches every column, so that its window has many tiles.
  const HostMatrix A = random_matrix(141, 300, 12, 8);
  for (const int columns : {1, 2, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 130, 200}) {
    if (is_chosen(2)) check_case<Offset, Scalar>(A, {.precision = precision, .columns = columns});
  }
}

TEST(BmatSpmm, Double) { check_widths<int, double>(Precision::Native); }
TEST(BmatSpmm, Tf32x3) { check_widths<int, float>(Precision::Tf32x3); }
TEST(BmatSpmm, Tf32) { check_widths<int, float>(Precision::Tf32); }
TEST(BmatSpmm, Tf32x3LongOffsets) { check_widths<std::size_t, float>(Precision::Tf32x3); }
#ifndef TESSERA_CUDA_EMULATED  // not compiled there
TEST(BmatSpmm, DoubleLongOffsets) { check_widths<std::size_t, double>(Precision::Native); }
#endif

TEST(BmatSpmm, Shapes) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int rows : {0, 1, 15, 16, 17, 33}) {
    for (const int columns : {0, 1, 7, 8, 9, 16, 17, 200}) {
      if (!is_chosen(3)) continue;
      const HostMatrix A = random_matrix(rows, columns, 5, 7);
      check_case<int, double>(A, {.columns = 5});
      check_case<int, float>(A, {.precision = Precision::Tf32x3, .columns = 36});
    }
  }
}

TEST(BmatSpmm, FullTiles) {
  TESSERA_SKIP_WITHOUT_GPU();
  HostMatrix A;
  A.rows = 40, A.columns = 70, A.row_offsets = {0};
  for (int i = 0; i < A.rows; ++i) {
    for (int j = 0; j < A.columns; ++j) A.column_indices.push_back(j), A.values.push_back(1 + (i * 7 + j * 3) % 11);
    A.row_offsets.push_back(static_cast<int>(A.column_indices.size()));
  }
  check_case<int, double>(A, {.columns = 34});
  check_case<int, float>(A, {.precision = Precision::Tf32x3, .columns = 34});
}

TEST(BmatSpmm, LayoutsAndAlignment) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(70, 150, 10, 9);
  for (int variant = 0; variant < 64; ++variant) {
    if (!is_chosen(3)) continue;
    ProductCase c = {.columns = 36};
    c.left_layout = (variant & 1) != 0;
    c.scatter = (variant & 2) != 0;
    c.misalignment = (variant & 4) != 0 ? 1 : 0;
    c.padding = (variant & 8) != 0 ? 3 : (variant & 16) != 0 ? 4 : 0;
    c.beta = (variant & 32) != 0 ? 0 : 0.5;
    check_case<int, double>(A, c);
    c.precision = Precision::Tf32x3;
    check_case<int, float>(A, c);
  }
}

TEST(BmatSpmm, Pieces) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(40, 700, 60, 10);
  for (const int tiles : {1, 5, 16, 1000}) {
    for (const int columns : {3, 35, 68}) {
      ProductCase c = {.piece_tiles = tiles, .columns = columns, .scatter = tiles == 5};
      check_case<int, double>(A, c);
      c.precision = Precision::Tf32x3;
      check_case<std::size_t, float>(A, c);
    }
  }
}

// An infinity or a NaN reaches the rows that touch it, and no others.
TEST(BmatSpmm, NonFinite) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(100, 203, 6, 10);
  for (const int tiles : {3, 50}) {
    for (const double bad : {infinity, -infinity, quiet_nan}) {
      for (const int columns : {33, 8}) {
        ProductCase c = {.piece_tiles = tiles, .columns = columns};
        check_case<int, double>(A, c, bad);
        for (const Precision precision : {Precision::Tf32x3, Precision::Tf32}) {
          c.precision = precision;
          check_case<int, float>(A, c, bad);
        }
      }
    }
  }
}

// The bits of a column depend neither on the columns beside it, nor on alignment, nor on the run.
template <class Scalar>
void check_columns(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = random_matrix(100, 300, 40, 11);
  const ProductCase all = {.precision = precision, .piece_tiles = 6, .columns = 70, .beta = 0};
  auto x = random_values<Scalar>(extent(all, A.columns), 5);
  x[place(all, A.columns, 17, 8)] = static_cast<Scalar>(quiet_nan);
  std::vector<Scalar> together(extent(all, A.rows)), again(together.size());
  bmat_product<int>(A, all, x, together);
  bmat_product<int>(A, all, x, again);
  EXPECT_EQ(std::memcmp(together.data(), again.data(), again.size() * sizeof(Scalar)), 0) << "two runs differ";
  for (const int j : {0, 7, 33, 69}) {
    const ProductCase one = {.precision = precision, .piece_tiles = 6, .columns = 1, .misalignment = j % 2, .beta = 0};
    std::vector<Scalar> one_x(extent(one, A.columns)), one_y(extent(one, A.rows));
    for (int i = 0; i < A.columns; ++i) one_x[place(one, A.columns, i, 0)] = x[place(all, A.columns, i, j)];
    bmat_product<int>(A, one, one_x, one_y);
    int different = 0;
    for (int i = 0; i < A.rows; ++i) {
      different += one_y[place(one, A.rows, i, 0)] != together[place(all, A.rows, i, j)];
    }
    EXPECT_EQ(different, 0) << "of column " << j;
  }
}

TEST(BmatSpmm, ColumnsDouble) { check_columns<double>(Precision::Native); }
TEST(BmatSpmm, ColumnsTf32x3) { check_columns<float>(Precision::Tf32x3); }

// Shapes of blocks and partitions that the products above do not run with: their results have the same bits.
template <Precision precision, class Policy, class Scalar>
void check_policy(const char* name, Cuda::BmatPartition partition = Cuda::BmatPartition::EqualCost) {
  SCOPED_TRACE(name);
  const HostMatrix A = random_matrix(60, 150, 20, 12);
  for (const int columns : {8, 100}) {
    const ProductCase c = {.precision = precision, .piece_tiles = 9, .columns = columns};
    const auto x = random_values<Scalar>(extent(c, A.columns), 5), y = random_values<Scalar>(extent(c, A.rows), 6);
    std::vector<Scalar> expected = y, result = y;
    bmat_product<int>(A, c, x, expected);
    const auto launch = [](const auto& pattern, const auto& schedule, const auto& product, const Scratch& workspace) {
      Cuda::BmatArguments<int, Scalar> arguments = {.A = pattern, .schedule = schedule, .product = product};
      arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
      arguments.partials_stride = product.x.columns;
      Cuda::launch_bmat<precision, Policy>(nullptr, arguments);
    };
    bmat_product<int>(A, c, x, result, launch, partition);
    EXPECT_EQ(std::memcmp(result.data(), expected.data(), y.size() * sizeof(Scalar)), 0) << columns << " columns";
  }
}

TEST(BmatSpmm, PoliciesAgree) {
  TESSERA_SKIP_WITHOUT_GPU();
  using Cuda::BmatCopy;
  using Cuda::BmatPolicy;
  constexpr Precision native = Precision::Native, tf32x3 = Precision::Tf32x3;
  check_policy<native, BmatPolicy<16, 8, 1, 8, 1>, double>("that of the paper");
  check_policy<tf32x3, BmatPolicy<16, 8, 1, 8, 1>, float>("that of the paper");
  check_policy<native, BmatPolicy<8, 4, 4, 1, 2>, double>("one product, one buffer");
  check_policy<tf32x3, BmatPolicy<8, 4, 4, 1, 2>, float>("one product, one buffer");
  check_policy<native, BmatPolicy<32, 1, 2, 3, 8>, double>("bulk copies");
  check_policy<native, BmatPolicy<32, 4, 2, 2, 2, BmatCopy::Sixteens>, double>("rows of 1024 bytes");
  check_policy<tf32x3, BmatPolicy<64, 2, 2, 4, 4>, float>("bulk copies");
  check_policy<tf32x3, BmatPolicy<64, 4, 1, 2, 1, BmatCopy::Sixteens>, float>("rows of 1024 bytes");
  check_policy<tf32x3, BmatPolicy<32, 2, 2, 2, 3>, float>("dealt", Cuda::BmatPartition::Dealt);
  check_policy<native, Cuda::TunedBmatPolicy<double, false>, double>("dealt", Cuda::BmatPartition::Dealt);
}

TEST(BmatSpmm, RowsOfXFarApart) {
  TESSERA_SKIP_WITHOUT_GPU();
  ProductCase c;
  c.columns = 36;
  c.x_row_stride = far_apart;
  check_case<int, double>(random_matrix(50, 1, 1, 12), c);
}

TEST(BmatSpmm, RefusesWhatItCannotDo) {
  const BmatPattern<int> A;
  Cuda::BmatSchedule<int> schedule;
  EXPECT_THROW(Cuda::bmat_spmm(nullptr, A, Precision::Native, schedule, Product<float, float>{}, {}),
               std::invalid_argument);
  EXPECT_THROW(Cuda::bmat_spmm(nullptr, A, Precision::Tf32, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
  EXPECT_THROW(Cuda::bmat_spmm(nullptr, A, Precision::Native, schedule, product_with_x_rows<double>(), {}),
               std::invalid_argument);
  schedule.slot_count = 1;
  Product<double, double> product;
  product.x.columns = 1;
  EXPECT_THROW(Cuda::bmat_spmm(nullptr, A, Precision::Native, schedule, product, {}), std::invalid_argument);
}

}  // namespace
