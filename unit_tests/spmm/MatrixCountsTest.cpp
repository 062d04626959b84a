// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the counts that only GPU models use: choices on hosts do not depend on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "MatrixCounts.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {
namespace {

template <class T>
class MatrixCountsTest : public ::testing::Test {};
TYPED_TEST_SUITE(MatrixCountsTest, OffsetCases);

/// Distinct columns of row windows: their sum, the number of tiles of 8 that they fill, and the maximum over windows.
struct Windows {
  double columns = 0, tiles = 0, most = 0;
};
template <class Offset>
Windows windows_of(const HostPattern<Offset>& A, int height) {
  Windows sum;
  for (int first = 0; first < A.rows; first += height) {
    const auto begin = A.column_indices.begin();
    const std::set<int> columns(begin + A.row_offsets[first], begin + A.row_offsets[std::min(first + height, A.rows)]);
    sum.columns += double(columns.size());
    sum.tiles += double((columns.size() + 7) / 8);
    sum.most = std::max(sum.most, double(columns.size()));
  }
  return sum;
}

TYPED_TEST(MatrixCountsTest, WindowsAreCounted) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(1000, 700, 0.02, 1);
  MatrixStatistics found;
  Impl::count_windows(Exec(), build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern, found);
  const Windows of_8 = windows_of(A, 8), of_16 = windows_of(A, 16), of_64 = windows_of(A, 64);
  EXPECT_EQ(found.window8_columns, of_8.columns);
  EXPECT_EQ(found.bittcf_tiles, of_8.tiles);
  EXPECT_EQ(found.window8_most_tiles, std::ceil(of_8.most / 8));
  EXPECT_EQ(found.bmat_tiles, of_16.tiles);
  EXPECT_EQ(found.window16_most_tiles, std::ceil(of_16.most / 8));
  EXPECT_EQ(found.window64_columns, of_64.columns);
  EXPECT_EQ(found.window64_most_columns, of_64.most);
  EXPECT_EQ(found.window128_columns, windows_of(A, 128).columns);
}

/// Blocks of 64 x 64 are taken for a wide band, but not for scattered entries, nor without a kernel.
TYPED_TEST(MatrixCountsTest, BlocksForWarpgroupsAreTakenWhereTheyAreFaster) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto band_of = [](int rows) {
    HostPattern<Offset> A;
    A.columns = rows;
    for (int i = 0; i < rows; ++i) {
      for (int j = std::max(0, i - 256); j <= std::min(rows - 1, i + 256); ++j) A.column_indices.push_back(j);
      A.end_row();
    }
    return A;
  };
  const auto band = band_of(3000);
  const auto block_rows = [](const HostPattern<Offset>& A, const GpuModel& gpu) {
    const auto rows = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern;
    PlanOptions options;
    options.hints.num_vectors = 128;
    return statistics_of<float>(Exec(), options, Format::Auto, gpu, rows).bcsr_block_rows;
  };
  EXPECT_EQ(block_rows(band, GpuModel::tf32()), 64);
  EXPECT_NE(block_rows(random_pattern<Offset>(3000, 3000, 0.02, 1), GpuModel::tf32()), 64);
  GpuModel none = GpuModel::tf32();
  none.warpgroup_narrow_s = 0;
  EXPECT_NE(block_rows(band, none), 64);
  const auto sampled = band_of(32768);
  ASSERT_GE(sampling_stride(sampled.rows, sampled.nonzeros()), 8u);
  EXPECT_EQ(block_rows(sampled, GpuModel::tf32()), 64);
}

/// The counts of a large matrix are estimated from a sample of its rows.
TYPED_TEST(MatrixCountsTest, SamplesEstimateTheCounts) {
  using Exec = typename TypeParam::ExecutionSpace;
  constexpr int rows = 200000, length = 12;  // 2.4 million entries
  HostPattern<int> A;
  A.columns = rows;
  Random random(4);
  for (int i = 0; i < rows; ++i) {
    const int first = std::min(i, rows - 4 * length);
    for (int j = 0; j < length; ++j) A.column_indices.push_back(first + 4 * j + random.below(4));
    A.end_row();
  }
  const auto rows_of_A = build_csr(Exec(), DevicePattern<Exec, int>(A).view(), A.nonzeros()).pattern;
  ASSERT_GT(sampling_stride(rows, A.nonzeros()), 1u);
  PlanOptions options;
  options.reordering = Reordering::ColumnSort;  // hosts, too, count windows
  const MachineModel model;
  const auto estimated = statistics_of<double>(Exec(), options, Format::Auto, model, rows_of_A);
  const Windows of_8 = windows_of(A, 8), of_128 = windows_of(A, 128);
  EXPECT_NEAR(estimated.window8_columns / of_8.columns, 1, 0.01);
  EXPECT_NEAR(estimated.bittcf_tiles / of_8.tiles, 1, 0.01);
  EXPECT_NEAR(estimated.window128_columns / of_128.columns, 1, 0.01);
  EXPECT_EQ(estimated.nonzeros, double(A.nonzeros()));
  EXPECT_EQ(estimated.rows, rows);
}

}  // namespace
}  // namespace Tessera::Impl::Test
