// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/Half.hpp>
#include <tessera/Mode.hpp>
#include <tessera/common/Mix.hpp>
#include <vector>

/// Matrices and multivectors too large to store twice: each element is computed from its indices. All numbers are
/// multiples of 1/8 from -1 to 7/8, so sums of some hundred products are exact in float, and sums of four in 16 bits,
/// in any precision and order. Results are compared bit by bit.
namespace Tessera::Impl::Test {

/// Distinguishes the elements of different arrays.
enum Seed : std::uint64_t { OldValues, NewValues, Operand };

/// The numbers of one element type.
template <class T>
struct Number {
  KOKKOS_INLINE_FUNCTION static T of(std::uint64_t hash) { return T(float(int(hash & 15) - 8) / 8); }
  KOKKOS_INLINE_FUNCTION static T conjugate(T x) { return x; }
};
template <class Real>
struct Number<Kokkos::complex<Real>> {
  using T = Kokkos::complex<Real>;
  KOKKOS_INLINE_FUNCTION static T of(std::uint64_t hash) {
    return {Number<Real>::of(hash), Number<Real>::of(hash >> 4)};
  }
  KOKKOS_INLINE_FUNCTION static T conjugate(T x) { return {x.real(), -x.imag()}; }
};

template <class T>
KOKKOS_INLINE_FUNCTION T number(Seed seed, std::int64_t row, std::int64_t column) {
  return Number<T>::of(
      Impl::mix_bits((std::uint64_t(seed) << 62) ^ (std::uint64_t(row) << 31) ^ std::uint64_t(column)));
}

/// Distances of `count` diagonals from the main one, ascending: runs of up to `run` adjacent diagonals, within `span`
/// on either side.
inline std::vector<int> diagonals(int count, int run, std::int64_t span) {
  std::vector<int> result;
  const int runs = (count + run - 1) / run;
  for (int i = 0; i < runs; ++i) {
    // The range is divided into equal parts. Each part has one run, at a random position.
    const std::int64_t part = 2 * span / runs, room = std::max<std::int64_t>(part - run, 1);
    const std::int64_t first =
        -span + i * part + std::int64_t(Impl::mix_bits(std::uint64_t(i) + 1) % std::uint64_t(room));
    for (int j = 0; j < run && int(result.size()) < count; ++j) result.push_back(int(first) + j);
  }
  return result;
}

/// A square matrix of diagonals, in a user's arrays.
template <class Exec, class Scalar, class Offset>
struct LargeMatrix {
  template <class T>
  using Array = Kokkos::View<T*, typename Exec::memory_space>;

  std::int64_t rows = 0;
  Array<int> distances;
  Array<Offset> row_offsets;
  Array<int> column_indices;
  Array<Scalar> values;

  LargeMatrix(std::int64_t n, const std::vector<int>& diagonals_of_it) : rows(n) {
    distances = Array<int>("distances", diagonals_of_it.size());
    Kokkos::deep_copy(distances, Kokkos::View<const int*, Kokkos::HostSpace>(diagonals_of_it.data(), distances.size()));
    row_offsets = Array<Offset>("row offsets", std::size_t(n) + 1);
    fill_row_offsets();
    std::size_t entries = 0;
    for (const int d : diagonals_of_it) entries += std::size_t(n - std::abs(d));
    column_indices = Array<int>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "column indices"), entries);
    values = Array<Scalar>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "values"), entries);
    fill_columns_and_values(OldValues);
  }

  std::size_t nonzeros() const { return values.extent(0); }

  void fill_row_offsets() {
    const auto offsets = row_offsets;
    const auto distances_of = distances;
    const std::int64_t n = rows;
    Kokkos::parallel_scan(
        "row offsets", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n + 1),
        KOKKOS_LAMBDA(std::int64_t row, Offset & sum, bool is_final) {
          if (is_final) offsets(row) = sum;
          if (row == n) return;
          for (std::size_t j = 0; j < distances_of.extent(0); ++j) {
            const std::int64_t column = row + distances_of(j);
            sum += column >= 0 && column < n;
          }
        });
  }

  void fill_columns_and_values(Seed seed) {
    const auto self = *this;
    Kokkos::parallel_for(
        "entries", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, rows),
        KOKKOS_LAMBDA(std::int64_t row) {
          Offset place = self.row_offsets(row);
          for (std::size_t j = 0; j < self.distances.extent(0); ++j) {
            const std::int64_t column = row + self.distances(j);
            if (column < 0 || column >= self.rows) continue;
            self.column_indices(place) = int(column);
            self.values(place) = number<Scalar>(seed, row, column);
            ++place;
          }
        });
  }

  void drop() {
    row_offsets = {};
    column_indices = {};
    values = {};
  }
};

/// An element of op(A) X, computed from its indices alone.
template <class Exec, class Scalar, class Vector>
struct LargeProduct {
  Kokkos::View<int*, typename Exec::memory_space> distances;
  std::int64_t rows = 0;
  Mode mode = Mode::NoTranspose;
  Seed values = OldValues;

  using Sum = sum_of_t<Vector>;

  KOKKOS_INLINE_FUNCTION Sum operator()(std::int64_t row, std::int64_t column) const {
    Sum sum(0);
    for (std::size_t j = 0; j < distances.extent(0); ++j) {
      const std::int64_t other = is_transposed(mode) ? row - distances(j) : row + distances(j);
      if (other < 0 || other >= rows) continue;
      Scalar a = is_transposed(mode) ? number<Scalar>(values, other, row) : number<Scalar>(values, row, other);
      if (is_conjugated(mode)) a = Number<Scalar>::conjugate(a);
      sum += Sum(a) * Sum(number<Vector>(Operand, other, column));
    }
    return sum;
  }
};

template <class Vectors>
void fill_operand(const Vectors& X) {
  using Exec = typename Vectors::execution_space;
  const std::int64_t rows = std::int64_t(X.extent(0)), columns = std::int64_t(X.extent(1));
  Kokkos::parallel_for(
      "X", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, rows * columns),
      KOKKOS_LAMBDA(std::int64_t i) {
        X(i / columns, i % columns) = number<typename Vectors::value_type>(Operand, i / columns, i % columns);
      });
}

/// Returns the number of elements of Y that differ from the product.
template <class Vectors, class Product>
std::int64_t wrong_elements(const Vectors& Y, const Product& product) {
  using Exec = typename Vectors::execution_space;
  const std::int64_t rows = std::int64_t(Y.extent(0)), columns = std::int64_t(Y.extent(1));
  using Sum = typename Product::Sum;
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(
      "compare", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, rows * columns),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum) {
        sum += !(Sum(Y(i / columns, i % columns)) == product(i / columns, i % columns));
      },
      wrong);
  return wrong;
}

}  // namespace Tessera::Impl::Test
