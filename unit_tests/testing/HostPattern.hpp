// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Mix.hpp>
#include <utility>
#include <vector>

/// Small matrices and random numbers for tests, without Kokkos.
namespace Tessera::Impl::Test {

/// splitmix64, which gives the same numbers with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return Impl::mix_bits(state_ += Impl::mix_step); }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  double real() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1.0; }  // [-1, 1)
  template <class Scalar>
  Scalar scalar() {
    using Real = real_of_t<Scalar>;
    if constexpr (is_complex_v<Scalar>) {
      const Real re = static_cast<Real>(real());
      return {re, static_cast<Real>(real())};
    } else {
      return static_cast<Real>(real());
    }
  }

 private:
  std::uint64_t state_;
};

/// Returns re for a real Scalar, re + i im for a complex one.
template <class Scalar>
Scalar number(double re, double im) {
  using Real = real_of_t<Scalar>;
  if constexpr (is_complex_v<Scalar>) {
    return {static_cast<Real>(re), static_cast<Real>(im)};
  } else {
    return static_cast<Real>(re);
  }
}

/// The numbers 0, 1, ..., size - 1 in a random order.
inline std::vector<int> shuffled(int size, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (int i = size - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  return order;
}

template <class Offset>
struct HostPattern {
  int rows = 0;
  int columns = 0;
  std::vector<Offset> row_offsets{0};
  std::vector<int> column_indices;

  CsrPattern<Offset> view() const { return {rows, columns, row_offsets.data(), column_indices.data()}; }
  std::size_t nonzeros() const { return column_indices.size(); }
  void end_row() {
    row_offsets.push_back(static_cast<Offset>(column_indices.size()));
    ++rows;
  }
};

/// Canonical rows. A row has each column with probability `density`; every `empty_every`-th row is empty (0: none).
template <class Offset>
HostPattern<Offset> random_pattern(int rows, int columns, double density, std::uint64_t seed, int empty_every = 0) {
  Random random(seed);
  HostPattern<Offset> result;
  result.columns = columns;
  while (result.rows < rows) {
    const bool empty = empty_every > 0 && result.rows % empty_every == 0;
    for (int j = 0; j < columns; ++j) {
      if (random.real() < 2 * density - 1 && !empty) result.column_indices.push_back(j);
    }
    result.end_row();
  }
  return result;
}

/// Sum over windows of `height` rows of their distinct columns: rows of X to read if each window reads them once.
template <class Offset>
std::size_t distinct_columns(const HostPattern<Offset>& A, int height) {
  std::vector<int> last_window(static_cast<std::size_t>(A.columns), -1);
  std::size_t count = 0;
  for (int row = 0; row < A.rows; ++row) {
    for (auto k = A.row_offsets[static_cast<std::size_t>(row)]; k < A.row_offsets[static_cast<std::size_t>(row) + 1];
         ++k) {
      int& window = last_window[static_cast<std::size_t>(A.column_indices[static_cast<std::size_t>(k)])];
      if (window != row / height) ++count;
      window = row / height;
    }
  }
  return count;
}

/// Rows of random columns in random order, duplicates included.
template <class Offset>
HostPattern<Offset> unsorted_pattern(int rows, int columns, int entries_per_row, std::uint64_t seed) {
  Random random(seed);
  HostPattern<Offset> result;
  result.columns = columns;
  while (result.rows < rows) {
    const int entries = random.below(2 * entries_per_row + 1);
    for (int k = 0; k < entries; ++k) result.column_indices.push_back(random.below(columns));
    result.end_row();
  }
  return result;
}

template <class Scalar>
std::vector<Scalar> random_values(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<Scalar> values(size);
  for (Scalar& value : values) value = random.scalar<Scalar>();
  return values;
}

}  // namespace Tessera::Impl::Test
