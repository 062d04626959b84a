// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SpmmConformance.hpp"
#include "bcsr/SerialBcsr.hpp"
#include "bcsr/cuda/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

struct BcsrCase : ProductCase {
  BlockShape block = {16, 8};
  bool longest_first = false;  // whether the schedule puts long rows first

  std::string text() const { return ", blocks " + std::to_string(block.height) + "x" + std::to_string(block.width); }
};

Cuda::HostCondensedSchedule bcsr_schedule(const std::vector<Offset>& offsets, const BcsrCase& c) {
  auto schedule =
      Cuda::build_condensed_schedule(offsets.data(), static_cast<Ordinal>(offsets.size()) - 1, c.piece_tiles);
  if (c.longest_first) Cuda::put_longest_first(schedule.items);
  return schedule;
}

template <class MatrixScalar, class Scalar>
class BcsrMatrix {
 public:
  BcsrMatrix(const HostMatrix& A, const BcsrCase& c) : BcsrMatrix(A, c, serial_bcsr(A, c.block)) {}

  const Scalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision precision, const Multivector<const Scalar>& x) const {
    return Cuda::bcsr_workspace_bytes(pattern_, precision, schedule_.view, x);
  }
  void launch(const BcsrCase& c, const Product<Scalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::bcsr_spmm(nullptr, pattern_, c.precision, with_policy(schedule_.view, c), product, rounded_.data(),
                    workspace);
  }

 private:
  BcsrMatrix(const HostMatrix& A, const BcsrCase& c, const HostBcsr& B)
      : offsets_(B.block_offsets),
        columns_(B.block_columns),
        masks_(B.block_masks),
        values_(placed_values<Scalar>(A.values, B.slots)),
        rounded_(std::vector<std::uint16_t>(is_half(c.precision) ? B.slots.size() : 0)),
        schedule_(bcsr_schedule(B.block_offsets, c)),
        pattern_{A.rows, A.columns, c.block, offsets_.data(), columns_.data(), masks_.data()} {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (is_half(c.precision)) {
        Cuda::round_values(nullptr, c.precision, B.slots.size(), values_.data(), rounded_.data());
      }
    }
  }
  static bool is_half(Precision precision) { return precision == Precision::Fp16 || precision == Precision::Bf16; }
  OnDevice<Offset> offsets_;
  OnDevice<int> columns_;
  OnDevice<std::uint64_t> masks_;
  OnDevice<Scalar> values_;
  OnDevice<std::uint16_t> rounded_;
  ScheduleOnDevice<Cuda::CondensedItem> schedule_;
  BcsrPattern pattern_;
};

struct BcsrKernel : SpmmKernel<BcsrCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = BcsrMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {8, 16};
  static constexpr std::array widths = {4, 8, 16};
  static constexpr int emulated_share = 47, emulated_columns_share = 4;

  static std::vector<Case> variants() {
    std::vector<Case> all;
    for (const BlockShape block : {BlockShape{16, 8}, {8, 8}, {8, 4}, {16, 16}}) {
      all.emplace_back();
      all.back().block = block;
    }
    return all;
  }
  static bool accepts(const Case& c) {
    if (c.precision == Precision::Fp16 || c.precision == Precision::Bf16) return c.block.width == 16;
    return c.block.width == 8 || (c.precision == Precision::Native && c.block.width == 4);
  }
  static constexpr int switches = 4;
  static void set_switch(Case& c, int number) {
    c.gather = number % 2 != 0;
    c.longest_first = number / 2 != 0;
  }
  static std::vector<Case> long_cases(Case c) {
    std::vector<Case> cases;
    for (const int tiles : {3, 16, 1 << 20}) {
      c.piece_tiles = tiles;
      cases.push_back(c);
    }
    return cases;
  }
  // The last row has an entry in each column, and hence nearly all blocks. Their number is near the length of a piece,
  // or near multiples of the 32 block columns that a warp reads at a time.
  static std::vector<HostMatrix> long_matrices(const Case& c) {
    std::vector<HostMatrix> all;
    for (const int blocks : {15, 16, 17, 31, 32, 33, 63, 64, 65, 200}) {
      all.push_back(random_matrix(21, c.block.width * blocks - 1, 40, 9));
    }
    return all;
  }
};

