// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "BrpProblem.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;

template <class Offset, class Scalar>
void check_case(const HostMatrix& A, const BrpCase& c) {
  if (!is_chosen(17)) return;
  SCOPED_TRACE(describe_brp(A, c));
  const auto x = random_values<Scalar>(extent(c, A.columns), 1);
  auto y = random_values<Scalar>(extent(c, A.rows), 2);
  if (c.beta == 0) std::fill(y.begin(), y.end(), static_cast<Scalar>(quiet_nan));
  std::vector<Scalar> result = y;
  device_brp_product<Offset>(A, c, x, result);
  expect_right<Scalar>(A, c, x, y, result);
}

template <class Visit>
void for_each_partition(Precision precision, const Visit& visit) {
  for (const int f : {1, 2, 4}) {
    for (const int g : {1, 2, 4}) {
      BrpCase c;
      c.f = f;
      c.g = g;
      c.precision = precision;
      visit(c);
    }
  }
}

template <class Offset, class Scalar>
void check_shapes(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_partition(precision, [](BrpCase c) {
    for (const int rows : {0, 1, 8, 9, 15, 16, 17, 31, 32, 33, 100}) {
      for (const int columns : {0, 1, 7, 8, 9, 33, 300}) {
        check_case<Offset, Scalar>(random_matrix(rows, columns, 20, 7), c);
      }
    }
    const HostMatrix A = random_matrix(61, 203, 60, 8);
    for (const int columns : {1, 2, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 200}) {
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

TEST(BrpSpmm, Double) { check_shapes<int, double>(Precision::Native); }
TEST(BrpSpmm, Tf32x3) { check_shapes<int, float>(Precision::Tf32x3); }
TEST(BrpSpmm, Tf32) { check_shapes<int, float>(Precision::Tf32); }
#ifndef TESSERA_CUDA_EMULATED  // not compiled there
TEST(BrpSpmm, DoubleLongOffsets) { check_shapes<std::size_t, double>(Precision::Native); }
TEST(BrpSpmm, Tf32x3LongOffsets) { check_shapes<std::size_t, float>(Precision::Tf32x3); }
#endif

/// Each window has so many columns of f entries, and each row so many entries that are alone in their columns.
HostMatrix partitioned_matrix(int windows, int f, int local_columns, int residuals) {
  HostMatrix A;
  A.rows = 16 * windows;
  A.columns = local_columns + 16 * residuals;
  A.row_offsets = {0};
  for (int row = 0; row < A.rows; ++row) {
    for (int c = 0; c < local_columns; ++c) {
      if ((row + 16 - c % 16) % 16 < f) A.column_indices.push_back(c);
    }
    for (int i = 0; i < residuals; ++i) A.column_indices.push_back(local_columns + 16 * i + row % 16);
    A.row_offsets.push_back(static_cast<int>(A.column_indices.size()));
  }
  for (std::size_t k = 0; k < A.column_indices.size(); ++k) A.values.push_back(1.0 / static_cast<double>(1 + k % 31));
  return A;
}

// Whole groups, one local column less, one more; with residual rows and without.
template <class Scalar>
void check_group_edges(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_partition(precision, [](BrpCase c) {
    for (const int local_columns : {8 * c.g - 1, 8 * c.g, 8 * c.g + 1, 24 * c.g}) {
      for (const int residuals : {0, 1, 9}) {
        check_case<int, Scalar>(partitioned_matrix(3, c.f, local_columns, residuals), c);
      }
    }
  });
}

TEST(BrpSpmm, GroupEdgesDouble) { check_group_edges<double>(Precision::Native); }
TEST(BrpSpmm, GroupEdgesTf32x3) { check_group_edges<float>(Precision::Tf32x3); }

template <class Scalar>
void check_pieces(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_partition(precision, [](BrpCase c) {
    for (const int columns : {8 * 15, 8 * 16, 8 * 16 + 1, 8 * 32, 8 * 33, 5000}) {
      c.piece_tiles = 16;
      for (const int n : {3, 32, 70}) {
        c.columns = n;
        check_case<int, Scalar>(random_matrix(37, columns, 100, 9), c);
      }
    }
  });
}

TEST(BrpSpmm, PiecesDouble) { check_pieces<double>(Precision::Native); }
TEST(BrpSpmm, PiecesTf32x3) { check_pieces<float>(Precision::Tf32x3); }

// An infinity or a NaN reaches the rows that touch it, and no others.
template <class Scalar>
void check_nonfinite(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_partition(precision, [](BrpCase c) {
    const HostMatrix A = random_matrix(61, 203, 30, 10);
    c.piece_tiles = 4;
    c.columns = 35;
    for (const double bad : {infinity, -infinity, quiet_nan}) {
      for (const int row : {0, 1, 100, 202}) {
        if (!is_chosen(7)) continue;
        SCOPED_TRACE(describe_brp(A, c));
        auto x = random_values<Scalar>(extent(c, A.columns), 3);
        for (const int j : {0, 1, 17, 34}) x[place(c, A.columns, row, j)] = static_cast<Scalar>(bad);
        const auto y = random_values<Scalar>(extent(c, A.rows), 4);
        std::vector<Scalar> result = y;
        device_brp_product<int>(A, c, x, result);
        expect_right<Scalar>(A, c, x, y, result);
      }
    }
  });
}

TEST(BrpSpmm, NonFiniteDouble) { check_nonfinite<double>(Precision::Native); }
TEST(BrpSpmm, NonFiniteTf32x3) { check_nonfinite<float>(Precision::Tf32x3); }
TEST(BrpSpmm, NonFiniteTf32) { check_nonfinite<float>(Precision::Tf32); }

template <class Scalar>
void check_columns(Precision precision) {
  TESSERA_SKIP_WITHOUT_GPU();
  for_each_partition(precision, [](BrpCase c) {
    if (!is_chosen(2)) return;
    const HostMatrix A = random_matrix(61, 703, 90, 11);
    expect_columns_alone<Scalar>(
        A, c, 400, [&](const BrpCase& part, const auto& x, auto& y) { device_brp_product<int>(A, part, x, y); });
  });
}

TEST(BrpSpmm, ColumnsDouble) { check_columns<double>(Precision::Native); }
TEST(BrpSpmm, ColumnsTf32x3) { check_columns<float>(Precision::Tf32x3); }
TEST(BrpSpmm, ColumnsTf32) { check_columns<float>(Precision::Tf32); }

TEST(BrpSpmm, RowsOfXFarApart) {
  TESSERA_SKIP_WITHOUT_GPU();
  BrpCase c;
  c.columns = 36;
  c.x_row_stride = far_apart;
  check_case<int, double>(random_matrix(50, 1, 1, 12), c);
}

TEST(BrpSpmm, RefusesWhatItCannotDo) {
  BlockRowPartitionPattern<int> A;
  const Cuda::BrpSchedule<int> schedule;
  Product<float, float> product;
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Native, schedule, product, {}), std::invalid_argument);
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, schedule, Product<double, double>{}, {}),
               std::invalid_argument);
  A.f = 3;
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, schedule, product, {}), std::invalid_argument);
  A.f = 1;
  alignas(8) static const Ordinal columns[2] = {};
  A.group_columns = columns + 1;
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, schedule, product, {}), std::invalid_argument);
  A.group_columns = columns;
  Cuda::BrpSchedule<int> with_slots;
  with_slots.slot_count = 1;
  product.x.columns = 4;
  product.x.column_stride = 1;
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, with_slots, product, {}), std::invalid_argument);
  EXPECT_THROW(Cuda::brp_spmm(nullptr, A, Precision::Tf32, schedule, product_with_x_rows<float>(), {}),
               std::invalid_argument);
}

}  // namespace
