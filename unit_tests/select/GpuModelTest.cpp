// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tessera/select/GpuModel.hpp>
#include <tuple>
#include <utility>

namespace Tessera::Impl::Test {

/// The statistics of a matrix in its own or another order: tiles of 8 and 16 rows, and distinct columns in windows of
/// 8, 64 and 128 rows. Optional: entries of the longest row, tiles of the longest windows of 8 and 16 rows, and columns
/// of the longest window of 64.
struct Counts {
  const char* name;
  bool is_reordered;
  double rows, nonzeros, bittcf, bmat, near, staged, window;
  double longest_row = 0, longest_window = 0, longest_tall = 0, longest_staged = 0;
};

constexpr Counts fem3d{"fem3d", false, 262144, 6859000, 376872, 328744, 2815800, 2310400, 1532160, 27, 12, 21, 576};
constexpr Counts fem3d_windows{"fem3d, windows", true, 262144, 6859000, 250368, 187010, 2001240, 869214, 721447};
constexpr Counts elasticity{"elasticity", false,   192000, 14787288, 416888, 308688, 3258216,
                            1870536,      1634772, 81,     21,       27,     648};
constexpr Counts elasticity_windows{
    "elasticity, windows", true, 192000, 14787288, 413789, 285763, 3248589, 1258569, 1001256};
constexpr Counts ddi{"ddi", false, 4267, 2140089, 174472, 119593, 1393853, 285464, 145046, 2234, 507, 526, 4267};
constexpr Counts blocks{"FY-RSR", false, 45954, 6805486, 367024, 215740, 2916201, 609241, 411050, 824, 196, 220, 2095};
constexpr Counts blocks_affinity{"FY-RSR, affinity", true, 45954, 6805486, 135522, 78754, 1063674, 280679, 221280};
constexpr Counts band{"band64", false, 16384, 1047552, 18412, 10228, 145252, 32449, 24385, 64, 9, 10, 127};
constexpr Counts road{"roadNet-CA", false, 1971281, 5533214, 781643, 728061, 5467740, 4968732, 4508972, 4, 4, 8, 192};
constexpr Counts road_windows{"roadNet-CA, windows", true, 1971281, 5533214, 493912, 395657, 3017644, 2518168, 2438396};
constexpr Counts web{"web-BerkStan", false,   685230, 7600595, 721109, 589678, 5469516,
                     3020454,        2537158, 249,    85,      113,    1889};
constexpr Counts molecules{"YeastH", false, 3138114, 6487230, 783150, 587748, 4208650, 3271669, 3205019, 7, 3, 3, 72};
constexpr Counts uniform{"uniform16", false, 1000000, 16000000, 2000000, 2000000, 16000000, 16000000, 16000000};

MatrixStatistics statistics(const Counts& counts, double vector_columns = 32, double bytes = 8) {
  MatrixStatistics m;
  m.rows = m.columns = counts.rows;
  m.nonzeros = counts.nonzeros;
  m.bittcf_tiles = counts.bittcf;
  m.bmat_tiles = counts.bmat;
  m.window8_columns = counts.near;
  m.window64_columns = counts.staged;
  m.window128_columns = counts.window;
  m.longest_row = counts.longest_row;
  m.window8_most_tiles = counts.longest_window;
  m.window16_most_tiles = counts.longest_tall;
  m.window64_most_columns = counts.longest_staged;
  m.is_reordered = counts.is_reordered;
  m.vector_columns = vector_columns;
  m.matrix_bytes = m.vector_bytes = bytes;
  return m;
}

/// Native float, without staging chunks of X.
GpuModel without_chunks() {
  GpuModel gpu = GpuModel::without_tile_kernels();
  gpu.chunks.shared_bytes = 0;
  return gpu;
}

/// Returns the predicted seconds of the candidate with this format, or 0.
double seconds_of(const Choice& choice, Format format) {
  for (const Candidate& candidate : choice.candidates)
    if (candidate.format == format) return candidate.predicted_seconds;
  return 0;
}

/// Measured times on an H200: with CSR, and with the faster of BitTCF and staged windows.
struct Measured {
  Counts counts;
  double vector_columns, csr_seconds, tile_seconds;
};

/// fit_model, in the tests of the benchmarks, rates the model on all measurements.
TEST(GpuModel, PrefersWhatWasFasterAndPredictsItsTimeInDouble) {
  GpuModel gpu;
  gpu.chunks.shared_bytes = 0;  // measurements were made without chunks
  for (const Measured& measured :
       {Measured{fem3d, 32, 141e-6, 116e-6}, Measured{fem3d, 128, 415e-6, 360e-6},
        Measured{fem3d_windows, 32, 145e-6, 75e-6}, Measured{fem3d_windows, 128, 388e-6, 254e-6},
        Measured{elasticity, 32, 259e-6, 118e-6}, Measured{elasticity, 128, 760e-6, 364e-6},
        Measured{elasticity_windows, 32, 266e-6, 109e-6}, Measured{blocks, 32, 199e-6, 80e-6},
        Measured{blocks, 128, 717e-6, 233e-6}, Measured{ddi, 128, 217e-6, 139e-6}, Measured{band, 32, 23e-6, 8e-6},
        Measured{web, 32, 354e-6, 220e-6}}) {
    const MatrixStatistics m = statistics(measured.counts, measured.vector_columns);
    const Choice choice = choose_format(m, gpu);
    const std::string what = std::string(measured.counts.name) + ", " + std::to_string(measured.vector_columns);
    EXPECT_TRUE(choice.format == Format::BitTcf || choice.format == Format::Staged) << what;
    EXPECT_NEAR(std::log(seconds_of(choice, Format::Csr) / measured.csr_seconds), 0, 0.55) << what;
    EXPECT_NEAR(std::log(seconds_of(choice, choice.format) / measured.tile_seconds), 0, 0.5) << what;
  }
}

/// On GPUs that nobody measured, plans keep CSR. The others keep their order and their predictions.
TEST(GpuModel, OnOtherGpusRowsAreKept) {
  GpuModel known, unknown;
  unknown.is_known = false;
  for (const Counts& counts : {fem3d, elasticity, blocks, ddi, band, web, road}) {
    for (const double columns : {1.0, 8.0, 32.0, 128.0}) {
      const Choice usual = choose_format(statistics(counts, columns), known);
      const Choice choice = choose_format(statistics(counts, columns), unknown);
      EXPECT_EQ(choice.format, Format::Csr) << counts.name;
      EXPECT_NE(choice.reason.find("rates of this device are unknown"), std::string::npos) << choice.reason;
      ASSERT_EQ(choice.candidates.size(), usual.candidates.size());
      std::vector<Format> order;
      for (const Candidate& candidate : usual.candidates)
        if (candidate.format != Format::Csr) order.push_back(candidate.format);
      for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(choice.candidates[i + 1].format, order[i]) << counts.name;
        EXPECT_EQ(choice.candidates[i + 1].predicted_seconds, seconds_of(usual, order[i])) << counts.name;
      }
    }
  }
}

