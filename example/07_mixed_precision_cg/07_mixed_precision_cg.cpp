// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solves A X = B to the accuracy of double with nearly all of the work in float, by iterative refinement: conjugate
// gradients with a plan of floats find corrections, and residuals are computed with a plan of doubles.
// On a GPU the plan of floats multiplies on tensor cores, with the accuracy of FP32 from three TF32 products.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <tessera/Tessera.hpp>
#include <tessera/io/Generators.hpp>
#include <type_traits>
#include <vector>

#include "Greatest.hpp"
#include "ToDevice.hpp"

namespace {

using Tessera::Mode;
using Space = Kokkos::DefaultExecutionSpace;
template <class Scalar>
using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutRight, Space>;
using Numbers = std::vector<double>;  // one a column

constexpr int right_hand_sides = 8, most_corrections = 10, most_iterations = 500;
constexpr double inner_tolerance = 1e-4;  // of a correction: float can do that
constexpr double tolerance = 1e-13;       // of the solution: float cannot, it has seven digits

template <class Scalar>
Tessera::Plan<Scalar> make_plan(const Space& exec, const Tessera::HostCsr<double>& A) {
  Tessera::PlanOptions options;
  options.hints.num_vectors = right_hand_sides;
  if constexpr (std::is_same_v<Scalar, float>) {
    options.precision = Tessera::Precision::Tf32x3;
    options.on_unsupported = Tessera::OnUnsupported::FallBack;  // native floats on hosts and on older GPUs
  }
  const std::vector<Scalar> values(A.values.begin(), A.values.end());
  return Tessera::make_plan(exec, A.rows, A.columns, Example::to_device(A.row_offsets),
                            Example::to_device(A.column_indices), Example::to_device(values), options);
}

/// x_j . y_j for each column j, summed in double.
template <class Scalar>
Numbers dots(const Space& exec, const Vectors<Scalar>& X, const Vectors<Scalar>& Y) {
  Numbers result(X.extent(1));
  for (int j = 0; j < X.extent_int(1); ++j) {
    Kokkos::parallel_reduce(
        "dots", Kokkos::RangePolicy<Space>(exec, 0, X.extent_int(0)),
        KOKKOS_LAMBDA(int i, double& sum) { sum += double(X(i, j)) * double(Y(i, j)); },
        result[static_cast<std::size_t>(j)]);
  }
  return result;
}

/// Y(:, j) = a_j X(:, j) + b_j Y(:, j) for each column j.
template <class From, class To>
void combine(const Space& exec, const Numbers& a, const Vectors<From>& X, const Numbers& b, const Vectors<To>& Y) {
  for (int j = 0; j < X.extent_int(1); ++j) {
    const double scale_x = a[static_cast<std::size_t>(j)], scale_y = b[static_cast<std::size_t>(j)];
    Kokkos::parallel_for(
        "combine", Kokkos::RangePolicy<Space>(exec, 0, X.extent_int(0)), KOKKOS_LAMBDA(int i) {
          Y(i, j) = To(scale_x * double(X(i, j)) + (scale_y == 0 ? 0 : scale_y * double(Y(i, j))));
        });
  }
}

/// Solves A D = R in float from D = 0 by CG for each column, in lockstep. Overwrites R. Returns the iterations.
int solve_in_float(const Space& exec, const Tessera::Plan<float>& A, const Vectors<float>& R, const Vectors<float>& D) {
  const Vectors<float> P("P", R.extent(0), R.extent(1)), Q("Q", R.extent(0), R.extent(1));
  const std::size_t columns = R.extent(1);
  const Numbers one(columns, 1.0);
  Kokkos::deep_copy(exec, D, 0.0F);
  Kokkos::deep_copy(exec, P, R);
  Numbers squares = dots(exec, R, R);
  const Numbers first = squares;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    Tessera::spmm(exec, A, P, Q);
    const Numbers curvature = dots(exec, P, Q);
    Numbers step(columns), back(columns), turn(columns);
    for (std::size_t j = 0; j < columns; ++j) step[j] = curvature[j] > 0 ? squares[j] / curvature[j] : 0;
    for (std::size_t j = 0; j < columns; ++j) back[j] = -step[j];
    combine(exec, step, P, one, D);
    combine(exec, back, Q, one, R);
    const Numbers next = dots(exec, R, R);
    bool solved = true;
    for (std::size_t j = 0; j < columns; ++j) {
      turn[j] = squares[j] > 0 ? next[j] / squares[j] : 0;
      solved = solved && next[j] <= inner_tolerance * inner_tolerance * first[j];
    }
    if (solved) return iteration;
    combine(exec, one, R, turn, P);
    squares = next;
  }
  return most_iterations;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Space exec;
  const auto host = Tessera::generate("elasticity:10");
  const auto in_double = make_plan<double>(exec, host);
  const auto in_float = make_plan<float>(exec, host);

  const int rows = host.rows;
  const Vectors<double> B("B", rows, right_hand_sides), X("X", rows, right_hand_sides), R("R", rows, right_hand_sides);
  const Vectors<float> r("r", rows, right_hand_sides), d("d", rows, right_hand_sides);
  Kokkos::parallel_for(
      "set_B", Kokkos::RangePolicy<Space>(exec, 0, rows), KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < right_hand_sides; ++j) B(i, j) = 1.0 / (1 + (i + 7 * j) % 100);
      });
  const Numbers squares = dots(exec, B, B), zero(right_hand_sides, 0.0), one(right_hand_sides, 1.0);

  std::printf("%s\n%d rows, %d right-hand sides\n", in_float.explain().c_str(), rows, right_hand_sides);
  double residual = 1;
  for (int correction = 0; correction <= most_corrections; ++correction) {
    Kokkos::deep_copy(exec, R, B);
    Tessera::spmm(exec, in_double, Mode::NoTranspose, -1.0, X, 1.0, R);  // R = B - A X
    const Numbers left = dots(exec, R, R);
    Numbers length(right_hand_sides), inverse(right_hand_sides);
    residual = 0;
    for (std::size_t j = 0; j < left.size(); ++j) {
      Example::keep_greatest(residual, std::sqrt(left[j] / squares[j]));
      length[j] = std::sqrt(left[j]);
      inverse[j] = length[j] > 0 ? 1 / length[j] : 0;
    }
    std::printf("%2d corrections: |b - A x| / |b| = %.1e\n", correction, residual);
    if (residual <= tolerance || correction == most_corrections) break;
    combine(exec, inverse, R, zero, r);  // scaled, for floats do not reach as far down as residuals do
    std::printf("    %d iterations in float\n", solve_in_float(exec, in_float, r, d));
    combine(exec, length, d, one, X);
  }
  std::printf("%.1f digits, expected at least %.1f\n", -std::log10(residual), -std::log10(tolerance));
  return residual <= tolerance ? 0 : 1;
}
