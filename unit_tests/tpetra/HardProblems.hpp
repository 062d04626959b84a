// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <tessera/io/HostCsr.hpp>
#include <utility>
#include <vector>

#include "TestProblem.hpp"

/// Ill-conditioned symmetric positive definite matrices, with their unknowns in any order.
namespace Tessera::Impl::Test {

/// The matrix of an energy: the sum of weight d d^T over vectors d with few elements.
class Energy {
 public:
  using Terms = std::vector<std::pair<int, double>>;  ///< unknowns and factors; a negative unknown is fixed at 0

  explicit Energy(int unknowns) : rows_(std::size_t(unknowns)) {}

  void add(double weight, const Terms& d) {
    for (const auto& [row, a] : d)
      for (const auto& [column, b] : d)
        if (row >= 0 && column >= 0) rows_[std::size_t(row)][column] += weight * a * b;
  }
  HostCsr<double> matrix() const {
    HostCsr<double> result;
    result.rows = result.columns = int(rows_.size());
    for (const auto& row : rows_) {
      for (const auto& [column, value] : row) {
        result.column_indices.push_back(column);
        result.values.push_back(value);
      }
      result.row_offsets.push_back(result.column_indices.size());
    }
    return result;
  }

 private:
  std::vector<std::map<int, double>> rows_;
};

/// Diffusion on grid x grid points. The coefficient is 1 or `jump`, at random for each square of 4 x 4 points.
inline HostCsr<double> generate_jumps(int grid, double jump) {
  Energy energy(grid * grid);
  const auto at = [&](int i, int j) { return std::min(i, j) < 0 || std::max(i, j) >= grid ? -1 : i * grid + j; };
  const auto coefficient = [&](int i, int j) {
    return hash(std::uint64_t((i + 4) / 4), std::uint64_t((j + 4) / 4)) % 2 == 0 ? 1 : jump;
  };
  const auto connect = [&](int i, int j, int k, int l) {
    const double a = coefficient(i, j), b = coefficient(k, l);
    energy.add(2 * a * b / (a + b), {{at(i, j), 1}, {at(k, l), -1}});
  };
  for (int i = -1; i < grid; ++i) {
    for (int j = -1; j < grid; ++j) {
      connect(i, j, i + 1, j);
      connect(i, j, i, j + 1);
    }
  }
  return energy.matrix();
}

/// Part of a cylinder of radius 1 with clamped edges, by differences on grid x grid points: displacements u and v in
/// the surface, w across it. Stretching is stiff; bending is softer by thickness^2 / 12. A thickness of 0.01 and 16
/// points give a condition of about 10^7.
inline HostCsr<double> generate_shell(int grid, double thickness) {
  Energy energy(3 * grid * grid);
  const double h = 1.0 / (grid + 1), bending = thickness * thickness / 12 / (h * h * h * h);
  const auto at = [&](int i, int j, int which) {
    return std::min(i, j) < 0 || std::max(i, j) >= grid ? -1 : 3 * (i * grid + j) + which;
  };
  enum { u, v, w };
  for (int i = -1; i <= grid; ++i) {
    for (int j = -1; j <= grid; ++j) {
      const double d = 1 / h, half = d / 2;
      energy.add(1, {{at(i + 1, j, u), d}, {at(i, j, u), -d}});
      energy.add(1, {{at(i, j + 1, v), d}, {at(i, j, v), -d}, {at(i, j, w), 0.5}, {at(i, j + 1, w), 0.5}});
      energy.add(0.5, {{at(i, j + 1, u), half},
                       {at(i + 1, j + 1, u), half},
                       {at(i, j, u), -half},
                       {at(i + 1, j, u), -half},
                       {at(i + 1, j, v), half},
                       {at(i + 1, j + 1, v), half},
                       {at(i, j, v), -half},
                       {at(i, j + 1, v), -half}});
      energy.add(bending, {{at(i + 1, j, w), 1}, {at(i, j, w), -2}, {at(i - 1, j, w), 1}});
      energy.add(bending, {{at(i, j + 1, w), 1}, {at(i, j, w), -2}, {at(i, j - 1, w), 1}});
      energy.add(2 * bending,
                 {{at(i + 1, j + 1, w), 1}, {at(i + 1, j, w), -1}, {at(i, j + 1, w), -1}, {at(i, j, w), 1}});
    }
  }
  return energy.matrix();
}

/// Returns the unknown at each position. Order 0 is the matrix's own order. Other orders are random, which gives the
/// same problem with other rounding errors.
inline std::vector<int> ordering(int size, int order) {
  std::vector<int> unknowns(static_cast<std::size_t>(size));
  std::iota(unknowns.begin(), unknowns.end(), 0);
  for (std::size_t i = unknowns.size(); order > 0 && i > 1; --i)
    std::swap(unknowns[i - 1], unknowns[hash(i, std::uint64_t(order)) % i]);
  return unknowns;
}

inline HostCsr<double> reordered(const HostCsr<double>& A, const std::vector<int>& unknowns) {
  std::vector<int> place(unknowns.size());
  for (std::size_t i = 0; i < unknowns.size(); ++i) place[std::size_t(unknowns[i])] = int(i);
  HostCsr<double> result;
  result.rows = A.rows;
  result.columns = A.columns;
  std::vector<std::pair<int, double>> row;
  for (const int unknown : unknowns) {
    row.clear();
    for (auto k = A.row_offsets[std::size_t(unknown)]; k < A.row_offsets[std::size_t(unknown) + 1]; ++k)
      row.emplace_back(place[std::size_t(A.column_indices[k])], A.values[k]);
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      result.column_indices.push_back(column);
      result.values.push_back(value);
    }
    result.row_offsets.push_back(result.column_indices.size());
  }
  return result;
}

/// Elements that depend only on their unknown, column and seed, not on the order of unknowns.
inline RCP<MV> random_vectors_of(const std::vector<int>& unknowns, const RCP<const Map>& map, std::size_t columns,
                                 std::uint64_t seed) {
  const auto result = rcp(new MV(map, columns));
  const auto view = result->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    const int unknown = unknowns[std::size_t(map->getGlobalElement(int(i)))];
    for (std::size_t j = 0; j < columns; ++j) view(i, j) = uniform(std::uint64_t(unknown) * 64 + j, seed);
  }
  return result;
}

}  // namespace Tessera::Impl::Test
