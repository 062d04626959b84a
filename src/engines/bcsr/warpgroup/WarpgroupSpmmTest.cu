// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.cuh"
#include "SpmmConformance.hpp"
#include "bcsr/SerialBcsr.hpp"
#include "bcsr/warpgroup/Spmm.hpp"

namespace Tessera::Impl::Test {
namespace {

using WarpgroupCase = ProductCase;

/// The steps of all panels, and the first of each panel.
struct Steps {
  std::vector<Cuda::BlockStep> steps;
  std::vector<Offset> offsets = {0};
};

Steps steps_of(const BcsrPattern& A) {
  Steps all;
  for (Ordinal panel = 0; panel < window_count(A.windows(), Cuda::panel_blocks); ++panel) {
    const int count = Cuda::for_each_step(A, panel, [&](const auto& step) { all.steps.push_back(step); });
    all.offsets.push_back(all.offsets.back() + static_cast<Offset>(count));
  }
  return all;
}

template <class MatrixScalar, class Scalar>
class WarpgroupMatrix {
 public:
  WarpgroupMatrix(const HostMatrix& A, const WarpgroupCase& c) : WarpgroupMatrix(A, c, serial_bcsr(A, block)) {}

  const Scalar* values() const { return values_.data(); }
  std::size_t workspace_bytes(Precision precision, const Multivector<const Scalar>& x) const {
    return Cuda::warpgroup_workspace_bytes(precision, schedule_.view, x);
  }
  void launch(const WarpgroupCase& c, const Product<Scalar, Scalar>& product, const Scratch& workspace) const {
    Cuda::warpgroup_spmm(nullptr, pattern_, c.precision, steps_.data(), with_policy(schedule_.view, c), product,
                         lines_.data(), workspace);
  }

 protected:
  static constexpr BlockShape block = {Cuda::square_side, Cuda::square_side};

  WarpgroupMatrix(const HostMatrix& A, const WarpgroupCase& c, const HostBcsr& B)
      : WarpgroupMatrix(A, c, B,
                        steps_of({A.rows, A.columns, block, B.block_offsets.data(), B.block_columns.data(),
                                  B.block_masks.data()})) {}
  WarpgroupMatrix(const HostMatrix& A, const WarpgroupCase& c, const HostBcsr& B, const Steps& steps)
      : offsets_(B.block_offsets),
        columns_(B.block_columns),
        masks_(B.block_masks),
        steps_(steps.steps),
        values_(placed_values<Scalar>(A.values, B.slots)),
        lines_(std::vector<std::byte>(Cuda::lines_bytes(c.precision, B.block_columns.size()))),
        schedule_(Cuda::build_condensed_schedule(steps.offsets.data(), static_cast<Ordinal>(steps.offsets.size()) - 1,
                                                 c.piece_tiles)),
        pattern_{A.rows, A.columns, block, offsets_.data(), columns_.data(), masks_.data()} {
    Cuda::arrange_lines(nullptr, c.precision, B.block_columns.size(), values_.data(), lines_.data());
  }

  OnDevice<Offset> offsets_;
  OnDevice<int> columns_;
  OnDevice<std::uint64_t> masks_;
  OnDevice<Cuda::BlockStep> steps_;
  OnDevice<Scalar> values_;
  OnDevice<std::byte> lines_;
  ScheduleOnDevice<Cuda::CondensedItem> schedule_;
  BcsrPattern pattern_;
};

struct WarpgroupKernel : SpmmKernel<WarpgroupCase> {
  template <class MatrixScalar, class Scalar>
  using Matrix = WarpgroupMatrix<MatrixScalar, Scalar>;
  static constexpr std::array heights = {64, 128};
  static constexpr std::array widths = {32, 64};
  static constexpr int emulated_share = 23, emulated_columns_share = 4;

  static constexpr int switches = 2;
  static void set_switch(Case& c, int number) { c.gather = number != 0; }
  static std::vector<Case> long_cases(Case c) {
    std::vector<Case> cases;
    for (const int tiles : {1, 3, 1 << 20}) {
      c.piece_tiles = tiles;
      cases.push_back(c);
    }
    return cases;
  }
  // Some panels have blocks in one of their rows of blocks only, and some thread blocks more than one item.
  static std::vector<HostMatrix> long_matrices(const Case&) {
    return {random_matrix(300, 2000, 1, 10), random_matrix(129, 64 * 9 + 1, 100, 9)};
  }
};

template <Precision precision>
using WarpgroupCell = SpmmCell<WarpgroupKernel, precision, float, float>;
using WarpgroupCells = ::testing::Types<WarpgroupCell<Precision::Tf32x3>, WarpgroupCell<Precision::Tf32>,
                                        WarpgroupCell<Precision::Fp16>, WarpgroupCell<Precision::Bf16>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Warpgroup, Spmm, WarpgroupCells, SpmmCellNames);

// Checks more tasks than there are multiprocessors, so some thread blocks have two.
TEST(WarpgroupSpmm, ManyTasks) {
  TESSERA_SKIP_WITHOUT_GPU();
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  WarpgroupCase c;
  c.precision = Precision::Tf32;
  c.columns = 290;  // two slabs
  check_product<WarpgroupCell<Precision::Tf32>>(random_matrix((multiprocessors / 2 + 1) * 128, 150, 9, 3), c);
}

/// Launches a policy whose lanes all free the buffers of the ring, for an X that is read in place.
template <class Policy>
struct MatrixWhoseLanesFree : WarpgroupMatrix<float, float> {
  using WarpgroupMatrix<float, float>::WarpgroupMatrix;

