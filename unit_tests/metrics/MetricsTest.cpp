// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tessera/metrics/Fingerprint.hpp>
#include <tessera/metrics/FormatTiles.hpp>
#include <tessera/metrics/Imbalance.hpp>
#include <tessera/metrics/RowLengths.hpp>
#include <tessera/metrics/RowSample.hpp>
#include <tessera/metrics/WindowColumns.hpp>

#include "AnyFormat.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class MetricsTest : public ::testing::Test {};
TYPED_TEST_SUITE(MetricsTest, OffsetCases);

TYPED_TEST(MetricsTest, LengthsOfRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> A;
  A.columns = 10;
  for (const int length : {3, 0, 5, 0, 2}) {
    for (int j = 0; j < length; ++j) A.column_indices.push_back(j);
    A.end_row();
  }
  const auto lengths = row_lengths(Exec(), DevicePattern<Exec, Offset>(A).view());
  EXPECT_DOUBLE_EQ(lengths.mean, 2);
  EXPECT_DOUBLE_EQ(lengths.deviation, std::sqrt((1 + 4 + 9 + 4 + 0) / 5.0));
  EXPECT_EQ(lengths.shortest, 0u);
  EXPECT_EQ(lengths.longest, 5u);
  EXPECT_EQ(lengths.empty, 2u);
}

TYPED_TEST(MetricsTest, NoRowsHaveNoLength) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto lengths = row_lengths(Exec(), DevicePattern<Exec, Offset>(HostPattern<Offset>()).view());
  EXPECT_EQ(lengths.mean, 0);
  EXPECT_EQ(lengths.deviation, 0);
  EXPECT_EQ(lengths.shortest, 0u);
  EXPECT_EQ(lengths.longest, 0u);
}

TYPED_TEST(MetricsTest, OneInFourColumnsEstimatesWindows) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<int>(1000, 5000, 0.1, 7);
  const DevicePattern<Exec, int> device(A);
  const auto exact = window_columns(Exec(), device.view(), A.nonzeros());
  const auto estimated = window_columns(Exec(), device.view(), A.nonzeros(), 4);
  for (std::size_t level = 0; level < exact.size(); ++level) {
    EXPECT_NEAR(double(estimated[level].columns) / double(exact[level].columns), 1, 0.05) << level;
    EXPECT_NEAR(double(estimated[level].tiles) / double(exact[level].tiles), 1, 0.05) << level;
    EXPECT_NEAR(double(estimated[level].most_columns) / double(exact[level].most_columns), 1, 0.1) << level;
    EXPECT_NE(estimated[level].columns, exact[level].columns);
  }
}

/// A sample has one chunk of each `stride` chunks, whole and unchanged, the same one in each run.
TYPED_TEST(MetricsTest, ASampleHasWholeChunksOfRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<int>(20 * sampled_chunk + 5, 300, 0.02, 3);
  const DevicePattern<Exec, int> device(A);
  for (const int stride : {1, 3, 20}) {
    const auto sample = sample_rows(Exec(), device.view(), static_cast<std::size_t>(stride));
    const auto offsets = to_host(sample.row_offsets), columns = to_host(sample.column_indices);
    ASSERT_EQ(sample.rows, 20 / stride * sampled_chunk);
    ASSERT_EQ(std::size_t(offsets[sample.rows]), sample.nonzeros);
    ASSERT_EQ(columns.size(), sample.nonzeros);
    const auto row_of = [](const auto& starts, const auto& indices, int row) {
      return std::vector<int>(indices.begin() + starts[row], indices.begin() + starts[row + 1]);
    };
    for (int first = 0; first < sample.rows; first += sampled_chunk) {
      const int group = first / sampled_chunk;
      int found = 0;
      for (int chunk = group * stride; chunk < (group + 1) * stride; ++chunk) {
        bool is_equal = true;
        for (int r = 0; r < sampled_chunk && is_equal; ++r) {
          is_equal =
              row_of(offsets, columns, first + r) == row_of(A.row_offsets, A.column_indices, chunk * sampled_chunk + r);
        }
        found += is_equal ? 1 : 0;
      }
      EXPECT_EQ(found, 1) << "sample " << group << " of stride " << stride;
    }
    EXPECT_EQ(to_host(sample_rows(Exec(), device.view(), static_cast<std::size_t>(stride)).column_indices), columns);
  }
}

