// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <tessera/Tessera.hpp>
#include <tessera/io/Generators.hpp>
#include <vector>

/// Data that surrounds the tested lines of documents. Row 0 of the matrix is a corner of a grid: 26 on the diagonal and
/// seven neighbours with -1, so A times a vector of ones starts with 19.
namespace Tessera::Documents {

using Space = Kokkos::DefaultExecutionSpace;
template <class Scalar>
using Block = Kokkos::View<Scalar**, Space>;
using Vectors = Kokkos::View<double**, Kokkos::LayoutRight>;

inline constexpr double first_sum = 19;

template <class To, class From>
Kokkos::View<To*, Space> to_device(const std::vector<From>& from) {
  const Kokkos::View<To*, Space> device("device", from.size());
  const auto host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < from.size(); ++i) host(i) = static_cast<To>(from[i]);
  Kokkos::deep_copy(device, host);
  return device;
}

inline Kokkos::View<double*, Space> to_device(const std::vector<double>& from) { return to_device<double>(from); }

/// A matrix with the members that make_plan() reads.
template <class Scalar>
struct Matrix {
  struct Graph {
    Kokkos::View<std::size_t*, Space> row_map;
    Kokkos::View<int*, Space> entries;
  };
  int rows, columns;
  Graph graph;
  Kokkos::View<Scalar*, Space> values;

  int numRows() const { return rows; }
  int numCols() const { return columns; }
};

template <class Scalar = double>
Matrix<Scalar> to_device(const HostCsr<double>& A) {
  return {A.rows,
          A.columns,
          {to_device<std::size_t>(A.row_offsets), to_device<int>(A.column_indices)},
          to_device<Scalar>(A.values)};
}

template <class Scalar>
Matrix<Scalar> make_matrix() {
  return to_device<Scalar>(generate("stencil27:4"));
}

template <class Scalar>
Block<Scalar> make_block(int rows, int columns, double value) {
  const Block<Scalar> block("block", rows, columns);
  Kokkos::deep_copy(block, static_cast<Scalar>(value));
  return block;
}

/// Prints the first rows and columns of a multivector, after waiting for them.
template <class View>
void print(const char* name, const View& V) {
  const auto v = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), V);
  for (int i = 0; i < 2; ++i) std::printf("%s(%d, :) = %g %g %g ...\n", name, i, v(i, 0), v(i, 1), v(i, 2));
}

template <class View>
double element(const View& view, int row, int column) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return static_cast<double>(host(row, column));
}

}  // namespace Tessera::Documents
