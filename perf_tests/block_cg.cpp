// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times a block conjugate gradient method from end to end, its products by KokkosSparse::spmv with Kokkos Kernels' own
// handle and with Tessera's, by number of right-hand sides, by columns (LayoutLeft):
//   block_cg [MATRIX]... [--num_vecs 8] [other options: --help]
// Matrices must be symmetric positive definite.
//
// In each iteration the handles take turns: a turn makes a handle and solves. Residuals come down to 1e-10 of the
// right-hand sides; a residual b - A x that is not there, computed anew, fails. For Tessera's handle and, with
// baseline_ before, for Kokkos Kernels' own:
//   Time, baseline_ms  a solution, without the set-up
//   set_up_ms          what a handle does before and in its first product
//   products_ms        the products in a solution, fenced one by one, which a solution is not
//   solver_iterations  each with one product for all columns
//   residual           the greatest of the columns, relative to the right-hand side
//   ratio              (baseline_set_up_ms + baseline_ms) / (set_up_ms + Time)
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <harness/Statistics.hpp>
#include <string>

#include "BlockCg.hpp"
#include "CommandLine.hpp"
#include "TesseraSpmv.hpp"

using namespace Tessera::Benchmarks;

namespace {

using View = Vectors<Kokkos::LayoutLeft>;
using Multiply = SpmvProduct<double, Kokkos::LayoutLeft>;
constexpr double tolerance = 1e-10;
constexpr int most_iterations = 10000;

struct Solution {
  double set_up_seconds = 0, seconds = 0, seconds_in_products = 0, residual = 0;
  int iterations = 0;
};

/// The greatest |b - A x| / |b| of the columns.
double residual_of(const Space& exec, const Multiply& multiply, const View& B, const View& X) {
  const int columns = B.extent_int(1);
  const View R("R", B.extent(0), columns);
  multiply(exec, Tessera::Mode::NoTranspose, 1.0, X, 0.0, R);
  Kokkos::parallel_for(
      "residual", every_element(exec, R), KOKKOS_LAMBDA(int i, int j) { R(i, j) = B(i, j) - R(i, j); });
  const ColumnDots<View> dots(columns);
  const auto squares = [&](const View& V) {
    const ColumnDots<View>::Scalars result("squares", columns);
    dots(exec, V, V, result);
    exec.fence();
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  };
  const auto left = squares(R), whole = squares(B);
  double most = 0;
  for (int j = 0; j < columns; ++j) most = greater(most, std::sqrt(left(j) / whole(j)));
  return most;
}

/// Solves with a product that is made anew.
template <class MakeProduct>
Solution solve(const MakeProduct& make_product, const View& B, const View& X) {
  const Space exec;
  const Multiply product = make_product();
  Solution result;
  const auto multiply = [&](const View& P, const View& Q) {
    product(exec, Tessera::Mode::NoTranspose, 1.0, P, 0.0, Q);
  };
  const auto timed_multiply = [&](const View& P, const View& Q) {
    result.seconds_in_products += seconds_of(exec, [&] { multiply(P, Q); });
  };
  result.set_up_seconds = seconds_of(exec, [&] { multiply(B, X); });
  result.seconds =
      seconds_of(exec, [&] { result.iterations = block_cg(exec, multiply, B, X, tolerance, most_iterations); });
  result.residual = residual_of(exec, product, B, X);
  block_cg(exec, timed_multiply, B, X, tolerance, most_iterations);
  return result;
}

void report(benchmark::State& state, const Solution& solution, const std::string& whose) {
  state.counters[whose + "set_up_ms"] = 1e3 * solution.set_up_seconds;
  state.counters[whose + "products_ms"] = 1e3 * solution.seconds_in_products;
  state.counters[whose + "solver_iterations"] = solution.iterations;
  state.counters[whose + "residual"] = solution.residual;
}

void time_solutions(benchmark::State& state, const DeviceMatrix& A, int columns) {
  const View B("B", A.rows, columns), X("X", A.rows, columns);
  scatter_values(B);
  for (auto _ : state) {
    const Solution theirs = solve([&] { return kokkos_kernels_product<double, Kokkos::LayoutLeft>(A); }, B, X);
    const Solution ours = solve([&] { return tessera_spmv<Kokkos::LayoutLeft>(A); }, B, X);
    state.SetIterationTime(ours.seconds);
    report(state, ours, "");
    report(state, theirs, "baseline_");
    state.counters["baseline_ms"] = 1e3 * theirs.seconds;
    state.counters["ratio"] = (theirs.set_up_seconds + theirs.seconds) / (ours.set_up_seconds + ours.seconds);
    // NOTE: the recurrence of residuals, which ends the iteration, drifts from them by rounding.
    for (const Solution& solution : {theirs, ours})
      if (!(solution.residual < 2 * tolerance)) state.SkipWithError("a residual is too large");
  }
}

void register_benchmarks(const Settings& settings) {
  for (const Case& one : all_cases(settings)) {
    add_benchmark(one.name("block_cg", settings), 1,
                  [=](benchmark::State& state) { time_solutions(state, matrix_of(one.matrix), one.columns); });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times block CG with products of Kokkos Kernels and of Tessera.",
                        {.matrices = {"elasticity:16", "stencil27:32"}, .columns = {1, 8, 32}}, register_benchmarks);
}
