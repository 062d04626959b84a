// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <tessera/select/GpuModel.hpp>

namespace Tessera::Test {

/// A matrix, its tiles of 8 and 16 rows and its distinct columns in windows of 8, 64 and 128 rows, in the order that it
/// has or in one that was found.
struct Counts {
  const char* name;
  bool is_reordered;
  double rows, nonzeros, bittcf, bmat, near, staged, window;
};

constexpr Counts fem3d{"fem3d", false, 262144, 6859000, 376872, 328744, 2815800, 2310400, 1532160};
constexpr Counts fem3d_windows{"fem3d, windows", true, 262144, 6859000, 250368, 187010, 2001240, 869214, 721447};
constexpr Counts elasticity{"elasticity", false, 192000, 14787288, 416888, 308688, 3258216, 1870536, 1634772};
constexpr Counts elasticity_windows{
    "elasticity, windows", true, 192000, 14787288, 413789, 285763, 3248589, 1258569, 1001256};
constexpr Counts ddi{"ddi", false, 4267, 2140089, 174472, 119593, 1393853, 285464, 145046};
constexpr Counts blocks{"FY-RSR", false, 45954, 6805486, 367024, 215740, 2916201, 609241, 411050};
constexpr Counts blocks_affinity{"FY-RSR, affinity", true, 45954, 6805486, 135522, 78754, 1063674, 280679, 221280};
constexpr Counts band{"band64", false, 16384, 1047552, 18412, 10228, 145252, 32449, 24385};
constexpr Counts road{"roadNet-CA", false, 1971281, 5533214, 781643, 728061, 5467740, 4968732, 4508972};
constexpr Counts road_windows{"roadNet-CA, windows", true, 1971281, 5533214, 493912, 395657, 3017644, 2518168, 2438396};
constexpr Counts web{"web-BerkStan", false, 685230, 7600595, 721109, 589678, 5469516, 3020454, 2537158};
constexpr Counts molecules{"YeastH", false, 3138114, 6487230, 783150, 587748, 4208650, 3271669, 3205019};
constexpr Counts uniform{"uniform16", false, 1000000, 16000000, 2000000, 2000000, 16000000, 16000000, 16000000};

MatrixStatistics statistics(const Counts& counts, double vector_columns = 32, double bytes = 8) {
  MatrixStatistics m;
  m.rows = m.columns = counts.rows;
  m.nonzeros = counts.nonzeros;
  m.bittcf_tiles = counts.bittcf;
  m.bmat_tiles = counts.bmat;
  m.near_columns = counts.near;
  m.staged_columns = counts.staged;
  m.window_columns = counts.window;
  m.is_reordered = counts.is_reordered;
  m.vector_columns = vector_columns;
  m.matrix_bytes = m.vector_bytes = bytes;
  return m;
}

/// Of the fastest candidate with a format.
double seconds_of(const Choice& choice, Format format) {
  for (const Candidate& candidate : choice.candidates)
    if (candidate.format == format) return candidate.predicted_seconds;
  return 0;
}

/// What products took on an H200: with CSR and with BitTCF, by the faster of two kernels.
struct Measured {
  Counts counts;
  double vector_columns, csr_seconds, tile_seconds;
  bool staged;
};

TEST(GpuModel, PrefersWhatWasFasterAndPredictsItsTimeInDouble) {
  for (const Measured& measured :
       {Measured{fem3d, 32, 142e-6, 115e-6, false}, Measured{fem3d, 128, 407e-6, 360e-6, false},
        Measured{fem3d_windows, 32, 145e-6, 75e-6, true}, Measured{fem3d_windows, 128, 388e-6, 254e-6, true},
        Measured{elasticity, 32, 265e-6, 117e-6, false}, Measured{elasticity, 128, 757e-6, 356e-6, false},
        Measured{elasticity_windows, 32, 266e-6, 109e-6, true}, Measured{blocks, 32, 185e-6, 81e-6, true},
        Measured{blocks, 128, 512e-6, 237e-6, true}, Measured{blocks_affinity, 32, 163e-6, 54e-6, false},
        Measured{ddi, 128, 217e-6, 126e-6, true}, Measured{band, 32, 23e-6, 8e-6, false},
        Measured{web, 32, 348e-6, 221e-6, true}, Measured{web, 128, 874e-6, 826e-6, true},
        Measured{molecules, 32, 557e-6, 488e-6, true}, Measured{molecules, 128, 1924e-6, 1839e-6, true}}) {
    const MatrixStatistics m = statistics(measured.counts, measured.vector_columns);
    const Choice choice = choose_format(m, GpuModel());
    const std::string what = std::string(measured.counts.name) + ", " + std::to_string(measured.vector_columns);
    EXPECT_EQ(choice.format, Format::BitTcf) << what;
    EXPECT_NEAR(seconds_of(choice, Format::Csr) / measured.csr_seconds, 1, 0.45) << what;
    EXPECT_NEAR(seconds_of(choice, Format::BitTcf) / measured.tile_seconds, 1, 0.3) << what;
    EXPECT_EQ(choice.is_staged, measured.staged) << what;
  }
}

TEST(GpuModel, ScatteredNonzerosStayInRows) {
  for (const auto& [counts, vector_columns, seconds] :
       {std::tuple(road, 32, 374e-6), std::tuple(road, 128, 1263e-6), std::tuple(road, 512, 5132e-6),
        std::tuple(uniform, 32, 947e-6), std::tuple(uniform, 128, 3986e-6)}) {
    const Choice choice = choose_format(statistics(counts, vector_columns), GpuModel{});
    EXPECT_EQ(choice.format, Format::Csr) << counts.name;
    EXPECT_NEAR(seconds_of(choice, Format::Csr) / seconds, 1, 0.2) << counts.name << ", " << vector_columns;
  }
}

TEST(GpuModel, AnOrderPaysByWhatWindowsShare) {
  const auto least = [](const Counts& counts, double vector_columns = 32) {
    const Choice choice = choose_format(statistics(counts, vector_columns), GpuModel{});
    return seconds_of(choice, choice.format);
  };
  EXPECT_LT(least(fem3d_windows), worthwhile_reordering * least(fem3d));
  EXPECT_LT(least(blocks_affinity), worthwhile_reordering * least(blocks));
  EXPECT_LT(least(road_windows), least(road));
  // NOTE: 356 us beside 357 in truth: the model errs, and plans that look for an order take this one for nothing.
  EXPECT_NEAR(least(elasticity_windows, 128) / least(elasticity, 128), 1, 0.25);
  Counts moved = fem3d;
  moved.is_reordered = true;
  EXPECT_GT(least(moved), least(fem3d));
}

TEST(GpuModel, TallTilesForTf32WhereTheySaveEnough) {
  const auto choice = [](const Counts& counts, const GpuModel& gpu, double vector_columns) {
    return choose_format(statistics(counts, vector_columns, 4), gpu).format;
  };
  EXPECT_EQ(choice(elasticity, GpuModel::tf32(), 128), Format::Bmat);                   // 189 us beside 208
  EXPECT_EQ(choice(blocks_affinity, GpuModel::tf32(), 128), Format::Bmat);              // 88 beside 95
  EXPECT_EQ(choice(elasticity, GpuModel::tf32x3(), 128), Format::BitTcf);               // 248 beside 272
  EXPECT_EQ(choose_format(statistics(elasticity), GpuModel{}).format, Format::BitTcf);  // 117 us beside 140
}

TEST(GpuModel, TallTilesOnlyIfTheyFit) {
  GpuModel gpu = GpuModel::tf32();
  gpu.whole_tiles = 128 * 4 * elasticity.bmat;
  EXPECT_EQ(choose_format(statistics(elasticity, 128, 4), gpu).format, Format::Bmat);
  gpu.whole_tiles -= 1;
  EXPECT_EQ(choose_format(statistics(elasticity, 128, 4), gpu).format, Format::BitTcf);
}

TEST(GpuModel, StagedWindowsOnlyIfTheyFit) {
  GpuModel gpu;
  gpu.staged_entries = fem3d_windows.nonzeros;
  EXPECT_TRUE(choose_format(statistics(fem3d_windows), gpu).is_staged);
  gpu.staged_entries -= 1;
  EXPECT_FALSE(choose_format(statistics(fem3d_windows), gpu).is_staged);
}

TEST(GpuModel, WithoutTileKernelsRowsAreTaken) {
  EXPECT_EQ(choose_format(statistics(elasticity), GpuModel::without_tile_kernels()).format, Format::Csr);
  EXPECT_FALSE(choose_format(statistics(fem3d_windows), GpuModel::without_tile_kernels()).is_staged);
  EXPECT_FALSE(choose_format(statistics(fem3d_windows, 32, 4), GpuModel::tf32x3()).is_staged);
}

TEST(GpuModel, EmptyMatrix) { EXPECT_EQ(choose_format(MatrixStatistics{}, GpuModel{}).format, Format::Csr); }

}  // namespace Tessera::Test
