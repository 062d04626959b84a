// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes the greatest eigenvalues of a symmetric matrix by block power iteration: a few vectors are multiplied by A
// and made orthonormal until they no longer change. The matrix is a stencil on a grid, whose eigenvalues are known.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <tessera/Tessera.hpp>
#include <tessera/io/Generators.hpp>
#include <vector>

#include "Greatest.hpp"
#include "ToDevice.hpp"

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

constexpr int grid = 10, block = 8, most_iterations = 3000;

/// Computes Y = Q R by Gram-Schmidt: overwrites Y with Q, and returns the diagonal of R. Runs on the host, for brevity.
std::vector<double> orthonormalize(const Vectors& Y) {
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  const int rows = y.extent_int(0), columns = y.extent_int(1);
  const auto dot = [&](int i, int j) {
    double sum = 0;
    for (int row = 0; row < rows; ++row) sum += y(row, i) * y(row, j);
    return sum;
  };
  std::vector<double> diagonal;
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < j; ++i) {
      const double share = dot(i, j);
      for (int row = 0; row < rows; ++row) y(row, j) -= share * y(row, i);
    }
    diagonal.push_back(std::sqrt(dot(j, j)));
    for (int row = 0; row < rows; ++row) y(row, j) /= diagonal.back();
  }
  Kokkos::deep_copy(Y, y);
  return diagonal;
}

/// Returns all eigenvalues of the stencil, the greatest first. The matrix is 27 I - T x T x T (Kronecker products)
/// with the tridiagonal matrix T of ones, whose eigenvalues are 1 + 2 cos(i pi / (grid + 1)).
std::vector<double> exact_eigenvalues() {
  std::vector<double> line, all;
  for (int i = 1; i <= grid; ++i) line.push_back(1 + 2 * std::cos(i * std::numbers::pi / (grid + 1)));
  for (const double x : line)
    for (const double y : line)
      for (const double z : line) all.push_back(27 - x * y * z);
  std::sort(all.rbegin(), all.rend());
  return all;
}

/// Returns the greatest difference of two lists, relative to the second list.
double difference(const std::vector<double>& found, const std::vector<double>& expected) {
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) Example::keep_greatest(most, std::abs(found[i] / expected[i] - 1));
  return most;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Space exec;
  const auto A = Tessera::generate("stencil27:" + std::to_string(grid));
  const Vectors X("X", A.rows, block), Y("Y", A.rows, block);
  const auto plan = Tessera::make_plan(exec, A.rows, A.columns, Example::to_device(A.row_offsets),
                                       Example::to_device(A.column_indices), Example::to_device(A.values), X);

  // Any start works unless it is orthogonal to the eigenvectors sought.
  const auto start = Tessera::random_dense<double>(std::size_t(A.rows), block, 1);
  Kokkos::deep_copy(X, Kokkos::create_mirror_view_and_copy(
                           Space(), Kokkos::View<const double**, Kokkos::LayoutLeft, Kokkos::HostSpace>(
                                        start.values.data(), A.rows, block)));

  std::vector<double> eigenvalues = orthonormalize(X), before;
  int iteration = 0;
  do {
    Tessera::spmm(exec, plan, X, Y);
    exec.fence();
    Kokkos::deep_copy(X, Y);
    before = eigenvalues;
    eigenvalues = orthonormalize(X);
  } while (++iteration < most_iterations && difference(eigenvalues, before) > 1e-13);

  const std::vector<double> exact = exact_eigenvalues();
  std::printf("%d x %d, %d vectors, %d iterations\n", A.rows, A.columns, block, iteration);
  std::printf("eigenvalue        exact\n");
  for (int i = 0; i < block; ++i) std::printf("%.12f  %.12f\n", eigenvalues[i], exact[i]);
  const double error = difference(eigenvalues, exact);
  std::printf("greatest relative error %.1e, expected at most 1e-10\n", error);
  return error <= 1e-10 ? 0 : 1;
}
