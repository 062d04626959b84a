// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <tessera/tpetra/Chebyshev.hpp>
#include <utility>
#include <vector>

#include "BlockProblem.hpp"

/// Matrices whose Maps are all the same, and Chebyshev's polynomial computed serially.
namespace Tessera::Impl::Test {

using AnyOperator = Tpetra::Operator<double>;

/// Distributes a matrix, which every rank has completely, with `map` as row, domain and range Map.
inline RCP<Matrix> distribute_over(const HostCsr<double>& matrix, const RCP<const Map>& map) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < std::size_t(matrix.rows); ++i)
    longest = std::max(longest, matrix.row_offsets[i + 1] - matrix.row_offsets[i]);
  const auto A = rcp(new Matrix(map, longest));
  for (const GO row : map->getLocalElementList()) {
    for (std::size_t k = matrix.row_offsets[std::size_t(row)]; k < matrix.row_offsets[std::size_t(row) + 1]; ++k) {
      const GO column = matrix.column_indices[k];
      A->insertGlobalValues(row, 1, &matrix.values[k], &column);
    }
  }
  A->fillComplete(map, map);
  return A;
}

/// The Maps of square matrices. Each covers a case of Spread.
inline const std::vector<std::pair<std::string, RCP<const Map> (*)(GO)>> square_maps = {
    {"Uniform", uniform_map},
    {"Cyclic", cyclic_map},
    {"Shuffled", [](GO size) { return shuffled_map(size, 1); }},
    {"RowsOnLastRank", [](GO size) { return map_of(size, [](GO) { return rank() == last_rank(); }); }}};

/// Chebyshev's polynomial times random_vectors(), serially in long double, as Saad's Algorithm 12.1 computes it. The
/// residual is updated with the direction, not computed from the iterate.
class SerialChebyshev {
 public:
  using Number = long double;
  using Column = std::vector<Number>;

  SerialChebyshev(const HostCsr<double>& A, const ChebyshevOptions& options, double largest) : A_(A) {
    diagonal_.resize(std::size_t(A.rows));
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      for (std::size_t k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
        if (std::size_t(A.column_indices[k]) == i) diagonal_[i] += Number(A.values[k]);
        longest_row_ = std::max(longest_row_, Number(A.row_offsets[i + 1] - A.row_offsets[i]));
      }
    }
    degree_ = options.degree;
    const Number lower = Number(largest) / Number(options.ratio), upper = Number(largest) * Number(options.boost);
    theta_ = (upper + lower) / 2;
    delta_ = (upper - lower) / 2;
  }

  /// \param bound [out] of the rounding errors of each element, which double precision makes in any order of additions
  Column apply(const Column& x, Column& bound) const {
    const Number sigma = theta_ / delta_;
    Number rho = 1 / sigma;
    Column r = x, z(x.size()), d(x.size()), size(x.size()), size_before(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      z[i] = d[i] = x[i] / diagonal_[i] / theta_;
      size[i] = std::abs(z[i]);
    }
    for (int k = 1; k < degree_; ++k) {
      const Column product = multiply(d, false), sizes = multiply(size, true);
      const Number next = 1 / (2 * sigma - rho), of_d = next * rho, of_r = 2 * next / delta_;
      for (std::size_t i = 0; i < x.size(); ++i) {
        r[i] -= product[i];
        d[i] = of_d * d[i] + of_r * r[i] / diagonal_[i];
        z[i] += d[i];
        const Number most =
            (1 + of_d) * size[i] + of_d * size_before[i] + of_r * (std::abs(x[i]) + sizes[i]) / std::abs(diagonal_[i]);
        size_before[i] = size[i];
        size[i] = most;
      }
      rho = next;
    }
    bound = size;
    const Number u = std::numeric_limits<double>::epsilon() / 2;
    for (Number& most : bound) most *= 2 * Number(degree_) * (longest_row_ + 8) * u;
    return z;
  }

 private:
  Column multiply(const Column& x, bool magnitudes) const {
    Column y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t k = A_.row_offsets[i]; k < A_.row_offsets[i + 1]; ++k) {
        const Number value = magnitudes ? std::abs(A_.values[k]) : A_.values[k];
        y[i] += value * x[std::size_t(A_.column_indices[k])];
      }
    }
    return y;
  }

  HostCsr<double> A_;
  Column diagonal_;
  Number theta_ = 0, delta_ = 0, longest_row_ = 0;
  int degree_ = 0;
};

/// A matrix with eigenvalues of D^-1 A between nearly 0 and nearly 2: the second differences, with rows and columns
/// scaled by numbers from 1 to 4.
inline HostCsr<double> scaled_differences(int size) {
  const auto scale = [](int i) { return 2.5 + 1.5 * uniform(std::uint64_t(i), 7); };
  HostCsr<double> matrix{size, size, {0}, {}, {}};
  for (int i = 0; i < size; ++i) {
    for (int c = std::max(0, i - 1); c <= std::min(size - 1, i + 1); ++c) {
      matrix.column_indices.push_back(c);
      matrix.values.push_back(scale(i) * scale(c) * (c == i ? 2 : -1));
    }
    matrix.row_offsets.push_back(matrix.values.size());
  }
  return matrix;
}
/// Returns the largest eigenvalue of D^-1 A for this matrix.
inline double largest_of_differences(int size) { return 1 + std::cos(std::acos(-1.0) / (size + 1)); }

}  // namespace Tessera::Impl::Test
