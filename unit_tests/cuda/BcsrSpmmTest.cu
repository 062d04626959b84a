// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "BcsrProblem.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;

template <class Offset, class Scalar>
void check_product(const HostMatrix& A, const BcsrCase& c, const std::vector<Scalar>& x) {
  SCOPED_TRACE(describe(A, c));
  auto y = random_values<Scalar>(extent(c, A.rows), 2);
  if (c.beta == 0) std::fill(y.begin(), y.end(), static_cast<Scalar>(quiet_nan));
  std::vector<Scalar> result = y;
  bcsr_product<Offset>(A, c, x, result);
  expect_right<Scalar>(A, c, x, y, result);
}

template <class Offset, class Scalar>
void check_case(const HostMatrix& A, const BcsrCase& c) {
  if (is_chosen(31)) check_product<Offset>(A, c, random_values<Scalar>(extent(c, A.columns), 1));
}

/// The shapes that a precision has.
std::vector<BlockShape> shapes_of(Precision precision) {
  if (precision == Precision::Native) return {{16, 8}, {8, 8}, {8, 4}};
  if (precision == Precision::Tf32x3 || precision == Precision::Tf32) return {{16, 8}, {8, 8}};
  return {{16, 16}};
}

template <class Visit>
void for_each_shape(Precision precision, const Visit& visit) {
  for (const BlockShape block : shapes_of(precision)) {
    BcsrCase c;
    c.block = block;
    c.precision = precision;
    visit(c);
  }
}

template <class Offset, class Scalar>
void check_shapes(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_shape(precision, [](BcsrCase c) {
    for (const int rows : {0, 1, 7, 8, 9, 15, 16, 17, 100}) {
      for (const int columns : {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 300}) {
        check_case<Offset, Scalar>(random_matrix(rows, columns, 20, 7), c);
      }
    }
    const HostMatrix A = random_matrix(61, 203, 30, 8);
    for (const int columns : {1, 2, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 200}) {
      c.columns = columns;
      check_case<Offset, Scalar>(A, c);
    }
    for (int variant = 0; variant < 256; ++variant) {
      c.columns = 36;
      c.left_layout = (variant & 1) != 0;
      c.scatter = (variant & 2) != 0;
      c.misalignment = (variant & 4) != 0 ? 1 : 0;
      c.padding = (variant & 8) != 0 ? 3 : (variant & 16) != 0 ? 4 : 0;
      c.beta = (variant & 32) != 0 ? 0 : 0.5;
      c.gather = (variant & 64) != 0;
      c.longest_first = (variant & 128) != 0;
      check_case<Offset, Scalar>(A, c);
    }
  });
}

TEST(BcsrSpmm, Double) { check_shapes<int, double>(Precision::Native); }
TEST(BcsrSpmm, Tf32x3) { check_shapes<int, float>(Precision::Tf32x3); }
TEST(BcsrSpmm, Tf32) { check_shapes<int, float>(Precision::Tf32); }
TEST(BcsrSpmm, Fp16) { check_shapes<int, float>(Precision::Fp16); }
TEST(BcsrSpmm, Bf16) { check_shapes<int, float>(Precision::Bf16); }
#ifndef TESSERA_CUDA_EMULATED  // not compiled there
TEST(BcsrSpmm, DoubleLongOffsets) { check_shapes<std::size_t, double>(Precision::Native); }
TEST(BcsrSpmm, Fp16LongOffsets) { check_shapes<std::size_t, float>(Precision::Fp16); }
#endif

// Rows of blocks at the edges of pieces and of the 32 columns that a warp reads at a time; the last row, which has an
// entry in each column, has nearly all blocks.
template <class Scalar>
void check_pieces(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_shape(precision, [](BcsrCase c) {
    for (const int pieces : {3, 16, 1 << 20}) {
      for (const int blocks : {15, 16, 17, 31, 32, 33, 63, 64, 65, 200}) {
        c.piece_tiles = pieces;
        c.gather = blocks % 2 != 0;
        c.longest_first = blocks % 3 != 0;
        for (const int n : {3, 32, 70}) {
          c.columns = n;
          check_case<int, Scalar>(random_matrix(21, c.block.width * blocks - 1, 40, 9), c);
        }
      }
    }
  });
}

TEST(BcsrSpmm, PiecesDouble) { check_pieces<double>(Precision::Native); }
TEST(BcsrSpmm, PiecesTf32x3) { check_pieces<float>(Precision::Tf32x3); }
TEST(BcsrSpmm, PiecesFp16) { check_pieces<float>(Precision::Fp16); }

// An infinity or a NaN reaches the rows that touch it, and no others.
template <class Scalar>
void check_nonfinite(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_shape(precision, [](BcsrCase c) {
    const HostMatrix A = random_matrix(61, 203, 6, 10);
    c.piece_tiles = 4;
    c.columns = 35;
    for (const double bad : {infinity, -infinity, quiet_nan}) {
      for (const int row : {0, 1, 100, 202}) {
        if (!is_chosen(3)) continue;
        c.gather = row == 100;
        auto x = random_values<Scalar>(extent(c, A.columns), 3);
        for (const int j : {0, 1, 17, 34}) x[place(c, A.columns, row, j)] = static_cast<Scalar>(bad);
        check_product<int>(A, c, x);
      }
    }
  });
}