TEST(GpuModel, RatesWereMeasuredOnTwoKindsOfGpus) {
  for (const char* const gpu : {"NVIDIA H100 80GB HBM3", "NVIDIA H200"}) EXPECT_TRUE(has_measured_rates(gpu)) << gpu;
  for (const char* const gpu : {"NVIDIA GH200 480GB", "NVIDIA A100-SXM4-80GB", "NVIDIA L40S", "NVIDIA B200", ""})
    EXPECT_FALSE(has_measured_rates(gpu)) << gpu;
}

TEST(GpuModel, ScatteredNonzerosStayInRows) {
  for (const auto& [counts, vector_columns, seconds] :
       {std::tuple(road, 1, 35e-6), std::tuple(road, 8, 146e-6), std::tuple(molecules, 1, 47e-6),
        std::tuple(uniform, 32, 947e-6), std::tuple(uniform, 128, 3986e-6)}) {
    const Choice choice = choose_format(statistics(counts, vector_columns), GpuModel{});
    EXPECT_EQ(choice.format, Format::Csr) << counts.name << ", " << vector_columns;
    EXPECT_NEAR(std::log(seconds_of(choice, Format::Csr) / seconds), 0, 0.5) << counts.name << ", " << vector_columns;
  }
}

/// Measured microseconds of float CSR on an H100. On an H200, web took 163, 422 and 1828.
TEST(GpuModel, FloatsInRowsTakeTheTimeOfTheDevicesMemory) {
  const GpuModel h100 = without_chunks().with_memory(3.35e12);
  for (const auto& [counts, vector_columns, microseconds] :
       {std::tuple(web, 32, 175), std::tuple(web, 128, 507), std::tuple(web, 512, 1996), std::tuple(road, 32, 225),
        std::tuple(road, 128, 801), std::tuple(road, 512, 3003), std::tuple(molecules, 32, 334),
        std::tuple(molecules, 128, 1210), std::tuple(molecules, 512, 4473), std::tuple(uniform, 32, 671),
        std::tuple(uniform, 128, 2946), std::tuple(uniform, 512, 11583), std::tuple(ddi, 512, 480)}) {
    const MatrixStatistics m = statistics(counts, vector_columns, 4);
    const std::string what = std::string(counts.name) + ", " + std::to_string(vector_columns);
    EXPECT_NEAR(std::log(1e6 * seconds_of(choose_format(m, h100), Format::Csr) / microseconds), 0, 0.35) << what;
  }
}

/// Gathers from an X of 32 MB depend on the cache, those from 256 MB on memory; between these, on both.
TEST(GpuModel, LargerXDependMoreOnMemory) {
  GpuModel gpu;
  gpu.gathers[0].footprint = 16e6;
  gpu.gathers[1].footprint = 32e6;
  gpu.gathers[2].footprint = 64e6;
  gpu.gathers[3].footprint = 256e6;
  const GpuModel slower = gpu.with_memory(H200::memory_rate / 8);
  EXPECT_DOUBLE_EQ(slower.gathers[0].bytes, gpu.gathers[0].bytes);
  EXPECT_DOUBLE_EQ(slower.gathers[1].bytes, gpu.gathers[1].bytes);
  EXPECT_DOUBLE_EQ(slower.gathers[2].bytes, gpu.gathers[2].bytes / 2);
  EXPECT_DOUBLE_EQ(slower.gathers[3].bytes, gpu.gathers[3].bytes / 8);
}

/// Tiles whose windows have fewer columns fetch fewer rows of X.
TEST(GpuModel, TilesFetchTheColumnsOfTheirWindows) {
  MatrixStatistics m = statistics(uniform, 128);
  m.window128_columns = 0;  // larger windows were not counted
  const auto seconds = [&] {
    return predict(m, {Format::BitTcf, m.bittcf_tiles, 8 * m.nonzeros}, GpuModel{}).predicted_seconds;
  };
  const double scattered = seconds();
  m.window8_columns = m.nonzeros / 8;
  EXPECT_LT(seconds(), 0.9 * scattered);
}

TEST(GpuModel, SlowerMemorySlowsWhatDoesNotStayInCaches) {
  const GpuModel gpu = GpuModel::without_tile_kernels();
  const auto share = [&](const Counts& counts, double vector_columns) {
    const MatrixStatistics m = statistics(counts, vector_columns, 4);
    const auto seconds = [&](double memory) {
      return predict(m, {Format::Csr, 0, 8 * m.nonzeros}, gpu.with_memory(memory)).predicted_seconds;
    };
    EXPECT_EQ(seconds(H200::memory_rate), predict(m, {Format::Csr, 0, 8 * m.nonzeros}, gpu).predicted_seconds);
    return seconds(H200::memory_rate / 2) / seconds(H200::memory_rate);
  };
  EXPECT_GT(share(uniform, 512), 1.8);
  EXPECT_LE(share(uniform, 512), 2);
  EXPECT_LT(share(ddi, 512), 1.05);  // X has 9 MB
}

/// If the elements of X for eight rows exceed the near cache, the lanes fetch them again from the next cache.
TEST(GpuModel, RowsShareOnlyWhatFits) {
  const auto seconds = [](double vector_columns, double near_cache) {
    GpuModel gpu = without_chunks();
    gpu.near_cache_bytes = near_cache;
    return seconds_of(choose_format(statistics(ddi, vector_columns, 4), gpu), Format::Csr);
  };
  EXPECT_GT(seconds(512, GpuModel().near_cache_bytes), 1.1 * seconds(512, 1e9));
  MatrixStatistics m = statistics(fem3d, 128, 4);  // 86 columns, 44 KB
  GpuModel more = GpuModel::without_tile_kernels();
  const double usual = seconds_of(choose_format(m, more), Format::Csr);
  more.near_cache_bytes = 1e9;
  EXPECT_EQ(usual, seconds_of(choose_format(m, more), Format::Csr));
}

TEST(GpuModel, ALongRowOrWindowTakesTheTimeOfItsPiece) {
  Counts small{"", false, 2000, 20000, 2000, 1500, 15000, 12000, 10000, 20, 5, 8, 200};
  const auto seconds = [&](Format format) { return seconds_of(choose_format(statistics(small), GpuModel{}), format); };
  const double csr = seconds(Format::Csr), tiles = seconds(Format::BitTcf), tall = seconds(Format::Bmat);
  const double staged = seconds(Format::Staged);
  small.longest_row = 30;
  const double longer = seconds(Format::Csr);
  EXPECT_GT(longer, csr);
  small.longest_row = 600;  // the row is cut into pieces, and another kernel adds their sums
  EXPECT_GT(seconds(Format::Csr), longer + 0.5 * GpuModel{}.sums_s);
  const double long_row = seconds(Format::Csr);
  small.longest_row = 1200;
  EXPECT_LT(seconds(Format::Csr), 1.1 * long_row);
  small.longest_window = small.longest_tall = 30;
  small.longest_staged = 1000;
  EXPECT_GT(seconds(Format::BitTcf), tiles);
  EXPECT_GT(seconds(Format::Bmat), tall);
  EXPECT_GT(seconds(Format::Staged), staged);
}

