// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <tessera/io/Generators.hpp>

#include "Spy.hpp"
#include "SpyGrid.hpp"
#include "WellFormed.hpp"

namespace Tessera::Impl::Driver {
namespace {

TEST(SpyGrid, CountsTilesOfCondensedColumns) {
  // Rows 0 and 1 share columns 0 .. 8: a tile of 8 columns with 9 nonzeros, and a tile with one nonzero. Row 8 is a
  // separate window.
  const std::vector<std::size_t> offsets{0, 9, 10, 10, 10, 10, 10, 10, 10, 11};
  std::vector<int> columns{0, 10, 20, 30, 40, 50, 60, 70, 80, 0, 99};
  const SpyGrid grid = make_spy_grid(9, 100, offsets, columns, 9, 100);
  EXPECT_EQ(grid.tiles, 3);
  EXPECT_EQ(grid.density[0], 1);
  EXPECT_EQ(grid.density[1], 0);
  EXPECT_NEAR(grid.tile_nonzeros[0], 9, 1e-12);
  EXPECT_NEAR(grid.tile_nonzeros[70], 9, 1e-12);
  EXPECT_NEAR(grid.tile_nonzeros[80], 1, 1e-12);
  EXPECT_NEAR(grid.tile_nonzeros[100], 9, 1e-12);
  EXPECT_NEAR(grid.tile_nonzeros[899], 1, 1e-12);
  EXPECT_EQ(std::accumulate(grid.density.begin(), grid.density.end(), 0.0), 11);
}

TEST(SpyGrid, DensityOfACellIsTheShareOfItsElements) {
  // 5 x 7 elements in 2 x 3 cells: rows 0-2, 3-4; columns 0-2, 3-4, 5-6. Cell (1, 1) is full, (0, 2) half full.
  const std::vector<std::size_t> offsets{0, 1, 2, 3, 5, 7};
  const std::vector<int> columns{5, 6, 5, 3, 4, 3, 4};
  const SpyGrid grid = make_spy_grid(5, 7, offsets, columns, 2, 3);
  EXPECT_EQ(grid.density, (std::vector<double>{0, 0, 0.5, 0, 1, 0}));
}

TEST(SpyGrid, TheCellsTogetherGiveTheMean) {
  const auto a = generate_rmat(9, 8, 5);
  const SpyGrid grid = make_spy_grid(a.rows, a.columns, a.row_offsets, a.column_indices, 37, 41);
  double tiles = 0, nonzeros = 0;
  for (int i = 0; i < 37; ++i) {
    for (int j = 0; j < 41; ++j) {
      const auto cell = static_cast<std::size_t>(i * 41 + j);
      if (grid.density[cell] == 0) continue;
      int height = 0, width = 0;
      for (int row = 0; row < a.rows; ++row) height += row * 37 / a.rows == i;
      for (int column = 0; column < a.columns; ++column) width += column * 41 / a.columns == j;
      nonzeros += grid.density[cell] * height * width;
      tiles += grid.density[cell] * height * width / grid.tile_nonzeros[cell];
    }
  }
  EXPECT_NEAR(nonzeros, static_cast<double>(a.values.size()), 1e-6);
  EXPECT_NEAR(tiles, static_cast<double>(grid.tiles), 1e-6);
}

std::string picture(const HostCsr<double>& a, const std::string& name) {
  MatrixSummary summary;
  summary.name = name;
  summary.rows = a.rows;
  summary.columns = a.columns;
  summary.nonzeros = a.values.size();
  return spy_svg(summary, a.row_offsets, a.column_indices);
}

TEST(Spy, IsWellFormedAndDeterministicForMatricesOfAnyShape) {
  std::vector<HostCsr<double>> matrices{generate_elasticity(4, 1), generate_rmat(10, 4, 1), HostCsr<double>{}};
  matrices.push_back({0, 5, {0}, {}, {}});
  matrices.push_back({5, 0, {0, 0, 0, 0, 0, 0}, {}, {}});
  matrices.push_back({3, 3, {0, 0, 0, 0}, {}, {}});
  matrices.push_back({1, 1, {0, 1}, {0}, {1.0}});
  matrices.push_back({1, 100000, {0, 2}, {0, 99999}, {1.0, 2.0}});
  HostCsr<double> tall{100000, 1, std::vector<std::size_t>(100001, 1), {0}, {1.0}};
  tall.row_offsets[0] = 0;
  matrices.push_back(tall);
  for (const auto& a : matrices) {
    const std::string svg = picture(a, "a <b> & \"c\".mtx");
    EXPECT_TRUE(is_well_formed_xml(svg)) << a.rows << " x " << a.columns;
    EXPECT_EQ(svg, picture(a, "a <b> & \"c\".mtx"));
    EXPECT_EQ(svg.find("nan"), std::string::npos) << a.rows << " x " << a.columns;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << a.rows << " x " << a.columns;
  }
}

TEST(Spy, NamesThatAreNoCharactersOfXmlAreReplaced) {
  const auto a = generate_elasticity(4, 1);
  const std::string replaced = "\xef\xbf\xbd";
  for (const std::string wrong : {"\xe9", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80", "\x01",
                                  "\xef\xbf\xbf", "\xf8\x88\x80\x80\x80", "\xe0\x80\xaf", "\xf4\x90\x80\x80"}) {
    const std::string svg = picture(a, "a" + wrong + ".mtx");
    EXPECT_EQ(svg.find(wrong), std::string::npos) << svg;
    EXPECT_NE(svg.find(">a" + replaced), std::string::npos) << svg;
    EXPECT_NE(svg.find(".mtx</text>"), std::string::npos) << svg;
    EXPECT_NO_THROW(nlohmann::json(svg).dump()) << svg;  // checks UTF-8 strictly
  }
  for (const std::string right :
       {"caf\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_NE(picture(a, right).find(">" + right + "<"), std::string::npos) << right;
}

TEST(Spy, ShowsBothPanelsAndStaysSmall) {
  const std::string svg = picture(generate_elasticity(20, 1), "elasticity");
  for (const char* text : {"Nonzero density", "Tile density", "24,000 x 24,000", ">64<", "column 0", "row 0"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_LT(svg.size(), 1000000u);
  EXPECT_GT(svg.size(), 5000u);
}

}  // namespace
}  // namespace Tessera::Impl::Driver
