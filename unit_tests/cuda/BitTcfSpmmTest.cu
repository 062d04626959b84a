// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "BitTcfProblem.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;
using Cuda::BitTcfBalance;

template <class Offset, class Scalar>
void check_case(const HostMatrix& A, const BitTcfCase& c) {
  if (!is_chosen(7)) return;
  SCOPED_TRACE(describe(A, c) + (c.balance == BitTcfBalance::Always ? ", balanced" : ""));
  const auto x = random_values<Scalar>(extent(c, A.columns), 1);
  auto y = random_values<Scalar>(extent(c, A.rows), 2);
  if (c.beta == 0) std::fill(y.begin(), y.end(), static_cast<Scalar>(quiet_nan));
  std::vector<Scalar> result = y;
  bittcf_product<Offset>(A, c, x, result);
  expect_right<Scalar>(A, c, x, y, result);
}

template <class Visit>
void for_each_balance(Precision precision, const Visit& visit) {
  for (const auto balance : {BitTcfBalance::Never, BitTcfBalance::Always}) {
    BitTcfCase c;
    c.precision = precision;
    c.balance = balance;
    visit(c);
  }
}

template <class Offset, class Scalar>
void check_shapes(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_balance(precision, [](BitTcfCase c) {
    for (const int rows : {0, 1, 7, 8, 9, 15, 16, 17, 100}) {
      for (const int columns : {0, 1, 7, 8, 9, 16, 17, 300}) {
        check_case<Offset, Scalar>(random_matrix(rows, columns, 20, 7), c);
      }
    }
    const HostMatrix A = random_matrix(61, 203, 30, 8);
    for (const int columns : {1, 2, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 128, 129, 200}) {
      c.columns = columns;
      check_case<Offset, Scalar>(A, c);
    }
    for (int variant = 0; variant < 64; ++variant) {
      c.columns = 36;
      c.left_layout = (variant & 1) != 0;
      c.scatter = (variant & 2) != 0;
      c.misalignment = (variant & 4) != 0 ? 1 : 0;
      c.padding = (variant & 8) != 0 ? 3 : (variant & 16) != 0 ? 4 : 0;
      c.beta = (variant & 32) != 0 ? 0 : 0.5;
      check_case<Offset, Scalar>(A, c);
    }
  });
}

TEST(BitTcfSpmm, Double) { check_shapes<int, double>(Precision::Native); }
TEST(BitTcfSpmm, Tf32x3) { check_shapes<int, float>(Precision::Tf32x3); }
TEST(BitTcfSpmm, Tf32) { check_shapes<int, float>(Precision::Tf32); }
#ifndef TESSERA_CUDA_EMULATED  // not compiled there
TEST(BitTcfSpmm, DoubleLongOffsets) { check_shapes<std::size_t, double>(Precision::Native); }
TEST(BitTcfSpmm, Tf32x3LongOffsets) { check_shapes<std::size_t, float>(Precision::Tf32x3); }
#endif

// Windows of 0 to 4 tiles, and one of many, in blocks of threads that hold parts of one, or several of them.
HostMatrix uneven_matrix() {
  HostMatrix A = random_matrix(205, 700, 12, 9);  // the last row has all columns
  HostMatrix B;
  B.rows = A.rows;
  B.columns = A.columns;
  B.row_offsets = {0};
  for (int i = 0; i < A.rows; ++i) {
    const int wanted = i / 8 % 3 == 0 ? 0 : A.row_offsets[i + 1] - A.row_offsets[i];
    for (int k = A.row_offsets[i]; k < A.row_offsets[i] + wanted; ++k) {
      B.column_indices.push_back(A.column_indices[k]);
      B.values.push_back(A.values[k]);
    }
    B.row_offsets.push_back(static_cast<int>(B.column_indices.size()));
  }
  return B;
}

template <class Scalar>
void check_blocks(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  const HostMatrix A = uneven_matrix();
  for_each_balance(precision, [&](BitTcfCase c) {
    for (const int block_tiles : {1, 2, 3, 4, 5, 32, 1000}) {
      c.piece_tiles = block_tiles;
      for (const int n : {3, 32, 70}) {
        c.columns = n;
        check_case<int, Scalar>(A, c);
      }
    }
  });
}

TEST(BitTcfSpmm, BlocksDouble) { check_blocks<double>(Precision::Native); }
TEST(BitTcfSpmm, BlocksTf32x3) { check_blocks<float>(Precision::Tf32x3); }

// An infinity or a NaN reaches the rows that touch it, and no others.
template <class Scalar>
void check_nonfinite(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_balance(precision, [](BitTcfCase c) {
    const HostMatrix A = random_matrix(61, 203, 6, 10);
    c.piece_tiles = 4;
    c.columns = 35;
    for (const double bad : {infinity, -infinity, quiet_nan}) {
      for (const int row : {0, 1, 100, 202}) {
        if (!is_chosen(3)) continue;
        auto x = random_values<Scalar>(extent(c, A.columns), 3);
        for (const int j : {0, 1, 17, 34}) x[place(c, A.columns, row, j)] = static_cast<Scalar>(bad);
        const auto y = random_values<Scalar>(extent(c, A.rows), 4);
        std::vector<Scalar> result = y;
        bittcf_product<int>(A, c, x, result);
        expect_right<Scalar>(A, c, x, y, result);
      }
    }
  });
}

TEST(BitTcfSpmm, NonFiniteDouble) { check_nonfinite<double>(Precision::Native); }
TEST(BitTcfSpmm, NonFiniteTf32x3) { check_nonfinite<float>(Precision::Tf32x3); }
TEST(BitTcfSpmm, NonFiniteTf32) { check_nonfinite<float>(Precision::Tf32); }

template <class Scalar>
void check_columns(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_balance(precision, [](BitTcfCase c) {
    const HostMatrix A = random_matrix(61, 603, 80, 11);
    expect_columns_alone<Scalar>(
        A, c, 300, [&](const BitTcfCase& part, const auto& x, auto& y) { bittcf_product<int>(A, part, x, y); });
  });
}

TEST(BitTcfSpmm, ColumnsDouble) { check_columns<double>(Precision::Native); }
TEST(BitTcfSpmm, ColumnsTf32x3) { check_columns<float>(Precision::Tf32x3); }

TEST(BitTcfSpmm, RowsOfXFarApart) {
  TESSERA_SKIP_WITHOUT_GPU();
  BitTcfCase c;
  c.columns = 36;
  c.x_row_stride = far_apart;
  check_case<int, double>(random_matrix(50, 1, 1, 12), c);
}

TEST(BitTcfSpmm, RefusesWhatItCannotDo) {
  const BitTcfPattern<int> A;
  const Cuda::BitTcfSchedule<int> schedule;
  EXPECT_THROW(Cuda::bittcf_spmm(nullptr, A, Precision::Native, schedule, Product<float, float>{}, {}),
               std::invalid_argument);
  EXPECT_THROW(Cuda::bittcf_spmm(nullptr, A, Precision::Tf32, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
  Cuda::BitTcfSchedule<int> with_slots;
  with_slots.pieces.slot_count = 1;
  Product<double, double> product;
  product.x.columns = 4;
  product.x.column_stride = 1;
  EXPECT_THROW(Cuda::bittcf_spmm(nullptr, A, Precision::Native, with_slots, product, {}), std::invalid_argument);
  EXPECT_THROW(Cuda::bittcf_spmm(nullptr, A, Precision::Native, schedule, product_with_x_rows<double>(), {}),
               std::invalid_argument);
}

}  // namespace