/// Small matrices have short pieces except for wide rows of X. Groups that fetch little also have short pieces.
TEST(GpuModel, PiecesOfSmallMatricesAreShort) {
  const Counts graph{"", false, 60000, 200000, 60000, 25000, 150000, 120000, 110000, 600, 75, 80, 3000};
  GpuModel floats = GpuModel::without_tile_kernels(), long_pieces = floats;
  long_pieces.wide_row_bytes = 0;
  long_pieces.short_group_pieces_bytes = 1;
  MatrixStatistics m = statistics(graph, 32, 4);
  m.row_groups = 60000;
  m.group_columns = m.group_values = 200000;
  for (const Format format : {Format::Csr, Format::RowGroups})
    EXPECT_LT(seconds_of(choose_format(m, floats), format), seconds_of(choose_format(m, long_pieces), format))
        << to_string(format);
  const MatrixStatistics wide = statistics(graph, 512, 4);
  EXPECT_EQ(seconds_of(choose_format(wide, floats), Format::Csr),
            seconds_of(choose_format(wide, long_pieces), Format::Csr));
}

/// Long rows of small matrices are cut only above a limit. Below it, no kernel is needed to add pieces.
TEST(GpuModel, SmallMatricesWithoutVeryLongRowsAreNotCut) {
  Counts small{"", false, 2000, 200000, 2000, 25000, 150000, 120000, 110000, 160, 20, 20, 3000};
  const auto seconds = [&] { return seconds_of(choose_format(statistics(small), GpuModel{}), Format::Csr); };
  const double whole = seconds();
  small.longest_row = 161;
  EXPECT_NE(seconds(), whole);
  GpuModel no_sums;
  no_sums.sums_s = no_sums.rows.sum_step_s = 0;
  small.longest_row = 160;
  EXPECT_EQ(seconds_of(choose_format(statistics(small), no_sums), Format::Csr), whole);
}

/// Tiles process all columns of a window before the next window, so wide rows of X leave the cache before they are read
/// again. CSR processes one panel of columns after another.
TEST(GpuModel, TilesReadWideRowsOfXAgain) {
  const Counts graph{"", false, 1e6, 3e7, 3e6, 2e6, 2.4e7, 1.2e7, 1.15e7, 60, 8, 8, 900};
  GpuModel with_room;
  with_room.window_cache_bytes = 1e15;
  const auto penalty = [&](Format format, double columns) {  // the penalty of a cache too small for X
    const MatrixStatistics m = statistics(graph, columns);
    return seconds_of(choose_format(m, GpuModel{}), format) / seconds_of(choose_format(m, with_room), format);
  };
  EXPECT_GT(penalty(Format::BitTcf, 4096), 1.3 * penalty(Format::BitTcf, 128));
  EXPECT_LT(penalty(Format::Csr, 4096), 1.1 * penalty(Format::Csr, 128));
}

/// With tiles of 16 rows there are half the windows and larger tiles, so the constant costs of windows and of tiles are
/// lower. In TF32, BMat took 206 and 211 us on an H200, and BitTCF 265 and 281.
TEST(GpuModel, FewColumnsOfShortWindowsAreForTallTiles) {
  for (const double columns : {2, 8}) {
    const Choice choice = choose_format(statistics(molecules, columns, 4), GpuModel::tf32());
    EXPECT_LT(seconds_of(choice, Format::Bmat), seconds_of(choice, Format::BitTcf)) << columns;
  }
  const Choice wide = choose_format(statistics(elasticity, 512, 4), GpuModel::tf32x3());
  EXPECT_GT(seconds_of(wide, Format::Bmat), seconds_of(wide, Format::BitTcf));
}

/// A tile is found and loaded once in each slab of columns. In TF32x3, elasticity took 73 us on an H200 with one
/// column, and 93 us with 32.
TEST(GpuModel, ATileTakesATimeInEachSlabAndOneForEachColumn) {
  const auto seconds = [](double columns, const GpuModel& gpu) {
    return seconds_of(choose_format(statistics(elasticity, columns, 4), gpu), Format::BitTcf);
  };
  const GpuModel gpu = GpuModel::tf32x3();
  EXPECT_LT(seconds(1, gpu), 0.85 * seconds(32, gpu));
  EXPECT_GT(seconds(1, gpu), 0.5 * seconds(32, gpu));
  GpuModel narrow = gpu;
  narrow.slab_columns = 32;
  EXPECT_EQ(seconds(32, gpu), seconds(32, narrow));
  EXPECT_LT(seconds(64, gpu), 0.9 * seconds(64, narrow));
}

/// Multiplying tiles overlaps with moving A and Y. With 512 columns of double, BitTCF took 1640 us on an H100, and row
/// groups 1910.
TEST(GpuModel, TilesAreMultipliedWhileAAndYMove) {
  MatrixStatistics m = statistics(elasticity, 512);
  m.row_groups = m.rows / 3;
  m.group_columns = 5122688;
  m.group_values = 15379712;
  const Choice choice = choose_format(m, GpuModel{}.with_memory(3.35e12));
  EXPECT_LT(seconds_of(choice, Format::BitTcf), seconds_of(choice, Format::RowGroups));
  GpuModel apart;
  apart.tile_overlap = 1;
  EXPECT_GT(seconds_of(choose_format(m, apart), Format::BitTcf),
            1.1 * seconds_of(choose_format(m, GpuModel{}), Format::BitTcf));
}

/// band64 in float, 32 columns: row groups took 8.4 us on an H100, and CSR 17.
TEST(GpuModel, ARowIsAChainBesidesTheWork) {
  MatrixStatistics m = statistics(band, 32, 4);
  m.row_groups = 4096;
  m.group_columns = 278240;
  m.group_values = 1112960;
  EXPECT_EQ(choose_format(m, GpuModel::without_tile_kernels().with_memory(3.35e12)).format, Format::RowGroups);
}

/// Rows of X are read in units of 16 bytes up to 32 bytes, then in cache lines: more columns are never faster.
TEST(GpuModel, NarrowRowsOfXAreFetchedInVectors) {
  const auto seconds = [](const Counts& counts, double columns, double bytes) {
    return seconds_of(choose_format(statistics(counts, columns, bytes), GpuModel::without_tile_kernels()), Format::Csr);
  };
  for (const Counts& counts : {elasticity, web, fem3d}) {
    for (const double bytes : {4, 8})
      for (const double columns : {1, 2, 4, 8, 16})
        EXPECT_GE(seconds(counts, 2 * columns, bytes), 0.97 * seconds(counts, columns, bytes))
            << counts.name << ", " << columns << ", " << bytes;
  }
  EXPECT_GT(seconds(elasticity, 8, 4), 1.5 * seconds(elasticity, 4, 4));
  EXPECT_LT(seconds(elasticity, 16, 8), 1.5 * seconds(elasticity, 8, 8));
}