TEST(RowSample, OnlyLargeMatricesAreSampled) {
  EXPECT_EQ(sampling_stride(0, 0), 1u);
  EXPECT_EQ(sampling_stride(1000000, (1 << 21) - 1), 1u);
  EXPECT_EQ(sampling_stride(1000000, 1 << 24), 16u);
  EXPECT_EQ(sampling_stride(60 * sampled_chunk, 1 << 24), 1u);  // too few chunks
  EXPECT_EQ(sampling_stride(100 * sampled_chunk, 1 << 24), 3u);
}

/// Acc-SpMM, Eq. 3, for the counts 4, 0, 1, 3, whose mean is 2.
TYPED_TEST(MetricsTest, ImbalanceIsAMeanAbsoluteDeviation) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto of = [](const std::vector<Offset>& offsets) {
    return imbalance(Exec(), Impl::device_copy(Exec(), "offsets", offsets));
  };
  EXPECT_DOUBLE_EQ(of({0, 4, 4, 5, 8}), (2 + 2 + 1 + 1) / 4.0);
  EXPECT_DOUBLE_EQ(of({0, 5, 10, 15}), 0);
  EXPECT_DOUBLE_EQ(of({0}), 0);
  EXPECT_DOUBLE_EQ(of({}), 0);
}

TYPED_TEST(MetricsTest, MostEntriesOfRowsAndWindows) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> A;
  A.columns = 10;
  for (const int length : {3, 0, 4, 1, 1, 7, 0, 0, 6}) {
    for (int j = 0; j < length; ++j) A.column_indices.push_back(j);
    A.end_row();
  }
  const DevicePattern<Exec, Offset> device(A);
  EXPECT_EQ(most_entries(Exec(), device.view(), 1), 7u);
  EXPECT_EQ(most_entries(Exec(), device.view(), 2), 8u);    // rows 4 and 5
  EXPECT_EQ(most_entries(Exec(), device.view(), 4), 8u);    // rows 0 to 3
  EXPECT_EQ(most_entries(Exec(), device.view(), 64), 22u);  // all nine rows
  EXPECT_EQ(most_entries(Exec(), DevicePattern<Exec, Offset>(HostPattern<Offset>()).view(), 64), 0u);
}

/// Returns the number of tiles for pairs (window, column): eight columns of a window make a tile.
std::size_t tiles_of(const std::set<std::pair<int, int>>& distinct) {
  std::map<int, std::size_t> columns;
  for (const auto& [window, column] : distinct) ++columns[window];
  std::size_t tiles = 0;
  for (const auto& [window, count] : columns) tiles += (count + 7) / 8;
  return tiles;
}

std::size_t most_columns_of(const std::set<std::pair<int, int>>& distinct) {
  std::map<int, std::size_t> columns;
  std::size_t most = 0;
  for (const auto& [window, column] : distinct) most = std::max(most, ++columns[window]);
  return most;
}

TYPED_TEST(MetricsTest, DistinctColumnsOfWindows) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const int rows : {0, 1, 8, 9, 127, 128, 129, 300}) {
    const auto A = random_pattern<Offset>(rows, 90, 0.03, 7, 5);
    const auto found = window_columns(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros());
    int window_rows = 8;
    for (const WindowColumns& windows : found) {
      std::set<std::pair<int, int>> distinct;
      for (int row = 0; row < rows; ++row) {
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          distinct.insert({row / window_rows, A.column_indices[k]});
        }
      }
      EXPECT_EQ(windows.window_rows, window_rows);
      EXPECT_EQ(windows.columns, distinct.size()) << rows << " rows, windows of " << window_rows;
      EXPECT_EQ(windows.tiles, tiles_of(distinct)) << rows << " rows, windows of " << window_rows;
      EXPECT_EQ(windows.most_columns, most_columns_of(distinct)) << rows << " rows, windows of " << window_rows;
      EXPECT_DOUBLE_EQ(windows.reuse, distinct.empty() ? 0 : static_cast<double>(A.nonzeros()) / distinct.size());
      window_rows *= 2;
    }
  }
}

