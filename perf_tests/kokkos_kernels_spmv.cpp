// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times KokkosSparse::spmv (Y = A X in double) with Kokkos Kernels' own handle against the same call with Tessera's
// handle, by layout and number of columns:
//   kokkos_kernels_spmv [MATRIX]... [--layout left] [--num_vecs 8 32] [other options: --help]
// On Kokkos::Cuda, Kokkos Kernels multiplies with cuSPARSE if built with it, except for several row-major columns
// ("right").
//
// Each handle serves all products of a benchmark: its set-up is not timed. In each iteration the handles take turns; a
// turn is ten successive products and a fence, as in a solver.
//   Time, GFLOP/s  a product with Tessera's handle; 2 operations per nonzero and column
//   baseline_ms    a product with Kokkos Kernels' handle
//   ratio          baseline_ms / Time
//   difference     the greatest difference in Y, relative to the greatest element; beyond rounding it fails
#include <benchmark/benchmark.h>

#include <string>

#include "CommandLine.hpp"
#include "TesseraSpmv.hpp"
#include "Turns.hpp"

using namespace Tessera::Impl::Benchmarks;
using Tessera::Mode;

namespace {

template <class Layout>
void time_handles(benchmark::State& state, const DeviceMatrix& A, int columns) {
  const Space exec;
  const Vectors<Layout> X("X", A.columns, columns), Y("Y", A.rows, columns), Z("Z", A.rows, columns);
  scatter_values(X);
  const auto ours = tessera_spmv<Layout>(A), theirs = kokkos_kernels_product<double, Layout>(A);
  time_in_turns(
      state, exec, 2.0 * double(A.nonzeros()) * columns, [&] { ours(exec, Mode::NoTranspose, 1.0, X, 0.0, Y); },
      [&] { theirs(exec, Mode::NoTranspose, 1.0, X, 0.0, Z); });
  report_difference(state, Y, Z);
}

void register_benchmarks(const Settings& settings) {
  for (const Case& one : all_cases(settings)) {
    add_benchmark(one.name("spmv", settings), 5, [=](benchmark::State& state) {
      with_layout(one.layout,
                  [&](auto layout) { time_handles<decltype(layout)>(state, matrix_of(one.matrix), one.columns); });
    });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times KokkosSparse::spmv with Kokkos Kernels' handle and with Tessera's.",
                        {.matrices = {"elasticity:16", "stencil27:48"},
                         .layouts = {"left", "right"},
                         .columns = {1, 2, 4, 8, 16, 32, 64}},
                        register_benchmarks);
}