/// nw04 has 36 rows; the longest has 42032 entries. With one column of float, in the order of a column among others, it
/// took 20.9 us on an H100.
TEST(GpuModel, PiecesOfRowsAreAddedSoonerThanThoseOfWindows) {
  const GpuModel gpu = GpuModel::without_tile_kernels();
  MatrixStatistics m;
  m.rows = 36;
  m.columns = 87482;
  m.nonzeros = 636666;
  m.longest_row = 42032;
  m.vector_columns = 1;
  m.same_bits_alone = true;
  m.matrix_bytes = m.vector_bytes = 4;
  const double csr = seconds_of(choose_format(m, gpu), Format::Csr);
  EXPECT_NEAR(std::log(csr / 20.9e-6), 0, 0.5);
  GpuModel slow = gpu;
  slow.rows.sum_step_s = gpu.tiles.sum_step_s;
  EXPECT_GT(seconds_of(choose_format(m, slow), Format::Csr), 1.4 * csr);
}

/// Microseconds of products of one column on an H200, in double and in float.
TEST(GpuModel, OneColumn) {
  struct {
    Counts counts;
    double us[2];
  } const measured[] = {{elasticity, {47.6, 34.5}}, {fem3d, {27.0, 19.6}}, {blocks, {30.6, 22.7}}, {web, {41.3, 31.5}}};
  for (const auto& [counts, us] : measured) {
    for (const int bytes : {8, 4}) {
      const Choice choice = choose_format(statistics(counts, 1, bytes), bytes == 8 ? GpuModel() : without_chunks());
      EXPECT_NEAR(std::log(seconds_of(choice, Format::Csr) * 1e6 / us[bytes == 4]), 0, 0.25) << counts.name << bytes;
    }
  }
}

/// Compares predictions for chunks of a single column with times on an H200. Only CSR has them.
TEST(GpuModel, ChunksOfASingleColumn) {
  MatrixStatistics m;
  m.rows = m.columns = 232965;
  m.nonzeros = 114615892;
  m.window64_columns = 0.8 * m.nonzeros;
  m.longest_row = 5000;
  m.vector_columns = 1;
  const auto seconds = [&](double bytes, const GpuModel& gpu) {
    m.matrix_bytes = m.vector_bytes = bytes;
    return predict(m, {Format::Csr, 0, m.nonzeros * (4 + bytes)}, gpu).predicted_seconds;
  };
  GpuModel gpu;
  EXPECT_NEAR(seconds(8, gpu), 623e-6, 60e-6);
  EXPECT_NEAR(seconds(4, gpu), 364e-6, 60e-6);
  gpu.chunks.shared_bytes = 0;
  EXPECT_GT(seconds(4, gpu), 500e-6) << "a GPU without room for chunks";
  m.window64_columns = 0.1 * m.nonzeros;
  EXPECT_LT(seconds(4, GpuModel()), 400e-6);
  EXPECT_DOUBLE_EQ(seconds(4, GpuModel()), seconds(4, gpu)) << "nearby rows share columns";
}

/// The plan stores 16 x 16 blocks in 16 bits, whatever the type of A's values.
TEST(GpuModel, LargeBlocksMoveRoundedValues) {
  MatrixStatistics m = statistics(molecules, 2, 4);
  m.bcsr_block_rows = m.bcsr_block_columns = 16;
  const auto seconds = [&](double matrix_bytes) {
    m.matrix_bytes = matrix_bytes;
    const FormatSize size{Format::Bcsr, 500000, 500000 * (36 + 256 * matrix_bytes)};
    return predict(m, size, GpuModel::half()).predicted_seconds;
  };
  EXPECT_NEAR(seconds(8), seconds(4), 1e-12);
  EXPECT_NEAR(seconds(4), seconds(2), 1e-12);
}

TEST(GpuModel, BlocksAreACandidateWhereTheyWereCounted) {
  MatrixStatistics m = statistics(band, 512, 4);
  EXPECT_EQ(seconds_of(choose_format(m, GpuModel::tf32x3()), Format::Bcsr), 0);
  m.bcsr_block_rows = 16;
  m.bcsr_block_columns = 8;
  m.bcsr_blocks = 9200;
  const double full = seconds_of(choose_format(m, GpuModel::tf32x3()), Format::Bcsr);
  EXPECT_GT(full, 0);
  m.bcsr_blocks *= 10;
  EXPECT_GT(seconds_of(choose_format(m, GpuModel::tf32x3()), Format::Bcsr), 2 * full);
  EXPECT_EQ(seconds_of(choose_format(m, GpuModel::without_tile_kernels()), Format::Bcsr), 0);
}

/// Compares predictions for blocks of 64 x 64 with times on an H200, of a band of 513 entries a row.
TEST(GpuModel, BlocksForWarpgroupsTakeTheMeasuredTime) {
  MatrixStatistics m;
  m.rows = m.columns = 16384;
  m.nonzeros = 8.34e6;
  m.window64_most_columns = 576;
  m.matrix_bytes = m.vector_bytes = 4;
  m.bcsr_block_rows = m.bcsr_block_columns = 64;
  const auto seconds = [&](double vector_columns, const GpuModel& gpu) {
    m.vector_columns = vector_columns;
    return predict(m, {Format::Bcsr, 2284, 0}, gpu).predicted_seconds;
  };
  EXPECT_NEAR(seconds(128, GpuModel::tf32()) / 22.6e-6, 1, 0.1);
  EXPECT_NEAR(seconds(512, GpuModel::tf32()) / 64.1e-6, 1, 0.1);
  EXPECT_NEAR(seconds(128, GpuModel::tf32x3()) / 33.0e-6, 1, 0.1);
  EXPECT_NEAR(seconds(512, GpuModel::tf32x3()) / 109.4e-6, 1, 0.1);
  EXPECT_NEAR(seconds(512, GpuModel::half()) / 66e-6, 1, 0.2);
  GpuModel gpu = GpuModel::tf32();
  const double kernel = seconds(128, gpu);
  gpu.free_bytes = 2284 * 4096 * 4 - 1;  // no memory for the rounded values
  EXPECT_GT(seconds(128, gpu), 2 * kernel);
  gpu = GpuModel::tf32();
  gpu.warpgroup_narrow_s = 0;
  EXPECT_GT(seconds(128, gpu), 2 * kernel);
  m.rows = 4267, m.window64_most_columns = 4267;  // ddi, whose panels are cut
  m.vector_columns = 512;
  EXPECT_NEAR(predict(m, {Format::Bcsr, 4489, 0}, GpuModel::tf32()).predicted_seconds / 139.2e-6, 1, 0.1);
}

TEST(GpuModel, BytesOfBlocksAreThoseOfTheFormat) {
  MatrixStatistics m = statistics(band, 512);
  m.rows = 1000;  // 63 block rows, the last incomplete
  m.bcsr_block_rows = 16;
  m.bcsr_block_columns = 8;
  m.bcsr_blocks = 500;
  for (const Candidate& candidate : choose_format(m, GpuModel{}).candidates) {
    if (candidate.format != Format::Bcsr) continue;
    EXPECT_EQ(candidate.format_bytes, 64 * 4 + 500 * (4 + 2 * 8 + 128 * 8));
    return;
  }
  FAIL() << "blocks are no candidate";
}

