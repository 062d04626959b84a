// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <tessera/select/GpuModel.hpp>

namespace Tessera::Test {

/// A matrix whose products with 32 columns in double were timed on an H200.
struct Measured {
  const char* name;
  double rows, nonzeros, tiles, near_columns;
  double csr_seconds, tile_seconds;
};

MatrixStatistics statistics(const Measured& matrix) {
  MatrixStatistics m;
  m.rows = m.columns = matrix.rows;
  m.nonzeros = matrix.nonzeros;
  m.bittcf_tiles = matrix.tiles;
  m.near_columns = matrix.near_columns;
  return m;
}

TEST(GpuModel, PrefersWhatWasFasterAndPredictsItsTime) {
  for (const Measured& matrix : {Measured{"fem3d", 262144, 6859000, 376872, 2.81e6, 147e-6, 131e-6},
                                 Measured{"elasticity", 192000, 14787288, 416888, 3.26e6, 265e-6, 139e-6},
                                 Measured{"FY-RSR", 45954, 6805486, 367024, 2.92e6, 185e-6, 122e-6},
                                 Measured{"band64", 16384, 1047552, 18412, 0.145e6, 23e-6, 10e-6}}) {
    const Choice choice = choose_format(statistics(matrix), GpuModel{});
    EXPECT_EQ(choice.format, Format::BitTcf) << matrix.name;
    EXPECT_NEAR(choice.candidates[0].predicted_seconds / matrix.csr_seconds, 1, 0.4) << matrix.name;
    EXPECT_NEAR(choice.candidates[1].predicted_seconds / matrix.tile_seconds, 1, 0.4) << matrix.name;
  }
}

TEST(GpuModel, ScatteredNonzerosStayInRows) {
  for (const Measured& matrix : {Measured{"roadNet-CA", 1971281, 5533214, 781643, 5.48e6, 454e-6, 0},
                                 Measured{"uniform16", 1e6, 16e6, 2e6, 16e6, 919e-6, 0}}) {
    const Choice choice = choose_format(statistics(matrix), GpuModel{});
    EXPECT_EQ(choice.format, Format::Csr) << matrix.name;
    EXPECT_NEAR(choice.candidates[0].predicted_seconds / matrix.csr_seconds, 1, 0.4) << matrix.name;
  }
}

TEST(GpuModel, WithoutTileKernelsRowsAreTaken) {
  GpuModel gpu;
  gpu.has_tile_kernels = false;
  const Measured elasticity{"elasticity", 192000, 14787288, 416888, 3.26e6, 0, 0};
  EXPECT_EQ(choose_format(statistics(elasticity), gpu).format, Format::Csr);
}

TEST(GpuModel, AnOrderPaysByFewerTiles) {
  MatrixStatistics m = statistics({"fem3d", 262144, 6859000, 376872, 2.81e6, 0, 0});
  const auto seconds = [&](double tiles) {
    return predict(m, {Format::BitTcf, tiles, 52 * tiles + 8 * m.nonzeros}, GpuModel{}).predicted_seconds;
  };
  const double natural = seconds(376872);
  m.is_reordered = true;
  EXPECT_GT(seconds(376872), natural);
  EXPECT_LT(seconds(250368), worthwhile_reordering * natural);
}

TEST(GpuModel, EmptyMatrix) { EXPECT_EQ(choose_format(MatrixStatistics{}, GpuModel{}).format, Format::Csr); }

}  // namespace Tessera::Test
