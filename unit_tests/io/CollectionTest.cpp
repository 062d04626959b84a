// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tessera/io/HarwellBoeing.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <vector>

namespace {

using Row = std::map<std::string, std::string>;

/// Reads the rows of a table of tab-separated values. Its first line names the columns.
std::vector<Row> read_table(const std::string& path) {
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    return cells;
  };
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto names = split(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const auto cells = split(line);
    for (std::size_t k = 0; k < cells.size() && k < names.size(); ++k) {
      if (k == 0) rows.emplace_back();
      rows.back()[names[k]] = cells[k];
    }
  }
  return rows;
}

bool is_matrix_market(const std::string& name) { return name.ends_with(".mtx") || name.ends_with(".mtx.gz"); }

/// In the table, nnz counts the entries after symmetry is expanded, including explicit zeros and each duplicate.
/// stored_entries counts the entries in the file.
template <class Scalar>
void check_file(const std::string& path, const Row& row) {
  const auto matrix = Tessera::read_matrix<Scalar>(path);
  const std::size_t stored_entries = is_matrix_market(path)
                                         ? Tessera::Impl::read_matrix_market_header(path).stored_entries
                                         : Tessera::Impl::read_harwell_boeing_header(path).stored_entries;
  const auto number = [&](const char* column) { return std::stoull(row.at(column)); };
  const auto count = [](bool what, std::size_t& counter) { counter += what ? 1 : 0; };
  EXPECT_TRUE(is_canonical(matrix)) << path;
  EXPECT_EQ(static_cast<std::size_t>(matrix.rows), number("rows")) << path;
  EXPECT_EQ(static_cast<std::size_t>(matrix.columns), number("cols")) << path;
  EXPECT_EQ(stored_entries, number("stored_entries")) << path;
  if (number("duplicate_entries") > 0) {
    EXPECT_LT(matrix.values.size(), number("nnz")) << path;
    return;
  }
  EXPECT_EQ(matrix.values.size(), number("nnz")) << path;
  std::size_t zeros = 0, empty_rows = 0, longest_row = 0;
  for (const Scalar& value : matrix.values) count(value == Scalar(0), zeros);
  for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i) {
    const std::size_t length = matrix.row_offsets[i + 1] - matrix.row_offsets[i];
    count(length == 0, empty_rows);
    longest_row = std::max(longest_row, length);
  }
  EXPECT_EQ(zeros, number("explicit_zeros")) << path;
  EXPECT_EQ(empty_rows, number("empty_rows")) << path;
  EXPECT_EQ(longest_row, number("max_row_nnz")) << path;
}

/// Returns the folder of matrices, or null.
const char* data_folder() {
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  return folder == nullptr || *folder == '\0' ? nullptr : folder;
}

TEST(Collection, EveryFileIsReadAsTheTableSays) {
  const char* folder = data_folder();
  if (folder == nullptr) GTEST_SKIP() << "TESSERA_DATA_DIR names no folder of matrices with a table SOURCES.tsv";
  const auto table = read_table(std::string(folder) + "/SOURCES.tsv");
  std::size_t files = 0;
  for (const Row& row : table) {
    const std::string path = std::string(folder) + "/" + row.at("file");
    ++files;
    ASSERT_EQ(Tessera::Impl::matrix_is_complex(path), row.at("field") == "complex") << path;
    if (row.at("field") == "complex") {
      EXPECT_THROW(Tessera::read_matrix<double>(path), std::invalid_argument) << path;
      check_file<std::complex<double>>(path, row);
    } else {
      check_file<double>(path, row);
    }
  }
  EXPECT_GT(files, 0U) << "the table " << folder << "/SOURCES.tsv names no file";
  RecordProperty("files", static_cast<int>(files));
}

/// Compares with sums that another program computed from the file: see harwell_boeing_table.py.
void check_sums(const std::string& path, const Row& row) {
  const auto matrix = Tessera::read_matrix<std::complex<double>>(path);
  EXPECT_EQ(matrix.rows, std::stoi(row.at("rows"))) << path;
  EXPECT_EQ(matrix.columns, std::stoi(row.at("columns"))) << path;
  EXPECT_EQ(matrix.values.size(), std::stoull(row.at("entries"))) << path;
  double sum_abs = 0;
  std::complex<double> sum, sum_i, sum_j;
  for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i) {
    for (std::size_t k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const auto value = matrix.values[k];
      sum_abs += std::abs(value);
      sum += value;
      sum_i += static_cast<double>(i + 1) * value;
      sum_j += static_cast<double>(matrix.column_indices[k] + 1) * value;
    }
  }
  // Another order of summation gives other rounding errors.
  const double rounding = 1e-13 * sum_abs;
  const auto expect = [&](const char* column, double found, double largest_factor) {
    EXPECT_NEAR(found, std::stod(row.at(column)), rounding * largest_factor) << path << ' ' << column;
  };
  expect("sum_abs", sum_abs, 1);
  expect("sum_re", sum.real(), 1);
  expect("sum_im", sum.imag(), 1);
  expect("sum_i_re", sum_i.real(), matrix.rows);
  expect("sum_i_im", sum_i.imag(), matrix.rows);
  expect("sum_j_re", sum_j.real(), matrix.columns);
  expect("sum_j_im", sum_j.imag(), matrix.columns);
}

void check_right_hand_sides(const std::string& path, const Row& row) {
  const auto elements = std::stoull(row.at("right"));
  const auto header = Tessera::Impl::read_dense_header(path);
  EXPECT_EQ(header.rows * header.columns, elements) << path;
  if (elements == 0) return;
  double sum = 0, sum_k = 0, sum_abs = 0;
  const auto dense = Tessera::read_dense_matrix<double>(path);
  ASSERT_EQ(dense.values.size(), elements) << path;
  for (std::size_t k = 0; k < elements; ++k) {
    sum += dense.values[k];
    sum_k += static_cast<double>(k + 1) * dense.values[k];
    sum_abs += std::abs(dense.values[k]);
  }
  EXPECT_NEAR(sum, std::stod(row.at("right_sum")), 1e-13 * sum_abs) << path;
  EXPECT_NEAR(sum_k, std::stod(row.at("right_sum_k")), 1e-13 * sum_abs * static_cast<double>(elements)) << path;
}

TEST(Collection, HarwellBoeingFilesHaveTheSumsThatAnotherProgramMade) {
  const char* folder = data_folder();
  if (folder == nullptr) GTEST_SKIP() << "TESSERA_DATA_DIR names no folder of matrices";
  const auto table = read_table(TESSERA_HARWELL_BOEING_TABLE);
  EXPECT_EQ(table.size(), 19U);
  for (const Row& row : table) {
    const std::string path = std::string(folder) + "/" + row.at("file");
    check_sums(path, row);
    check_right_hand_sides(path, row);
  }
}

}  // namespace