TEST(GpuModel, XIsCopiedWhereItsRowsAreNotAligned) {
  const auto staged_seconds = [](double vector_columns) {
    const MatrixStatistics m = statistics(band, vector_columns);
    return predict(m, {Format::Staged, m.bittcf_tiles, 1e7}, GpuModel{}).predicted_seconds;
  };
  EXPECT_GT(staged_seconds(31), staged_seconds(32) + 0.5 * GpuModel{}.copy_s);
  const auto half_seconds = [](double vector_columns) {
    return seconds_of(choose_format(statistics(road, vector_columns, 4), GpuModel::half()), Format::BitTcf);
  };
  EXPECT_GT(half_seconds(129) - half_seconds(128), 0.9 * GpuModel::half().copy_s);
}

/// Rows read values in place and do not check them for changes. Every other format pays for the check.
TEST(GpuModel, LookingAtValuesCountsUnlessTheyAreReadInPlace) {
  const GpuModel gpu;
  for (const Counts& counts : {elasticity, road, ddi}) {
    MatrixStatistics m = statistics(counts, 8);
    const Choice trusting = choose_format(m, gpu);
    m.follows_values = m.has_given_order = true;
    const Choice following = choose_format(m, gpu);
    for (const Candidate& candidate : trusting.candidates) {
      const double more = seconds_of(following, candidate.format) - candidate.predicted_seconds;
      const double look = gpu.detect_changes_s + 8 * m.nonzeros / gpu.streamed;
      const bool is_in_place = candidate.format == Format::Csr || candidate.format == Format::CompactRows;
      EXPECT_NEAR(more, is_in_place ? 0 : look, 1e-9) << counts.name;
    }
    m.has_given_order = false;
    EXPECT_GT(seconds_of(choose_format(m, gpu), Format::Csr), seconds_of(following, Format::Csr)) << counts.name;
  }
  // With 4 columns, tiles take 87 us, rows 114 us, and the check 33 us.
  MatrixStatistics m = statistics(elasticity, 4);
  EXPECT_EQ(choose_format(m, gpu).format, Format::BitTcf);
  m.follows_values = m.has_given_order = true;
  EXPECT_EQ(choose_format(m, gpu).format, Format::Csr);
}

/// Measured microseconds with LayoutLeft on an H200, in double. For short rows of A, CSR reads X in place. Tiles copy
/// X, and write Y in short pieces.
TEST(GpuModel, LayoutLeftCostsACopyOrSlabs) {
  for (const auto& [counts, columns, tiles, rows] :
       {std::tuple{molecules, 32.0, 1456.0, 816.0}, std::tuple{road, 64.0, 1964.0, 1268.0}}) {
    MatrixStatistics m = statistics(counts, columns);
    m.layout_left = true;
    const Choice choice = choose_format(m, GpuModel{});
    EXPECT_EQ(choice.format, Format::Csr) << counts.name;
    EXPECT_NEAR(1e6 * seconds_of(choice, Format::BitTcf), tiles, 0.25 * tiles) << counts.name;
    EXPECT_NEAR(1e6 * seconds_of(choice, Format::Csr), rows, 0.25 * rows) << counts.name;
  }
  MatrixStatistics m = statistics(elasticity, 32);
  const double right = seconds_of(choose_format(m, GpuModel{}), Format::Csr);
  m.layout_left = true;
  EXPECT_NEAR(seconds_of(choose_format(m, GpuModel{}), Format::Csr) - right,
              GpuModel{}.copy_s + 2 * 192000 * 256 / GpuModel{}.streamed, 1e-9);
}

TEST(GpuModel, AnOrderPaysByWhatWindowsShare) {
  const auto least = [](const Counts& counts, double vector_columns = 32) {
    const Choice choice = choose_format(statistics(counts, vector_columns), GpuModel{});
    return seconds_of(choice, choice.format);
  };
  EXPECT_LT(least(fem3d_windows), worthwhile_reordering * least(fem3d));
  EXPECT_LT(least(blocks_affinity), worthwhile_reordering * least(blocks));
  EXPECT_LT(least(road_windows), least(road));
  // NOTE: measurements show no gain from this order (356 us instead of 357), but the model predicts one.
  EXPECT_NEAR(least(elasticity_windows, 128) / least(elasticity, 128), 1, 0.3);
  Counts moved = fem3d;
  moved.is_reordered = true;
  EXPECT_GT(least(moved), least(fem3d));
}

/// Tests the bound that decides whether plans search for an order.
TEST(GpuModel, NoOrderIsFasterThanTheBestImaginableOne) {
  const std::pair<Counts, Counts> found[] = {{fem3d, fem3d_windows},
                                             {elasticity, elasticity_windows},
                                             {blocks, blocks_affinity},
                                             {road, road_windows},
                                             {band, band}};
  for (const auto& [natural, reordered] : found) {
    for (const GpuModel& gpu : {GpuModel{}, GpuModel::tf32x3(), GpuModel::half(), GpuModel::without_tile_kernels()}) {
      for (const double columns : {1, 8, 32, 128, 512}) {
        const MatrixStatistics m = statistics(natural, columns);
        MatrixStatistics in_order = statistics(reordered, columns);
        in_order.is_reordered = true;
        // Rows have the same length in any order, and the longest window has at least an eighth of the tiles.
        in_order.longest_row = in_order.window64_most_columns = in_order.window64_most_entries = m.longest_row;
        in_order.window8_most_tiles = in_order.window16_most_tiles = m.longest_row / 8;
        const Choice best = choose_format(in_best_order(m), gpu), other = choose_format(in_order, gpu);
        for (const Candidate& candidate : other.candidates) {
          EXPECT_LE(seconds_of(best, candidate.format), 1.000001 * candidate.predicted_seconds)
              << natural.name << ", " << columns << ", " << to_string(candidate.format);
        }
      }
    }
  }
}

TEST(GpuModel, TallTilesOnlyIfTheyFit) {
  const auto seconds = [](const GpuModel& gpu) {
    return seconds_of(choose_format(statistics(elasticity, 128, 4), gpu), Format::Bmat);
  };
  GpuModel gpu = GpuModel::tf32();
  gpu.free_bytes = 128 * 4 * elasticity.bmat;
  const double tensor_cores = seconds(gpu);
  gpu.free_bytes = gpu.free_bytes - 1;
  EXPECT_GT(seconds(gpu), 2 * tensor_cores);
}

TEST(GpuModel, StagedWindowsOnlyIfTheyFit) {
  GpuModel gpu;
  const double entries = fem3d_windows.nonzeros, columns = fem3d_windows.staged;
  gpu.free_bytes = 8 * entries + 16 * columns + 1000 * (columns / 64 + entries / 1000);
  const auto candidates = [&] { return choose_format(statistics(fem3d_windows), gpu).candidates; };
  const auto is_staged = [](const Candidate& candidate) { return candidate.format == Format::Staged; };
  EXPECT_TRUE(std::ranges::any_of(candidates(), is_staged));
  gpu.free_bytes = gpu.free_bytes - 1;
  EXPECT_FALSE(std::ranges::any_of(candidates(), is_staged));
}

