// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tessera/io/Generators.hpp>
#include <vector>

#include "TestFiles.hpp"

namespace {

using Tessera::HostCsr;

/// Returns the FNV-1a hash of bytes.
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t start = 14695981039346656037U) {
  const auto* next = static_cast<const unsigned char*>(data);
  for (std::size_t k = 0; k < bytes; ++k) start = (start ^ next[k]) * 1099511628211U;
  return start;
}

std::uint64_t checksum(const HostCsr<double>& matrix) {
  const auto& offsets = matrix.row_offsets;
  const auto& columns = matrix.column_indices;
  std::uint64_t sum = checksum(offsets.data(), offsets.size() * sizeof offsets[0]);
  sum = checksum(columns.data(), columns.size() * sizeof columns[0], sum);
  return checksum(matrix.values.data(), matrix.values.size() * sizeof(double), sum);
}

/// Returns the transposed matrix. Visiting rows in order keeps its columns sorted.
HostCsr<double> transposed(const HostCsr<double>& matrix) {
  HostCsr<double> result{matrix.columns, matrix.rows, {}, matrix.column_indices, matrix.values};
  result.row_offsets.assign(static_cast<std::size_t>(matrix.columns) + 1, 0);
  for (const int column : matrix.column_indices) ++result.row_offsets[static_cast<std::size_t>(column) + 1];
  for (std::size_t i = 1; i < result.row_offsets.size(); ++i) result.row_offsets[i] += result.row_offsets[i - 1];
  auto next = result.row_offsets;
  for (int row = 0; row < matrix.rows; ++row) {
    for (auto k = matrix.row_offsets[static_cast<std::size_t>(row)];
         k < matrix.row_offsets[static_cast<std::size_t>(row) + 1]; ++k) {
      const std::size_t place = next[static_cast<std::size_t>(matrix.column_indices[k])]++;
      result.column_indices[place] = row;
      result.values[place] = matrix.values[k];
    }
  }
  return result;
}

std::vector<std::size_t> row_lengths(const HostCsr<double>& matrix) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i + 1 < matrix.row_offsets.size(); ++i) {
    lengths.push_back(matrix.row_offsets[i + 1] - matrix.row_offsets[i]);
  }
  return lengths;
}

/// Returns the minimum over all rows of the diagonal minus the magnitudes of the other entries.
double least_dominance(const HostCsr<double>& matrix) {
  double least = INFINITY;
  for (std::size_t i = 0; i + 1 < matrix.row_offsets.size(); ++i) {
    double dominance = 0;
    for (std::size_t k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const bool diagonal = static_cast<std::size_t>(matrix.column_indices[k]) == i;
      dominance += diagonal ? matrix.values[k] : -std::fabs(matrix.values[k]);
    }
    least = std::min(least, dominance);
  }
  return least;
}

void expect_uniform_values(const HostCsr<double>& matrix) {
  double sum = 0, squares = 0;
  for (const double value : matrix.values) {
    EXPECT_TRUE(value >= -1 && value < 1);
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(matrix.values.size());
  EXPECT_NEAR(sum / count, 0.0, 5 * std::sqrt(1.0 / 3 / count));
  EXPECT_NEAR(squares / count, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / count));
}

/// Checksums of one small matrix of each kind for seed 1. A change of a generator changes all results that are based on
/// it, so it must be stated here.
const std::map<std::string, std::uint64_t>& fixed_checksums() {
  static const std::map<std::string, std::uint64_t> sums = {
      {"stencil27:9", 15942716227601899853U},  {"elasticity:5", 4270144383474359194U},
      {"rmat:10,8", 7146906452891479834U},     {"road:1000", 107137738798875096U},
      {"banded:300,7", 17135954512757970253U}, {"uniform:500,9", 2889665368422969893U},
  };
  return sums;
}

TEST(Generators, FixedChecksums) {
  for (const auto& [name, sum] : fixed_checksums()) EXPECT_EQ(checksum(Tessera::generate(name, 1)), sum) << name;
}

TEST(Generators, AreCanonicalAndTheSameForEveryNumberOfThreads) {
  for (const char* name :
       {"stencil27:14", "elasticity:10", "rmat:14,4", "road:5000", "banded:3000,2", "uniform:5000,4"}) {
    const auto matrix = Tessera::generate(name, 7, 1);
    EXPECT_TRUE(is_canonical(matrix)) << name;
    for (const int threads : {2, 3, 7}) EXPECT_EQ(Tessera::generate(name, 7, threads), matrix) << name;
  }
}

TEST(Generators, SeedsDiffer) {
  for (const char* name : {"elasticity:4", "rmat:8,4", "road:100", "banded:50,2", "uniform:50,4"}) {
    EXPECT_NE(Tessera::generate(name, 1), Tessera::generate(name, 2)) << name;
  }
}