TEST(BcsrSpmm, NonFiniteDouble) { check_nonfinite<double>(Precision::Native); }
TEST(BcsrSpmm, NonFiniteTf32x3) { check_nonfinite<float>(Precision::Tf32x3); }
TEST(BcsrSpmm, NonFiniteTf32) { check_nonfinite<float>(Precision::Tf32); }
TEST(BcsrSpmm, NonFiniteFp16) { check_nonfinite<float>(Precision::Fp16); }
TEST(BcsrSpmm, NonFiniteBf16) { check_nonfinite<float>(Precision::Bf16); }

// FP16 has an infinity for 1e5, in X and in A; the sums of such products are those of FP32.
TEST(BcsrSpmm, WhatOverflowsFp16) {
  TESSERA_SKIP_WITHOUT_GPU();
  BcsrCase c;
  c.block = {16, 16};
  c.precision = Precision::Fp16;
  HostMatrix A = random_matrix(61, 203, 6, 10);
  auto x = random_values<float>(extent(c, A.columns), 3);
  x[place(c, A.columns, 100, 5)] = 1e5f;
  check_product<int>(A, c, x);
  A.values[30] = -1e6;
  check_product<int>(A, c, x);
}

template <class Scalar>
void check_columns(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_shape(precision, [](BcsrCase c) {
    const HostMatrix A = random_matrix(33, 1003, 150, 11);
    expect_columns_alone<Scalar>(
        A, c, 1000, [&](const BcsrCase& part, const auto& x, auto& y) { bcsr_product<int>(A, part, x, y); });
  });
}

TEST(BcsrSpmm, ColumnsDouble) { check_columns<double>(Precision::Native); }
TEST(BcsrSpmm, ColumnsTf32x3) { check_columns<float>(Precision::Tf32x3); }
TEST(BcsrSpmm, ColumnsBf16) { check_columns<float>(Precision::Bf16); }

// One row of blocks has half of all of them, as in dc2: no item is longer than others may be, and all is right.
TEST(BcsrSpmm, ASkewedMatrix) {
  TESSERA_SKIP_WITHOUT_GPU();
  BcsrCase c;
  c.piece_tiles = 32;
  c.longest_first = true;
  HostMatrix A = random_matrix(400, 3200, 1, 12);
  const Bench::HostBcsr B = Bench::build_bcsr(A, c.block);
  const auto schedule = bcsr_schedule(B.block_offsets, c);
  EXPECT_GE(2 * (B.block_offsets.back() - B.block_offsets.end()[-2]), B.block_offsets.back());
  EXPECT_EQ(schedule.slots, 13);
  for (const auto& item : schedule.items) EXPECT_LE(item.tiles, 32);
  EXPECT_GE(schedule.items.front().tiles, 30);
  check_product<int>(A, c, random_values<double>(extent(c, A.columns), 1));
}

template <class Scalar>
void expect_refused(BlockShape block, Precision precision, const Product<Scalar, Scalar>& product = {}) {
  BcsrPattern<int> A;
  A.block = block;
  EXPECT_THROW(Cuda::bcsr_spmm(nullptr, A, precision, {}, product, nullptr, {}), std::invalid_argument);
}

TEST(BcsrSpmm, RowsOfXFarApart) {
  TESSERA_SKIP_WITHOUT_GPU();
  BcsrCase c;
  c.columns = 36;
  c.x_row_stride = far_apart;
  check_case<int, double>(random_matrix(50, 1, 1, 12), c);
}

TEST(BcsrSpmm, RefusesWhatItCannotDo) {
  for (const BlockShape block : {BlockShape{16, 16}, {4, 8}, {1, 1}}) expect_refused<double>(block, Precision::Native);
  for (const BlockShape block : {BlockShape{16, 16}, {8, 4}}) expect_refused<float>(block, Precision::Tf32);
  expect_refused<float>({16, 8}, Precision::Fp16);
  expect_refused<float>({16, 8}, Precision::Native);
  expect_refused<double>({16, 8}, Precision::Tf32x3);
  Product<double, double> product;
  product.values = reinterpret_cast<const double*>(std::uintptr_t(8));
  expect_refused({16, 8}, Precision::Native, product);
  BcsrPattern<int> A;
  A.block = {16, 8};
  Cuda::CondensedSchedule<int> with_slots;
  with_slots.slot_count = 1;
  product.values = nullptr;
  product.x.columns = 4;
  product.x.column_stride = 1;
  EXPECT_THROW(Cuda::bcsr_spmm(nullptr, A, Precision::Native, with_slots, product, nullptr, {}), std::invalid_argument);
}

}  // namespace