/// The driver is asked for free memory once, and only for formats that need to know.
TEST(GpuModel, FreeMemoryIsAskedForWhenItIsNeeded) {
  int asked = 0;
  GpuModel gpu;
  gpu.free_bytes = LazyNumber([&] { return ++asked, 1e300; });
  MatrixStatistics m = statistics(elasticity, 128, 4);
  predict(m, {Format::Csr, 0, 1e6}, gpu);
  m.bmat_tiles = m.bcsr_blocks = m.window64_columns = 0;  // they were not counted
  choose_format(m, gpu);
  EXPECT_EQ(asked, 0);
  for (int i = 0; i < 2; ++i) choose_format(statistics(elasticity, 128, 4), gpu);
  EXPECT_EQ(asked, 1);
  int failures = 1;
  const LazyNumber after_failure([&]() -> double {
    if (failures-- > 0) throw std::runtime_error("the driver is busy");
    return 7;
  });
  EXPECT_THROW(static_cast<double>(after_failure), std::runtime_error);
  EXPECT_EQ(after_failure, 7);
}

TEST(GpuModel, WithoutTileKernelsRowsAreTaken) {
  EXPECT_EQ(choose_format(statistics(elasticity), GpuModel::without_tile_kernels()).format, Format::Csr);
  for (const GpuModel& gpu : {GpuModel::without_tile_kernels(), GpuModel::tf32x3()})
    EXPECT_EQ(seconds_of(choose_format(statistics(fem3d_windows, 32, 4), gpu), Format::Staged), 0);
}

/// BitTCF with the portable kernel, measured on an H200 in float. It is slow because a column's rows are far apart, and
/// a long window is a long dependent chain.
TEST(GpuModel, NativeFloatsStayInRowsAtFewColumns) {
  for (const auto& [counts, vector_columns, seconds] :
       {std::tuple(band, 1, 14.1e-6), std::tuple(ddi, 1, 517e-6), std::tuple(elasticity, 1, 58.0e-6),
        std::tuple(road, 1, 51.4e-6), std::tuple(web, 1, 175e-6), std::tuple(molecules, 1, 52.3e-6),
        std::tuple(molecules, 8, 325e-6), std::tuple(uniform, 1, 173e-6)}) {
    const Choice choice = choose_format(statistics(counts, vector_columns, 4), GpuModel::without_tile_kernels());
    const std::string what = std::string(counts.name) + ", " + std::to_string(vector_columns);
    EXPECT_TRUE(choice.format == Format::Csr || choice.format == Format::CompactRows) << what;
    EXPECT_NEAR(std::log(seconds_of(choice, Format::BitTcf) / seconds), 0, 0.8) << what;
  }
}

/// Returns the predicted seconds of a format that need not be a candidate.
double seconds_of(const MatrixStatistics& m, Format format, double tiles, const GpuModel& gpu) {
  return predict(m, {format, tiles, 12 * m.nonzeros}, gpu).predicted_seconds;
}

TEST(GpuModel, BlocksOfOtherShapesHaveNoKernel) {
  MatrixStatistics m = statistics(band, 32);
  const double count = 20000;  // a named format is no candidate, so its blocks are not counted
  const auto seconds = [&](double rows, double columns, const GpuModel& gpu) {
    m.bcsr_block_rows = rows;
    m.bcsr_block_columns = columns;
    return seconds_of(m, Format::Bcsr, count, gpu);
  };
  GpuModel none;
  none.block = 0;
  EXPECT_LT(seconds(16, 8, GpuModel{}), seconds(16, 8, none));
  EXPECT_LT(seconds(8, 4, GpuModel{}), seconds(8, 4, none));
  EXPECT_EQ(seconds(8, 16, GpuModel{}), seconds(8, 16, none));
  EXPECT_EQ(seconds(16, 16, GpuModel{}), seconds(16, 16, none));
  GpuModel half = GpuModel::half();
  half.block = 0;
  EXPECT_LT(seconds(16, 16, GpuModel::half()), seconds(16, 16, half));
  EXPECT_EQ(seconds(8, 4, GpuModel::half()), seconds(8, 4, half));
  GpuModel full = GpuModel::half();
  full.free_bytes = 16 * 16 * 2 * count - 1;  // no memory for the rounded values
  EXPECT_EQ(seconds(16, 16, full), seconds(16, 16, half));
}

/// CSR with its kernel is faster than any format without a kernel.
TEST(GpuModel, EachFormatHasThePriceOfItsKernel) {
  const GpuModel floats = GpuModel::without_tile_kernels(), complex = GpuModel::rows_only();
  for (const Counts& counts : {band, ddi, fem3d, road, web}) {
    for (const double columns : {1, 8, 128}) {
      const MatrixStatistics m = statistics(counts, columns);
      const std::string what = std::string(counts.name) + ", " + std::to_string(columns);
      const double rows = seconds_of(m, Format::Csr, 0, complex);
      EXPECT_LT(rows, seconds_of(m, Format::BitTcf, counts.bittcf, floats)) << what;
      EXPECT_LT(rows, seconds_of(m, Format::Bmat, counts.bmat, floats)) << what;
      EXPECT_LT(rows, seconds_of(m, Format::Brp, counts.bmat, floats)) << what;
      GpuModel without_groups;
      without_groups.group_gathers = 0;
      EXPECT_LT(rows, seconds_of(m, Format::RowGroups, counts.nonzeros / 4, without_groups)) << what;
      EXPECT_LT(10 * seconds_of(m, Format::SortedColumns, 0, floats), seconds_of(m, Format::SortedColumns, 0, complex));
    }
  }
  const MatrixStatistics m = statistics(ddi, 1);  // without a kernel, each long row runs on one thread
  EXPECT_LT(5 * seconds_of(m, Format::Csr, 0, GpuModel::rows_only()),
            seconds_of(m, Format::Csr, 0, GpuModel::portable()));
  EXPECT_LT(5 * seconds_of(m, Format::Brp, ddi.bmat, GpuModel{}),
            seconds_of(m, Format::Brp, ddi.bmat, GpuModel::without_tile_kernels()));
}

