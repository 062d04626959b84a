// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times block conjugate gradient methods from end to end, by number of right-hand sides: Tessera::block_cg with a plan
// against a plain method that uses only Kokkos Kernels (KokkosSparse::spmv with its own handle, KokkosBlas::gemm on
// column-major blocks):
//   block_cg [MATRIX]... [--num_vecs 8] [other options: --help]
// Matrices must be symmetric positive definite.
//
// In each iteration the two take turns: a turn makes the plan or the handle, solves once to warm the caches, and then
// solves with the clock running. Both stop when residuals are at most 1e-10 of the right-hand sides. A recomputed
// b - A x that is greater is an error. Results for Tessera and, prefixed with baseline_, for Kokkos Kernels:
//   Time, baseline_ms  a solution, without the set-up
//   set_up_ms          plan or handle, including the first product
//   products_ms        the products of a solution, in another run with a fence after each product
//   solver_iterations  iterations with one product each
//   residual           the greatest residual of a column, relative to the right-hand side
//   ratio              baseline_ms / Time
//   ratio_with_set_up  (baseline_set_up_ms + baseline_ms) / (set_up_ms + Time)
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <harness/Statistics.hpp>
#include <optional>
#include <string>
#include <tessera/Tessera.hpp>

#include "ColumnBlockCg.hpp"
#include "CommandLine.hpp"
#include "DeviceMatrix.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

using Rows = Vectors<Kokkos::LayoutRight>;
using Columns = Vectors<Kokkos::LayoutLeft>;
using Theirs = SpmvProduct<double, Kokkos::LayoutLeft>;
constexpr double tolerance = 1e-10;
constexpr int most_iterations = 10000;

struct Solution {
  double set_up_seconds = 0, seconds = 0, seconds_in_products = 0, residual = 0;
  int iterations = 0;
};

/// Returns the greatest |b - A x| / |b| of all columns, with a product of Kokkos Kernels.
double residual_of(const Space& exec, const Theirs& multiply, const Columns& B, const Columns& X) {
  const Columns R("R", B.extent(0), B.extent(1));
  Kokkos::deep_copy(exec, R, B);
  multiply(exec, Tessera::Mode::NoTranspose, -1.0, X, 1.0, R);
  exec.fence();
  const auto square = [&](const Columns& V, int j) {
    double sum = 0;
    Kokkos::parallel_reduce(
        "square", Kokkos::RangePolicy<Space>(exec, 0, int(V.extent(0))),
        KOKKOS_LAMBDA(int i, double& terms) { terms += V(i, j) * V(i, j); }, sum);
    return sum;
  };
  double most = 0;
  for (int j = 0; j < int(B.extent(1)); ++j) most = greater(most, std::sqrt(square(R, j) / square(B, j)));
  return most;
}

/// Runs and times solve(multiply), then runs it again with fenced and timed products.
template <class PView, class QView, class Multiply, class Solve>
void time_solution(const Space& exec, const Multiply& multiply, const Solve& solve, Solution& result) {
  solve(multiply);
  result.seconds = seconds_of(exec, [&] { result.iterations = solve(multiply); });
  solve(
      [&](const PView& P, const QView& Q) { result.seconds_in_products += seconds_of(exec, [&] { multiply(P, Q); }); });
}

Solution solve_with_tessera(const Space& exec, const DeviceMatrix& A, const Rows& B, const Rows& X) {
  const int columns = int(B.extent(1));
  Solution result;
  Tessera::PlanOptions plan_options;
  plan_options.hints.num_vectors = columns;
  std::optional<DevicePlan> plan;
  std::optional<Tessera::Workspace<Space>> work;
  const auto multiply = [&](const auto& P, const auto& Q) {
    Tessera::spmm(exec, *plan, *work, Tessera::Mode::NoTranspose, 1.0, P, 0.0, Q);
  };
  result.set_up_seconds = seconds_of(exec, [&] {
    plan = A.plan(exec, plan_options);
    work = plan->prepare(exec, columns, Tessera::Mode::NoTranspose);
    multiply(B, X);
  });
  Tessera::BlockCgOptions<double> options;
  options.tolerance = tolerance;
  options.max_iterations = most_iterations;
  options.max_restarts = -1;  // residuals are checked below
  Tessera::BlockCgWorkspace<Space, double> workspace;
  const auto solve = [&](const auto& some_multiply) {
    Kokkos::deep_copy(exec, X, 0.0);
    return Tessera::block_cg(exec, some_multiply, B, X, options, workspace).iterations;
  };
  using Input = Tessera::Impl::BlockView<Space, const double>;
  using Output = Tessera::Impl::BlockView<Space, double>;
  time_solution<Input, Output>(exec, multiply, solve, result);
  return result;
}

Solution solve_with_kokkos_kernels(const Space& exec, const DeviceMatrix& A, const Columns& B, const Columns& X) {
  Solution result;
  Theirs product;
  const auto multiply = [&](const Columns& P, const Columns& Q) {
    product(exec, Tessera::Mode::NoTranspose, 1.0, P, 0.0, Q);
  };
  result.set_up_seconds = seconds_of(exec, [&] {
    product = kokkos_kernels_product<double, Kokkos::LayoutLeft>(A);
    multiply(B, X);
  });
  ColumnBlockCg solver(int(B.extent(0)), int(B.extent(1)));
  const auto solve = [&](const auto& some_multiply) {
    return solver.solve(exec, some_multiply, B, X, tolerance, most_iterations);
  };
  time_solution<Columns, Columns>(exec, multiply, solve, result);
  return result;
}

void report(benchmark::State& state, const Solution& solution, const std::string& whose) {
  state.counters[whose + "set_up_ms"] = 1e3 * solution.set_up_seconds;
  state.counters[whose + "products_ms"] = 1e3 * solution.seconds_in_products;
  state.counters[whose + "solver_iterations"] = solution.iterations;
  state.counters[whose + "residual"] = solution.residual;
}

void time_solutions(benchmark::State& state, const DeviceMatrix& A, int columns) {
  const Space exec;
  const Rows B("B", A.rows, columns), X("X", A.rows, columns);
  const Columns their_B("B", A.rows, columns), their_X("X", A.rows, columns);
  scatter_values(B);
  scatter_values(their_B);
  const Theirs product = kokkos_kernels_product<double, Kokkos::LayoutLeft>(A);
  for (auto _ : state) {
    Solution theirs = solve_with_kokkos_kernels(exec, A, their_B, their_X);
    theirs.residual = residual_of(exec, product, their_B, their_X);
    Solution ours = solve_with_tessera(exec, A, B, X);
    Kokkos::deep_copy(exec, their_X, X);
    ours.residual = residual_of(exec, product, their_B, their_X);
    state.SetIterationTime(ours.seconds);
    report(state, ours, "");
    report(state, theirs, "baseline_");
    state.counters["baseline_ms"] = 1e3 * theirs.seconds;
    state.counters["ratio"] = theirs.seconds / ours.seconds;
    state.counters["ratio_with_set_up"] =
        (theirs.set_up_seconds + theirs.seconds) / (ours.set_up_seconds + ours.seconds);
    // NOTE: the iteration stops by the recurrence of residuals, which drifts from the residuals by rounding.
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
  return run_benchmarks(argc, argv, "Times block CG of Tessera and a plain one from Kokkos Kernels.",
                        {.matrices = {"elasticity:16", "stencil27:32"}, .columns = {1, 8, 32}}, register_benchmarks);
}
