// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solves A X = B for several right-hand sides at once by block conjugate gradients, with only Kokkos and Tessera. The
// operator is a plan; the preconditioner inverts the diagonal blocks of 3 x 3, one for each grid point. As in time
// stepping, a second system, with slightly changed right-hand sides, starts from the solutions of the first.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <tessera/Tessera.hpp>
#include <tessera/io/Generators.hpp>
#include <utility>
#include <vector>

#include "Greatest.hpp"
#include "ToDevice.hpp"

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

constexpr int grid = 16, right_hand_sides = 8;
constexpr double tolerance = 1e-10;

/// Inverts a symmetric positive definite matrix of 3 x 3. Both matrices are row-major.
void invert(const double* a, double* inverse) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      inverse[3 * i + j] = a[3 * r + c] * a[3 * s + d] - a[3 * r + d] * a[3 * s + c];
    }
  }
  const double determinant = a[0] * inverse[0] + a[1] * inverse[3] + a[2] * inverse[6];
  for (int k = 0; k < 9; ++k) inverse[k] /= determinant;
}

/// Returns the inverses of the diagonal blocks, one after the other.
std::vector<double> inverse_blocks(const Tessera::HostCsr<double>& A) {
  std::vector<double> blocks(3 * static_cast<std::size_t>(A.rows)), inverses(blocks.size());
  for (int row = 0; row < A.rows; ++row) {
    for (auto k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      const int column = A.column_indices[k];
      if (column / 3 == row / 3) blocks[static_cast<std::size_t>(3 * row + column % 3)] = A.values[k];
    }
  }
  for (std::size_t first = 0; first < blocks.size(); first += 9) invert(&blocks[first], &inverses[first]);
  return inverses;
}

/// Computes Z = M R, where M has these blocks on its diagonal.
template <class Blocks, class RView, class ZView>
void multiply_blocks(const Space& exec, const Blocks& blocks, const RView& R, const ZView& Z) {
  const int columns = R.extent_int(1);
  Kokkos::parallel_for(
      "multiply_blocks", Kokkos::RangePolicy<Space>(exec, 0, R.extent_int(0)), KOKKOS_LAMBDA(int i) {
        const int first = i / 3 * 3;
        for (int j = 0; j < columns; ++j)
          Z(i, j) =
              blocks(3 * i) * R(first, j) + blocks(3 * i + 1) * R(first + 1, j) + blocks(3 * i + 2) * R(first + 2, j);
      });
}

/// Sets B(i, j) = 1 / (1 + (i + 7 j) mod 100) + change cos(i).
void set_right_hand_sides(const Space& exec, const Vectors& B, double change) {
  Kokkos::parallel_for(
      "set_B", Kokkos::RangePolicy<Space>(exec, 0, B.extent_int(0)), KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < right_hand_sides; ++j)
          B(i, j) = 1.0 / (1 + (i + 7 * j) % 100) + change * Kokkos::cos(1.0 * i);
      });
}

/// Returns the greatest |b - A x| / |b|, computed on the host.
double greatest_residual(const Tessera::HostCsr<double>& A, const Vectors& B, const Vectors& X) {
  const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), B);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), X);
  double greatest = 0;
  for (int j = 0; j < right_hand_sides; ++j) {
    double rest = 0, whole = 0;
    for (int row = 0; row < A.rows; ++row) {
      double r = b(row, j);
      for (auto k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) r -= A.values[k] * x(A.column_indices[k], j);
      rest += r * r;
      whole += b(row, j) * b(row, j);
    }
    Example::keep_greatest(greatest, std::sqrt(rest / whole));
  }
  return greatest;
}

void print(const char* name, const Tessera::BlockCgResult& result, double seconds) {
  std::printf("%-28s %s, %d iterations, A times %d columns, %.1f ms\n", name, to_string(result.stop).c_str(),
              result.iterations, static_cast<int>(result.products), 1e3 * seconds);
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Space exec;
  const auto A = Tessera::generate("elasticity:" + std::to_string(grid));
  const Vectors B("B", A.rows, right_hand_sides), X("X", A.rows, right_hand_sides), Y("Y", A.rows, right_hand_sides);
  auto plan = Tessera::make_plan(exec, A.rows, A.columns, Example::to_device(A.row_offsets),
                                 Example::to_device(A.column_indices), Example::to_device(A.values), B);
  // The plan as an operator of solvers. A function multiply(P, Q) that computes Q = A P works as well.
  const Tessera::PlanOperator multiply(exec, std::move(plan));
  const std::vector<double> inverses = inverse_blocks(A);  // on a host, the next is a View of it
  const auto blocks = Example::to_device(inverses);

  // R and Z are row-major Views with at most the number of columns of B.
  const auto precondition = [&](const auto& R, const auto& Z) { multiply_blocks(exec, blocks, R, Z); };

  Tessera::BlockCgOptions<double> options;
  options.tolerance = tolerance;
  Tessera::BlockCgWorkspace<Space, double> workspace;  // solutions after the first allocate no Views
  const auto solve = [&](const char* name, const Vectors& solutions, bool is_preconditioned) {
    const Kokkos::Timer timer;
    const auto result = is_preconditioned
                            ? Tessera::block_cg(exec, multiply, precondition, B, solutions, options, workspace)
                            : Tessera::block_cg(exec, multiply, B, solutions, options, workspace);
    print(name, result, timer.seconds());
    return result;
  };

  std::printf("%d rows, %d right-hand sides\n", A.rows, right_hand_sides);
  set_right_hand_sides(exec, B, 0);
  const auto plain = solve("no preconditioner:", Y, false);
  const auto first = solve("block Jacobi:", X, true);
  double residual = greatest_residual(A, B, X);
  Example::keep_greatest(residual, greatest_residual(A, B, Y));
  set_right_hand_sides(exec, B, 1e-4);
  const auto second = solve("block Jacobi, next system:", X, true);
  Example::keep_greatest(residual, greatest_residual(A, B, X));

  std::printf("greatest residual %.1e, expected at most %.1e\n", residual, 1.01 * tolerance);
  const bool is_right = plain.has_converged && first.has_converged && second.has_converged &&
                        residual <= 1.01 * tolerance && second.iterations < first.iterations;
  return is_right ? 0 : 1;
}