/// More entries than are counted in one batch. Each 8 rows share 100 columns, the next 8 rows share the next 100, and
/// so on. The last row has an additional entry.
TYPED_TEST(MetricsTest, DistinctColumnsOfManyWindows) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> A;
  const int groups = 3001;
  A.columns = 100 * groups + 1;
  for (int row = 0; row < 8 * groups; ++row) {
    for (int j = 0; j < 100; ++j) A.column_indices.push_back(100 * (row / 8) + j);
    if (row + 1 == 8 * groups) A.column_indices.push_back(100 * groups);
    A.end_row();
  }
  for (const WindowColumns& windows :
       window_columns(Exec(), DevicePattern<Exec, Offset>(A).view(), static_cast<std::size_t>(A.nonzeros()))) {
    const int groups_of_window = windows.window_rows / 8, rest = groups % groups_of_window;
    const int columns_of_last = 100 * (rest > 0 ? rest : groups_of_window) + 1;
    const int whole = rest > 0 ? groups / groups_of_window : groups / groups_of_window - 1;
    const int tiles = whole * ((100 * groups_of_window + 7) / 8) + (columns_of_last + 7) / 8;
    const int most_columns = std::max(100 * groups_of_window, columns_of_last);
    EXPECT_EQ(windows.columns, 100u * groups + 1) << "windows of " << windows.window_rows;
    EXPECT_EQ(windows.most_columns, static_cast<std::size_t>(most_columns)) << "windows of " << windows.window_rows;
    EXPECT_EQ(windows.tiles, static_cast<std::size_t>(tiles)) << "windows of " << windows.window_rows;
  }
}

template <class Exec, class Offset>
std::uint64_t fingerprint_of(const HostPattern<Offset>& A) {
  return fingerprint(Exec(), DevicePattern<Exec, Offset>(A).view(), static_cast<std::size_t>(A.nonzeros()));
}

TYPED_TEST(MetricsTest, FingerprintsTellPatternsApart) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(30, 40, 0.2, 1);
  EXPECT_NE(fingerprint_of<Exec>(A), fingerprint_of<Exec>(random_pattern<Offset>(30, 40, 0.2, 2)));
  auto wider = A;
  ++wider.columns;
  EXPECT_NE(fingerprint_of<Exec>(A), fingerprint_of<Exec>(wider));
  auto exchanged = A;  // the same columns in another order
  std::swap(exchanged.column_indices[0], exchanged.column_indices[5]);
  EXPECT_NE(fingerprint_of<Exec>(A), fingerprint_of<Exec>(exchanged));
  auto moved = A;  // moves an entry to the next row
  --moved.row_offsets[1];
  EXPECT_NE(fingerprint_of<Exec>(A), fingerprint_of<Exec>(moved));
  EXPECT_NE(fingerprint_of<Exec>(HostPattern<Offset>()), fingerprint_of<Exec>(wider));
}

/// The tables of columns have space for a window with a single column.
TYPED_TEST(MetricsTest, ColumnsOfAnEntryAlone) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<typename TypeParam::Offset> A;
  A.columns = 5;
  for (int row = 0; row < 200; ++row) {
    if (row == 150) A.column_indices.push_back(3);
    A.end_row();
  }
  for (const WindowColumns& windows :
       window_columns(Exec(), DevicePattern<Exec, typename TypeParam::Offset>(A).view(), 1)) {
    EXPECT_EQ(windows.columns, 1u) << "windows of " << windows.window_rows;
    EXPECT_EQ(windows.tiles, 1u) << "windows of " << windows.window_rows;
    EXPECT_EQ(windows.most_columns, 1u) << "windows of " << windows.window_rows;
  }
}