/// Elasticity in double took 44.6 us in compact rows and 49.1 us in compressed rows, floats 31.2 us and 35.5 us.
TEST(GpuModel, CompactRowsPayWhereAProductReadsLittleElse) {
  const GpuModel gpu;
  const GpuModel floats = GpuModel::without_tile_kernels();
  const auto format = [](MatrixStatistics m, const GpuModel& model) { return choose_format(m, model).format; };
  EXPECT_EQ(format(statistics(elasticity, 1), gpu), Format::CompactRows);
  EXPECT_EQ(format(statistics(elasticity, 1, 4), floats), Format::CompactRows);
  EXPECT_EQ(format(statistics(elasticity, 4, 4), floats), Format::CompactRows);
  EXPECT_NE(format(statistics(elasticity, 8), gpu), Format::CompactRows) << "rows of X take longer";
  EXPECT_EQ(format(statistics(road, 1), gpu), Format::Csr) << "short rows";
  EXPECT_EQ(format(statistics(web, 1), gpu), Format::Csr) << "tiles";
  MatrixStatistics m = statistics(elasticity, 1);
  m.wide_blocks = m.nonzeros / 64;
  EXPECT_EQ(format(m, gpu), Format::Csr) << "all columns in 32 bits";
  m = statistics(elasticity, 1);
  m.same_bits_alone = true;
  EXPECT_EQ(format(m, gpu), Format::Csr);
  m = statistics(elasticity, 1);
  m.rows /= 100, m.columns /= 100, m.nonzeros /= 100;
  EXPECT_EQ(format(m, gpu), Format::Csr) << "a small matrix takes the time of a launch";
  for (const GpuModel& without :
       {GpuModel::rows_only(), GpuModel::half_vectors_without_tile_kernels(), GpuModel::portable()}) {
    for (const Candidate& candidate : choose_format(statistics(elasticity, 1, 4), without).candidates)
      EXPECT_NE(candidate.format, Format::CompactRows) << "there is no kernel";
  }
}

TEST(GpuModel, GatheredTilesAreFasterWhileTheyRunAtTheSameTime) {
  const auto seconds = [](double nonzeros, bool left) {
    MatrixStatistics m = statistics(elasticity, 4);
    m.columns = m.rows = nonzeros / 50;
    m.nonzeros = nonzeros;
    m.longest_row = 81;
    m.layout_left = left;
    return seconds_of(choose_format(m, GpuModel()), Format::Csr);
  };
  EXPECT_NEAR(seconds(2.2e5, false), 6.3e-6, 1e-6);
  EXPECT_GT(seconds(6.5e5, false), 1.2 * seconds(5e5, false)) << "one tile more than run at a time";
  EXPECT_NE(seconds(2.2e5, false), seconds(2.2e5, true));
}

/// Groups are faster than rows if a column serves several rows, but not if it serves only one row. Plans consider
/// groups if they were counted.
TEST(GpuModel, RowGroupsPayWhereRowsShareColumns) {
  for (const double columns : {32, 128, 512}) {
    MatrixStatistics m = statistics(elasticity, columns, 4);
    m.row_groups = m.rows / 3;
    m.group_columns = 5122688;
    m.group_values = 15379712;
    const GpuModel floats = GpuModel::without_tile_kernels();
    EXPECT_EQ(choose_format(m, floats).format, Format::RowGroups);
    EXPECT_EQ(seconds_of(choose_format(m, GpuModel::half()), Format::RowGroups),
              seconds_of(choose_format(m, floats), Format::RowGroups));
    m.group_columns = m.group_values = m.nonzeros;
    m.row_groups = m.rows;
    EXPECT_EQ(choose_format(m, floats).format, Format::Csr);
    m.group_columns = 0;
    EXPECT_EQ(seconds_of(choose_format(m, floats), Format::RowGroups), 0);
  }
}

/// A group of lanes processes the columns of several rows in sequence, while other lanes of a small matrix are idle.
TEST(GpuModel, SmallMatricesHaveNoUseForLongGroups) {
  MatrixStatistics m = statistics(fem3d, 32, 4);
  m.rows = m.columns = 2000;
  m.nonzeros = 80000;
  m.longest_row = 90;
  m.window8_columns = m.window128_columns = 20000;
  m.row_groups = 600;
  m.group_columns = 40000;
  m.group_values = 130000;
  EXPECT_EQ(choose_format(m, GpuModel::without_tile_kernels()).format, Format::Csr);
}

/// Measured microseconds of the kernel with chunks of X on an H100. Row groups took 39, 126 and 453 in float.
TEST(GpuModel, DenseRowsOfFewColumnsAreMultipliedAgainstChunks) {
  for (const auto& [vector_columns, bytes, microseconds] :
       {std::tuple(32, 4, 25), std::tuple(128, 4, 54), std::tuple(512, 4, 213), std::tuple(128, 8, 146),
        std::tuple(512, 8, 468)}) {
    const MatrixStatistics m = statistics(ddi, vector_columns, bytes);
    const Choice choice = choose_format(m, GpuModel::without_tile_kernels());
    const std::string what = std::to_string(vector_columns) + " columns of " + std::to_string(bytes) + " bytes";
    EXPECT_EQ(choice.format, Format::Csr) << what;
    EXPECT_NEAR(std::log(1e6 * seconds_of(choice, Format::Csr) / microseconds), 0, 0.2) << what;
    EXPECT_LT(seconds_of(choice, Format::Csr), seconds_of(choose_format(m, without_chunks()), Format::Csr)) << what;
  }
}

/// Chunks are not used if there are few entries per row and chunk or few columns of X, if X has another type, or if
/// there is little shared memory.
TEST(GpuModel, ChunksAreForManyEntriesARowAndChunk) {
  const auto is_chunked = [](const MatrixStatistics& m, const GpuModel& gpu = GpuModel::without_tile_kernels()) {
    GpuModel rows = gpu;
    rows.chunks.shared_bytes = 0;
    return seconds_of(choose_format(m, gpu), Format::Csr) != seconds_of(choose_format(m, rows), Format::Csr);
  };
  const auto alike = [](double rows, double entries, double vector_columns) {
    MatrixStatistics m = statistics(ddi, vector_columns, 4);
    m.rows = m.columns = rows;
    m.nonzeros = rows * entries;
    return m;
  };
  EXPECT_TRUE(is_chunked(alike(6000, 300, 512)));    // measured 1.25 times as fast
  EXPECT_FALSE(is_chunked(alike(6000, 300, 32)));    // 1.13 times as fast
  EXPECT_FALSE(is_chunked(alike(12000, 100, 512)));  // a third slower
  EXPECT_FALSE(is_chunked(alike(12000, 100, 32)));
  EXPECT_FALSE(is_chunked(alike(4267, 200, 512)));  // a band: a tenth slower
  EXPECT_FALSE(is_chunked(alike(4039, 43, 128)));
  EXPECT_FALSE(is_chunked(statistics(ddi, 1, 4)));
  EXPECT_FALSE(is_chunked(statistics(ddi, 128), GpuModel::rows_only()));
  EXPECT_FALSE(is_chunked(statistics(road, 128, 4)));
  EXPECT_FALSE(is_chunked(statistics(web, 128, 4)));
  MatrixStatistics halves = statistics(ddi, 128, 4);
  halves.vector_bytes = 2;
  EXPECT_FALSE(is_chunked(halves));
  MatrixStatistics left = alike(1200, 325, 512);  // multiplied in panels of 64 columns
  left.columns = 2500;
  EXPECT_TRUE(is_chunked(left));
  left.layout_left = true;
  EXPECT_FALSE(is_chunked(left));
  GpuModel small = GpuModel::without_tile_kernels();
  small.chunks.shared_bytes = 48 * 1024;
  EXPECT_FALSE(is_chunked(statistics(ddi, 128, 4), small));
}