TEST(Generators, Stencil27) {
  for (const int grid : {1, 2, 3, 10}) {
    const auto matrix = Tessera::Impl::generate_stencil27(grid);
    EXPECT_EQ(matrix.rows, grid * grid * grid);
    const auto side = static_cast<std::size_t>(3 * grid - 2);
    EXPECT_EQ(matrix.values.size(), side * side * side);
    EXPECT_EQ(transposed(matrix), matrix);
    EXPECT_GE(least_dominance(matrix), 0.0);
  }
  const auto matrix = Tessera::Impl::generate_stencil27(4);
  const auto lengths = row_lengths(matrix);
  EXPECT_EQ(lengths[0], 8U);
  EXPECT_EQ(lengths[1 + 4 * (1 + 4 * 1)], 27U);
  EXPECT_EQ(matrix.column_indices[1], 1);
  EXPECT_EQ(matrix.values[0], 26.0);
  EXPECT_EQ(matrix.values[1], -1.0);
}

TEST(Generators, Elasticity) {
  for (const int grid : {1, 2, 7}) {
    const auto matrix = Tessera::Impl::generate_elasticity(grid, 3);
    EXPECT_EQ(matrix.rows, 3 * grid * grid * grid);
    const auto side = static_cast<std::size_t>(3 * grid - 2);
    EXPECT_EQ(matrix.values.size(), 9 * side * side * side);
    EXPECT_EQ(transposed(matrix), matrix);
    EXPECT_EQ(least_dominance(matrix), 1.0);  // exact, because no sum is rounded
    EXPECT_EQ(std::count(matrix.values.begin(), matrix.values.end(), 0.0), 0);
  }
}

TEST(Generators, Rmat) {
  const auto matrix = Tessera::Impl::generate_rmat(14, 8, 5);
  EXPECT_EQ(matrix.rows, 1 << 14);
  EXPECT_LT(matrix.values.size(), std::size_t{8} << 14);  // some repeated edges were removed,
  EXPECT_GT(matrix.values.size(), std::size_t{6} << 14);  // but only a few
  expect_uniform_values(matrix);
  auto lengths = row_lengths(matrix);
  std::sort(lengths.begin(), lengths.end());
  EXPECT_GT(lengths.back(), 40 * matrix.values.size() / lengths.size());  // there are hubs,
  EXPECT_LE(lengths[lengths.size() / 2], 4U);                             // but most have few edges
  // 76 % of the draws are in the upper half, where repeated edges are more frequent.
  const std::size_t in_upper_half = matrix.row_offsets[1 << 13];
  EXPECT_NEAR(static_cast<double>(in_upper_half) / static_cast<double>(matrix.values.size()), 0.74, 0.03);
}

TEST(Generators, Road) {
  const auto matrix = Tessera::Impl::generate_road(90000, 5);
  EXPECT_EQ(transposed(matrix), matrix);
  const auto lengths = row_lengths(matrix);
  EXPECT_LE(*std::max_element(lengths.begin(), lengths.end()), 4U);
  EXPECT_EQ(*std::min_element(lengths.begin(), lengths.end()), 0U);
  EXPECT_NEAR(static_cast<double>(matrix.values.size()) / 90000, 2.8, 0.03);
  expect_uniform_values(matrix);
  for (const int rows : {1, 2, 3, 5, 17}) EXPECT_EQ(Tessera::Impl::generate_road(rows, 5).rows, rows);
}

TEST(Generators, Banded) {
  const auto matrix = Tessera::Impl::generate_banded(2000, 20, 5);
  EXPECT_EQ(matrix.values.size(), 2000U * 41 - 20 * 21);
  for (std::size_t i = 0; i < 2000; ++i) {
    for (std::size_t k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      EXPECT_LE(std::abs(matrix.column_indices[k] - static_cast<int>(i)), 20);
    }
  }
  expect_uniform_values(matrix);
  EXPECT_EQ(Tessera::Impl::generate_banded(5, 4, 1).values.size(), 25U);
  EXPECT_EQ(Tessera::Impl::generate_banded(5, 0, 1).values.size(), 5U);
}

TEST(Generators, Uniform) {
  const auto matrix = Tessera::Impl::generate_uniform(5000, 12, 5);
  for (const std::size_t length : row_lengths(matrix)) EXPECT_EQ(length, 12U);
  expect_uniform_values(matrix);
  const auto columns = row_lengths(transposed(matrix));
  EXPECT_LT(*std::max_element(columns.begin(), columns.end()), 40U);  // mean 12; 40 is 8 standard deviations away
  EXPECT_GT(std::count(columns.begin(), columns.end(), 12U), 350);    // expected: a fraction of 0.114
  EXPECT_EQ(Tessera::Impl::generate_uniform(7, 7, 5).values.size(), 49U);
  EXPECT_EQ(Tessera::Impl::generate_uniform(7, 0, 5).values.size(), 0U);
}

