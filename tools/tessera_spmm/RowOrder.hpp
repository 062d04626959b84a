// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <tessera/io/HostCsr.hpp>
#include <utility>
#include <vector>

/// Matrices on the host with their rows in another order.
namespace Tessera::Driver {

/// Row i is row order[i] of `a`, its column j column columns[j]; empty `columns`: as they are.
template <class Scalar>
HostCsr<Scalar> in_order(const HostCsr<Scalar>& a, const std::vector<int>& order,
                         const std::vector<int>& columns = {}) {
  HostCsr<Scalar> result;
  result.rows = a.rows;
  result.columns = a.columns;
  std::vector<int> places(columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) places[static_cast<std::size_t>(columns[j])] = static_cast<int>(j);
  std::vector<std::pair<int, Scalar>> entries;
  for (const int row : order) {
    entries.clear();
    for (std::size_t k = a.row_offsets[static_cast<std::size_t>(row)];
         k < a.row_offsets[static_cast<std::size_t>(row) + 1]; ++k) {
      const int column = a.column_indices[k];
      entries.emplace_back(places.empty() ? column : places[static_cast<std::size_t>(column)], a.values[k]);
    }
    std::sort(entries.begin(), entries.end(), [](const auto& e, const auto& f) { return e.first < f.first; });
    for (const auto& [column, value] : entries) {
      result.column_indices.push_back(column);
      result.values.push_back(value);
    }
    result.row_offsets.push_back(result.column_indices.size());
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

/// The matrix with its rows and columns in a random order, one and the same for both if it is square.
template <class Scalar>
HostCsr<Scalar> shuffled(const HostCsr<Scalar>& a, std::uint64_t seed) {
  const std::vector<int> rows = random_order(a.rows, seed);
  return in_order(a, rows, a.rows == a.columns ? rows : random_order(a.columns, seed + 1));
}

}  // namespace Tessera::Driver