template <Precision precision, class Scalar>
using BcsrCell = SpmmCell<BcsrKernel, precision, Scalar, Scalar>;
using BcsrCells = ::testing::Types<BcsrCell<Precision::Native, double>, BcsrCell<Precision::Tf32x3, float>,
                                   BcsrCell<Precision::Tf32, float>, BcsrCell<Precision::Fp16, float>,
                                   BcsrCell<Precision::Bf16, float>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Bcsr, Spmm, BcsrCells, SpmmCellNames);

// Checks that FP16 gives the sums of FP32 if X or A has a number that is infinite in FP16.
TEST(BcsrSpmm, WhatOverflowsFp16) {
  TESSERA_SKIP_WITHOUT_GPU();
  using Cell = BcsrCell<Precision::Fp16, float>;
  BcsrCase c;
  c.block = {16, 16};
  c.precision = Precision::Fp16;
  HostMatrix A = random_matrix(61, 203, 6, 10);
  auto x = random_values<float>(extent(c, A.columns), 3);
  x[place(c, A.columns, 100, 5)] = 1e5f;
  check_product<Cell>(A, c, x);
  A.values[30] = -1e6;
  check_product<Cell>(A, c, x);
}

// Checks a matrix in which one row has half of all blocks, as in dc2: no item is too long, and the product is right.
TEST(BcsrSpmm, ASkewedMatrix) {
  TESSERA_SKIP_WITHOUT_GPU();
  BcsrCase c;
  c.piece_tiles = 32;
  c.longest_first = true;
  const HostMatrix A = random_matrix(400, 3200, 1, 12);
  const auto B = serial_bcsr(A, c.block);
  const auto schedule = bcsr_schedule(B.block_offsets, c);
  EXPECT_GE(2 * (B.block_offsets.back() - B.block_offsets.end()[-2]), B.block_offsets.back());
  EXPECT_EQ(schedule.slots, 13);
  for (const auto& item : schedule.items) EXPECT_LE(item.tiles, 32);
  EXPECT_GE(schedule.items.front().tiles, 30);
  check_product<BcsrCell<Precision::Native, double>>(A, c);
}

template <class Scalar>
void expect_rejected(BlockShape block, Precision precision, const Product<Scalar, Scalar>& product = {}) {
  BcsrPattern A;
  A.block = block;
  EXPECT_THROW(Cuda::bcsr_spmm(nullptr, A, precision, {}, product, nullptr, {}), std::invalid_argument);
}

TEST(BcsrSpmm, RejectsWhatItCannotDo) {
  for (const BlockShape block : {BlockShape{16, 16}, {4, 8}, {1, 1}}) expect_rejected<double>(block, Precision::Native);
  for (const BlockShape block : {BlockShape{16, 16}, {8, 4}}) expect_rejected<float>(block, Precision::Tf32);
  expect_rejected<float>({16, 8}, Precision::Fp16);
  expect_rejected<float>({16, 8}, Precision::Native);
  expect_rejected<double>({16, 8}, Precision::Tf32x3);
  Product<double, double> product;
  product.values = reinterpret_cast<const double*>(std::uintptr_t(8));
  expect_rejected({16, 8}, Precision::Native, product);
  BcsrPattern A;
  A.block = {16, 8};
  Cuda::CondensedSchedule with_slots;
  with_slots.slot_count = 1;
  product.values = nullptr;
  product.x.columns = 4;
  product.x.column_stride = 1;
  EXPECT_THROW(Cuda::bcsr_spmm(nullptr, A, Precision::Native, with_slots, product, nullptr, {}), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