TEST(GpuModel, ChunksOfAnXThatIsCopiedTakeLonger) {
  MatrixStatistics m = statistics(ddi, 128, 4);
  const auto seconds = [&] { return seconds_of(choose_format(m, GpuModel::without_tile_kernels()), Format::Csr); };
  const double right = seconds();
  m.layout_left = true;
  EXPECT_GT(seconds(), right + GpuModel{}.copy_s);
  m = statistics(ddi, 127, 4);
  EXPECT_GT(seconds(), right + 0.9 * GpuModel{}.copy_s);
}

/// 16-bit vectors with A in float, as measured on an H100.
MatrixStatistics half_statistics(const Counts& counts, double row_groups, double group_columns, double group_values,
                                 double vector_columns) {
  MatrixStatistics m = statistics(counts, vector_columns, 4);
  m.vector_bytes = 2;
  m.row_groups = row_groups;
  m.group_columns = group_columns;
  m.group_values = group_values;
  return m;
}

MatrixStatistics blocks_of_halves(double vector_columns) {
  const Counts counts{
      "FY-RSR, ordered", true, 45954, 6805486, 146038, 93823, 1147841, 421212, 352995, 824, 136, 196, 2436};
  return half_statistics(counts, 12807, 2034560, 7540728, vector_columns);
}

/// Measured microseconds of BitTCF, BMat, row groups and CSR.
TEST(GpuModel, HalfVectorsTakeTheFastest) {
  const MatrixStatistics solid = half_statistics(elasticity, 64000, 5122688, 15379712, 512);
  const GpuModel h100 = GpuModel::half_vectors().with_memory(3.35e12);
  for (const auto& [m, bittcf, bmat, groups, rows] :
       {std::tuple(blocks_of_halves(128), 70, 88, 124, 218), std::tuple(blocks_of_halves(512), 230, 293, 459, 869),
        std::tuple(solid, 458, 488, 794, 873)}) {
    const Choice choice = choose_format(m, h100);
    EXPECT_EQ(choice.format, Format::BitTcf);
    for (const auto& [format, microseconds] : {std::pair(Format::BitTcf, bittcf), std::pair(Format::Bmat, bmat),
                                               std::pair(Format::RowGroups, groups), std::pair(Format::Csr, rows)})
      EXPECT_NEAR(std::log(1e6 * seconds_of(choice, format) / microseconds), 0, 0.45) << to_string(format);
  }
  EXPECT_EQ(choose_format(statistics(road, 32, 2), h100).format, Format::Csr);  // 147 us instead of 241
}

/// Without tensor cores, row groups gain little over float, as the arithmetic is the same: 460 us instead of 477, and
/// 708 instead of 795. CSR gains more, 478 instead of 792, and is faster.
TEST(GpuModel, HalvesInRowGroupsAreMultipliedAsFloats) {
  const GpuModel h100 = GpuModel::half_vectors_without_tile_kernels().with_memory(3.35e12);
  EXPECT_EQ(choose_format(blocks_of_halves(512), h100).format, Format::RowGroups);
  EXPECT_EQ(choose_format(half_statistics(fem3d, 86016, 3994960, 12177408, 512), h100).format, Format::Csr);
  GpuModel fetches = h100;
  fetches.group_value_s = 0;
  for (const MatrixStatistics& m : {blocks_of_halves(512), half_statistics(elasticity, 64000, 5122688, 15379712, 512)})
    EXPECT_GT(seconds_of(choose_format(m, h100), Format::RowGroups),
              1.3 * seconds_of(choose_format(m, fetches), Format::RowGroups));
}

/// With two 16-bit columns, BitTCF took 7.4 us for matrices that need 4.2 us with 8 columns, because it copies X to
/// whole vectors. CSR reads slabs of four columns.
TEST(GpuModel, NarrowHalvesAreCopiedForTiles) {
  const auto seconds = [](Format format, double columns) {
    return seconds_of(choose_format(statistics(band, columns, 2), GpuModel::half_vectors()), format);
  };
  for (const Format format : {Format::BitTcf, Format::Bmat})
    EXPECT_GT(seconds(format, 2), seconds(format, 8) + 0.9 * GpuModel::half_vectors().copy_s) << to_string(format);
  EXPECT_EQ(seconds(Format::Csr, 2), seconds(Format::Csr, 4));
  EXPECT_GT(seconds(Format::Csr, 8), 1.2 * seconds(Format::Csr, 4));
}

/// In FP16 and BF16, whole tiles of BitTCF are stored in 16 bits, but tiles of BMat are not.
TEST(GpuModel, RoundedTilesMoveHalfTheBytes) {
  for (const GpuModel& half : {GpuModel::half(), GpuModel::half_vectors()}) {
    GpuModel wide = half;
    wide.rounded_bytes = 0;
    wide.tile_s = 1e-15;  // memory traffic is the bound
    GpuModel rounded = wide;
    rounded.rounded_bytes = 2;
    const MatrixStatistics m = statistics(molecules, 8, 4);
    const auto saved = [&](Format format) {
      return seconds_of(choose_format(m, wide), format) - seconds_of(choose_format(m, rounded), format);
    };
    EXPECT_NEAR(saved(Format::BitTcf), 64 * 2 * molecules.bittcf / half.streamed, 1e-6);
    EXPECT_EQ(saved(Format::Bmat), 0);
  }
}

/// A chunk of ddi has 39 tiles, and multiplying them takes longer than staging the next chunk. Microseconds on an H100.
TEST(GpuModel, StagedChunksWithManyTilesTakeLonger) {
  MatrixStatistics m = statistics(ddi, 32);
  m.window64_most_entries = 42312;
  for (const auto& [columns, microseconds] : {std::pair(32, 40), std::pair(128, 134), std::pair(512, 438)}) {
    m.vector_columns = columns;
    const Choice choice = choose_format(m, GpuModel{}.with_memory(3.35e12));
    EXPECT_NEAR(std::log(1e6 * seconds_of(choice, Format::Staged) / microseconds), 0, 0.1) << columns;
    if (columns > 32) {  // rows with chunks of X take 146 and 468, and 41 with 32 columns
      EXPECT_EQ(choice.format, Format::Staged) << columns;
    }
  }
  const auto share = [](const Counts& counts) {
    GpuModel none;
    none.staged_tile_s = 0;
    return seconds_of(choose_format(statistics(counts, 512), GpuModel{}), Format::Staged) /
           seconds_of(choose_format(statistics(counts, 512), none), Format::Staged);
  };
  EXPECT_GT(share(ddi), 1.4);
  EXPECT_EQ(share(fem3d), 1);
}

TEST(GpuModel, EmptyMatrix) { EXPECT_EQ(choose_format(MatrixStatistics{}, GpuModel{}).format, Format::Csr); }

}  // namespace Tessera::Impl::Test