TEST(Generators, NamesWithAndWithoutSizes) {
  EXPECT_EQ(Tessera::generate("banded:60,3", 9), Tessera::Impl::generate_banded(60, 3, 9));
  EXPECT_EQ(Tessera::generate("banded:60", 9), Tessera::Impl::generate_banded(60, 16, 9));
  EXPECT_EQ(Tessera::generate("stencil27", 9).rows, 64 * 64 * 64);
  EXPECT_EQ(Tessera::generate("elasticity:3", 9), Tessera::Impl::generate_elasticity(3, 9));
  EXPECT_EQ(Tessera::generate("rmat:5,3", 9), Tessera::Impl::generate_rmat(5, 3, 9));
  EXPECT_EQ(Tessera::generate("road:70", 9), Tessera::Impl::generate_road(70, 9));
  EXPECT_EQ(Tessera::generate("uniform:70,5", 9), Tessera::Impl::generate_uniform(70, 5, 9));
  const auto names = Tessera::Impl::generator_names();
  ASSERT_EQ(names.size(), 6U);
  EXPECT_EQ(names[1].first, "elasticity:GRID");
  EXPECT_NE(names[1].second.find("(default 40)"), std::string::npos);
  EXPECT_EQ(names[2].first, "rmat:SCALE[,EDGE_FACTOR]");
}

TEST(Generators, BadNamesAndSizes) {
  const auto message = [](const std::string& name) { return thrown_by([&] { Tessera::generate(name, 1); }); };
  EXPECT_EQ(message("grid:5"),
            "invalid_argument: no generator is named \"grid\", expected one of stencil27, elasticity, rmat, road, "
            "banded, uniform");
  EXPECT_EQ(message("road:"),
            "invalid_argument: generator road: cannot use the size \"\", expected road:ROWS with whole numbers below "
            "2^31");
  EXPECT_EQ(message("road:ten").find("invalid_argument: generator road: cannot use the size \"ten\""), 0U);
  EXPECT_EQ(message("road:9999999999").find("invalid_argument: generator road: cannot use the size"), 0U);
  EXPECT_EQ(message("road:5,5").find("invalid_argument: generator road: cannot use the size \"5\""), 0U);
  EXPECT_EQ(message("rmat:5,").find("invalid_argument: generator rmat: cannot use the size \"\""), 0U);
  EXPECT_EQ(message("road:0"), "invalid_argument: generate_road: rows is 0, expected 1 to 2147483647");
  EXPECT_EQ(message("stencil27:1291"), "invalid_argument: generate_stencil27: grid is 1291, expected 1 to 1290");
  EXPECT_EQ(message("elasticity:-1"), "invalid_argument: generate_elasticity: grid is -1, expected 1 to 894");
  EXPECT_EQ(message("rmat:31"), "invalid_argument: generate_rmat: scale is 31, expected 0 to 30");
  EXPECT_EQ(message("banded:5,5"), "invalid_argument: generate_banded: bandwidth is 5, expected 0 to 4");
  EXPECT_EQ(message("uniform:5,6"), "invalid_argument: generate_uniform: nonzeros per row is 6, expected 0 to 5");
  EXPECT_EQ(message("uniform:2147483647,2147483647").find("runtime_error: generate_uniform: the matrix needs"), 0U);
}

TEST(RandomDense, IsUniformAndReproducible) {
  const auto matrix = Tessera::random_dense<double>(100, 50, 3);
  EXPECT_EQ(matrix.rows, 100U);
  EXPECT_EQ(matrix.columns, 50U);
  expect_uniform_values({1, 1, {0, 5000}, {}, matrix.values});
  EXPECT_EQ(Tessera::random_dense<double>(100, 50, 3, 7), matrix);
  EXPECT_NE(Tessera::random_dense<double>(100, 50, 4), matrix);
  const auto complex = Tessera::random_dense<std::complex<float>>(30, 30, 3);
  double products = 0;
  for (const auto& z : complex.values) {
    EXPECT_TRUE(z.real() >= -1 && z.real() < 1 && z.imag() >= -1 && z.imag() < 1);
    products += static_cast<double>(z.real()) * static_cast<double>(z.imag());
  }
  EXPECT_NEAR(products / 900, 0.0, 5.0 / 3 / 30);  // real and imaginary parts are uncorrelated
  EXPECT_THROW(Tessera::random_dense<double>(std::size_t{1} << 40, std::size_t{1} << 40, 1), std::runtime_error);
}

TEST(RandomDense, FixedChecksum) {
  const auto sum = [](const auto& values) { return checksum(values.data(), values.size() * sizeof values[0]); };
  EXPECT_EQ(sum(Tessera::random_dense<double>(9, 7, 1).values), 7052033980758797864U);
  EXPECT_EQ(sum(Tessera::random_dense<float>(9, 7, 1).values), 908409946964614942U);
  EXPECT_EQ(sum(Tessera::random_dense<std::complex<double>>(9, 7, 1).values), 16726568309561693854U);
}

}  // namespace
