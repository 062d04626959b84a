// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times KokkosSparse::spmv with Kokkos Kernels' own handle beside the same call with Tessera's, Y = A X in double, by
// layout and number of columns:
//   kokkos_kernels_spmv [MATRIX]... [--layout left] [--num_vecs 8 32] [other options: --help]
// On Kokkos::Cuda, Kokkos Kernels has cuSPARSE multiply if it was built with it, but for several columns by rows
// ("right").
//
// Each handle serves all products of a benchmark, so that what it prepares is not timed. In each iteration the handles
// take turns; a turn is ten products one after the other and a fence, as in a solver.
//   Time, GFLOP/s  a product with Tessera's handle; 2 operations a nonzero and column
//   baseline_ms    a product with Kokkos Kernels' own
//   ratio          baseline_ms / Time
//   difference     the greatest of their elements of Y, relative to the greatest of Y; one that is no rounding fails
#include <benchmark/benchmark.h>

#include <string>

#include "CommandLine.hpp"
#include "KokkosKernelsProduct.hpp"
#include "Stopwatch.hpp"

using namespace Tessera::Benchmarks;

namespace {

constexpr int products_a_turn = 10;

template <class Layout>
void time_handles(benchmark::State& state, const DeviceMatrix& A, int columns) {
  const Space exec;
  const Vectors<Layout> X("X", A.columns, columns), Y("Y", A.rows, columns), Z("Z", A.rows, columns);
  scatter_values(X);
  const auto ours = tessera_product(A, Layout()), theirs = kokkos_kernels_product(A, Layout());
  ours(exec, X, Y);  // the first prepares
  theirs(exec, X, Z);
  double their_seconds = 0, our_seconds = 0;
  for (auto _ : state) {
    their_seconds += seconds_each(exec, products_a_turn, [&] { theirs(exec, X, Z); });
    const double seconds = seconds_each(exec, products_a_turn, [&] { ours(exec, X, Y); });
    our_seconds += seconds;
    state.SetIterationTime(seconds);
  }
  const double apart = difference(Y, Z);
  if (!(apart < rounding)) state.SkipWithError("the products differ");
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = 2e-9 * double(A.nonzeros()) * columns * iterations / our_seconds;
  state.counters["baseline_ms"] = 1e3 * their_seconds / iterations;
  state.counters["ratio"] = their_seconds / our_seconds;
  state.counters["difference"] = apart;
}

void register_benchmarks(const Settings& settings) {
  for (const std::string& matrix : settings.matrices) {
    for (const int columns : settings.columns) {
      for (const std::string& layout : settings.layouts) {
        const auto time = layout == "left" ? time_handles<Kokkos::LayoutLeft> : time_handles<Kokkos::LayoutRight>;
        add_benchmark(benchmark_name("spmv", matrix, {{"layout", layout}, {"columns", std::to_string(columns)}}), 5,
                      [=](benchmark::State& state) { time(state, matrix_of(matrix), columns); });
      }
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings defaults;
  defaults.matrices = {"elasticity:16", "stencil27:48"};
  defaults.columns = {1, 2, 4, 8, 16, 32, 64};
  defaults.layouts = {"left", "right"};
  return run_benchmarks(argc, argv, "Times KokkosSparse::spmv with Kokkos Kernels' handle and with Tessera's.",
                        defaults, register_benchmarks);
}