  void launch(const WarpgroupCase&, const Product<float, float>& product, const Scratch& workspace) const {
    Cuda::WarpgroupArguments<float> arguments = {
        {.A = pattern_, .schedule = schedule_.view, .product = product}, steps_.data(), lines_.data()};
    arguments.x = product.x.data;
    arguments.x_columns = product.x.columns;
    arguments.x_row_bytes = Cuda::row_bytes(product.x);
    arguments.partials = reinterpret_cast<float*>(workspace.data);
    arguments.partials_stride = product.x.columns;
    Cuda::launch_warpgroups<EveryLaneFrees<Policy>>(nullptr, arguments);
  }
};

template <class Policy>
void check_barriers(const char* name) {
  SCOPED_TRACE(name);
  WarpgroupCase c;
  c.precision = Policy::precision;
  c.columns = 300;
  c.piece_tiles = 5;
  const HostMatrix A = random_matrix(300, 900, 9, 16);
  const auto x = random_values<float>(extent(c, A.columns), 5), y = random_values<float>(extent(c, A.rows), 6);
  auto result = y;
  multiply(MatrixWhoseLanesFree<Policy>(A, c), A, c, x, result);
  expect_right<float>(A, c, x, y, result);
}

// racecheck skips the usual kernel, and checks these products instead (scripts/check_gpu).
TEST(WarpgroupSpmm, EveryLaneFrees) {
  TESSERA_SKIP_WITHOUT_GPU();
  check_barriers<Cuda::TunedWarpgroupPolicies<Precision::Tf32>::Narrow>("narrow");
  check_barriers<Cuda::TunedWarpgroupPolicies<Precision::Tf32>::Wide>("wide");
  check_barriers<Cuda::TunedWarpgroupPolicies<Precision::Tf32x3>::Wide>("split");
}

TEST(WarpgroupSpmm, WhatOverflowsFp16) {
  TESSERA_SKIP_WITHOUT_GPU();
  WarpgroupCase c;
  c.precision = Precision::Fp16;
  HostMatrix A = random_matrix(61, 203, 6, 10);
  auto x = random_values<float>(extent(c, A.columns), 3);
  x[place(c, A.columns, 100, 5)] = 1e5f;
  check_product<WarpgroupCell<Precision::Fp16>>(A, c, x);
  A.values[30] = -1e6;
  check_product<WarpgroupCell<Precision::Fp16>>(A, c, x);
}

TEST(WarpgroupSpmm, StepsMergeTwoRowsOfBlocks) {
  const HostMatrix A = random_matrix(193, 4000, 1, 4);
  const HostBcsr B = serial_bcsr(A, {64, 64});
  const BcsrPattern pattern{
      A.rows, A.columns, {64, 64}, B.block_offsets.data(), B.block_columns.data(), B.block_masks.data()};
  const auto all = static_cast<int>(B.block_columns.size());
  std::vector<int> seen;
  Ordinal panels = 0;
  for (Ordinal panel = 0; panel < 2; ++panel, ++panels) {
    Ordinal before = -1;
    Cuda::for_each_step(pattern, panel, [&](const Cuda::BlockStep& step) {
      EXPECT_GT(step.column, before);
      before = step.column;
      EXPECT_NE(std::min(step.blocks[0], step.blocks[1]), all) << "a step without blocks";
      for (int b = 0; b < 2; ++b) {
        if (step.blocks[b] == all) continue;
        seen.push_back(step.blocks[b]);
        const std::size_t window = 2 * static_cast<std::size_t>(panel) + static_cast<std::size_t>(b);
        EXPECT_EQ(B.block_columns[static_cast<std::size_t>(step.blocks[b])], step.column);
        EXPECT_GE(static_cast<Offset>(step.blocks[b]), B.block_offsets[window]);
        EXPECT_LT(static_cast<Offset>(step.blocks[b]), B.block_offsets[window + 1]);
      }
    });
  }
  std::sort(seen.begin(), seen.end());
  ASSERT_EQ(seen.size(), B.block_columns.size());
  for (std::size_t b = 0; b < seen.size(); ++b) EXPECT_EQ(seen[b], static_cast<int>(b));
}

TEST(WarpgroupSpmm, RejectsWhatItCannotDo) {
  const auto expect_rejected = [](BlockShape block, Precision precision) {
    BcsrPattern A;
    A.block = block;
    EXPECT_THROW(Cuda::warpgroup_spmm(nullptr, A, precision, nullptr, {}, {}, nullptr, {}), std::invalid_argument);
  };
  expect_rejected({16, 16}, Precision::Tf32);
  expect_rejected({64, 64}, Precision::Native);
  EXPECT_THROW(Cuda::arrange_lines(nullptr, Precision::Native, 1, nullptr, nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Test
