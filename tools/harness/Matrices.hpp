// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// Matrices on the host: compressed rows with their own types of offsets and values, such as HostCsr.
namespace Tessera::Impl::Harness {

/// Returns the name of a matrix in tables: a file's name without its folder and the endings .gz, .mtx, .csr and .bin; a
/// generated matrix keeps its name.
inline std::string matrix_name(const std::string& file_or_generator) {
  if (!std::filesystem::exists(file_or_generator)) return file_or_generator;
  std::filesystem::path name = std::filesystem::path(file_or_generator).filename();
  for (const char* ending : {".gz", ".mtx", ".csr", ".bin"})
    if (name.extension() == ending) name = name.stem();
  return name.string();
}

/// Returns the number of columns with an entry: the rows of X that a product must read.
template <class Matrix>
std::size_t touched_columns(const Matrix& a) {
  std::vector<bool> touched(static_cast<std::size_t>(a.columns));
  for (const int column : a.column_indices) touched[static_cast<std::size_t>(column)] = true;
  return static_cast<std::size_t>(std::count(touched.begin(), touched.end(), true));
}

/// Returns `a` with row order[i] as row i, and column columns[j] as column j. Empty `columns` change no column.
template <class Matrix>
Matrix in_order(const Matrix& a, const std::vector<int>& order, const std::vector<int>& columns = {}) {
  Matrix result;
  result.rows = a.rows;
  result.columns = a.columns;
  result.row_offsets.assign(1, 0);
  std::vector<int> places(columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) places[static_cast<std::size_t>(columns[j])] = static_cast<int>(j);
  using Value = typename decltype(a.values)::value_type;
  std::vector<std::pair<int, Value>> entries;
  for (const int row : order) {
    entries.clear();
    const auto end = static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(row) + 1]);
    for (auto k = static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(row)]); k < end; ++k) {
      const int column = a.column_indices[k];
      entries.emplace_back(places.empty() ? column : places[static_cast<std::size_t>(column)], a.values[k]);
    }
    if (!places.empty())
      std::sort(entries.begin(), entries.end(), [](const auto& e, const auto& f) { return e.first < f.first; });
    for (const auto& [column, value] : entries) {
      result.column_indices.push_back(column);
      result.values.push_back(value);
    }
    result.row_offsets.push_back(
        static_cast<typename decltype(result.row_offsets)::value_type>(result.column_indices.size()));
  }
  return result;
}

inline std::vector<int> random_order(int size, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

/// Returns the matrix with its rows and columns in random order, the same for both if it is square.
template <class Matrix>
Matrix shuffled(const Matrix& a, std::uint64_t seed) {
  const std::vector<int> rows = random_order(a.rows, seed);
  return in_order(a, rows, a.rows == a.columns ? rows : random_order(a.columns, seed + 1));
}

}  // namespace Tessera::Impl::Harness
