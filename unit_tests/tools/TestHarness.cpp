// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <harness/Files.hpp>
#include <harness/Matrices.hpp>
#include <harness/Statistics.hpp>
#include <limits>
#include <stdexcept>
#include <tessera/io/HostCsr.hpp>

namespace Tessera::Impl::Harness {
namespace {

TEST(Harness, TheMedianIsTheMiddleOrTheMeanOfTwo) {
  const Spread odd = spread_of({5, 1, 3}), even = spread_of({8, 2, 4, 1});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.least, 1);
  EXPECT_EQ(odd.most, 5);
  EXPECT_EQ(even.median, 3);
  EXPECT_EQ(spread_of({}).median, 0);
}

TEST(Harness, NotANumberIsTheGreatest) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(greater(1, 2), 2);
  EXPECT_EQ(greater(2, 1), 2);
  EXPECT_TRUE(std::isnan(greater(nan, 1)));
  EXPECT_TRUE(std::isnan(greater(1, nan)));
}

TEST(Harness, AGeometricMeanIsThatOfLogarithms) {
  GeometricMean factors;
  EXPECT_EQ(factors.mean(), 0);
  for (const double factor : {0.5, 8.0, 2.0}) factors.add(factor);
  EXPECT_DOUBLE_EQ(factors.mean(), 2);
  EXPECT_EQ(factors.least, 0.5);
  EXPECT_EQ(factors.most, 8);
}

TEST(Harness, LinesArePlainOrCompressed) {
  const std::string path = testing::TempDir() + "tessera_harness_lines";
  write_file(path, "one\n\nthree");
  EXPECT_EQ(lines_of(path), (std::vector<std::string>{"one", "", "three"}));
  const gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "four\nfive\n");
  gzclose(file);
  EXPECT_EQ(lines_of(path), (std::vector<std::string>{"four", "five"}));
  std::filesystem::remove(path);
  EXPECT_THROW(lines_of(path), std::runtime_error);
}

TEST(Harness, MatricesAreCalledByTheirFiles) {
  const std::string path = testing::TempDir() + "tessera.harness.mtx.gz";
  EXPECT_EQ(matrix_name("stencil27:64"), "stencil27:64");
  std::ofstream(path) << "there";
  EXPECT_EQ(matrix_name(path), "tessera.harness");
  std::filesystem::remove(path);
}

/// The matrix [0 1 2; 3 0 0].
const HostCsr<double> small{2, 3, {0, 2, 3}, {1, 2, 0}, {1, 2, 3}};

TEST(Harness, RowsAndColumnsArePutInAnOrder) {
  EXPECT_EQ(in_order(small, {1, 0}), (HostCsr<double>{2, 3, {0, 1, 3}, {0, 1, 2}, {3, 1, 2}}));
  EXPECT_EQ(in_order(small, {0, 1}, {2, 0, 1}), (HostCsr<double>{2, 3, {0, 2, 3}, {0, 2, 1}, {2, 1, 3}}));
}

TEST(Harness, ColumnsWithoutEntriesAreNotTouched) {
  EXPECT_EQ(touched_columns(small), 3u);
  EXPECT_EQ(touched_columns(HostCsr<double>{1, 3, {0, 1}, {1}, {1}}), 1u);
}

}  // namespace
}  // namespace Tessera::Impl::Harness