/// Tuning records identify matrices by their fingerprints, so fingerprints must not change.
TYPED_TEST(MetricsTest, FingerprintsStayTheSame) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<typename TypeParam::Offset> A;
  A.columns = 3;
  A.column_indices = {0};
  A.end_row();
  A.column_indices = {0, 1, 2};
  A.end_row();
  EXPECT_EQ(fingerprint_of<Exec>(A), 0xbe54eb2aad05e089u);
}

template <class Exec, class Offset>
TileMetrics metrics_of(Format format, const HostPattern<Offset>& A) {
  const auto rows = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern;
  const auto measure = [](const auto& any) -> TileMetrics {
    if constexpr (requires { any.tiles(); }) return tile_metrics(Exec(), any);
    return {};
  };
  return std::visit(measure, build_format(Exec(), format, rows, {}, 8).pattern);
}

TYPED_TEST(MetricsTest, TilesOfAFullMatrixAreFull) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(64, 64, 1.0, 1);
  for (const Format format : every_format) {
    SCOPED_TRACE(to_string(format));
    const auto metrics = metrics_of<Exec>(format, A);
    if (format == Format::Csr) {
      EXPECT_EQ(metrics.tiles, 0u);
      EXPECT_EQ(metrics.fill, 0);
      EXPECT_FALSE(metrics.imbalance);
      continue;
    }
    EXPECT_GT(metrics.tiles, 0u);
    EXPECT_EQ(metrics.tiled_nonzeros, 64u * 64);
    EXPECT_DOUBLE_EQ(metrics.mean_nonzeros, 64.0 * 64 / metrics.tiles);
    if (format == Format::SortedColumns) {  // its blocks belong to no window
      EXPECT_FALSE(metrics.imbalance);
    } else {
      EXPECT_EQ(metrics.imbalance, 0.0);
    }
  }
  EXPECT_EQ((metrics_of<Exec>(Format::RowGroups, A).tiles), 16u * 64);
  EXPECT_DOUBLE_EQ((metrics_of<Exec>(Format::RowGroups, A).fill), 1);
  EXPECT_EQ((metrics_of<Exec>(Format::BitTcf, A).tiles), 64u);
  EXPECT_DOUBLE_EQ((metrics_of<Exec>(Format::BitTcf, A).fill), 1);
  EXPECT_EQ((metrics_of<Exec>(Format::Bmat, A).tiles), 32u);
  EXPECT_DOUBLE_EQ((metrics_of<Exec>(Format::Bmat, A).fill), 1);
}

/// 16 rows with one column, then 16 rows with 24 others: windows of 8 rows have 1, 1, 3 and 3 tiles.
TYPED_TEST(MetricsTest, TilesOfAnUnevenMatrix) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> A;
  A.columns = 30;
  for (int row = 0; row < 32; ++row) {
    if (row < 16) A.column_indices.push_back(29);
    for (int j = 0; row >= 16 && j < 24; ++j) A.column_indices.push_back(j);
    A.end_row();
  }
  const auto bittcf = metrics_of<Exec>(Format::BitTcf, A);
  EXPECT_EQ(bittcf.tiles, 8u);
  EXPECT_DOUBLE_EQ(bittcf.mean_nonzeros, 400.0 / 8);
  EXPECT_DOUBLE_EQ(bittcf.fill, 400.0 / (8 * 64));
  EXPECT_EQ(bittcf.imbalance, 1.0);
  const auto bmat = metrics_of<Exec>(Format::Bmat, A);
  EXPECT_EQ(bmat.tiles, 4u);
  EXPECT_DOUBLE_EQ(bmat.fill, 400.0 / (4 * 128));
  EXPECT_EQ(bmat.imbalance, 1.0);
}

TYPED_TEST(MetricsTest, AnEmptyMatrixHasNoTiles) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> A;
  A.columns = 3;
  for (const Format format : every_format) {
    const auto metrics = metrics_of<Exec>(format, A);
    EXPECT_EQ(metrics.tiles, 0u) << to_string(format);
    EXPECT_EQ(metrics.fill, 0) << to_string(format);
  }
}

}  // namespace Tessera::Impl::Test
