// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times KokkosSparse::spmv (Y = A X) with Kokkos Kernels' own handle: with Tessera as a TPL of Kokkos Kernels against
// the same call without the TPL, by scalar, layout and number of columns:
//   kokkos_kernels_tpl [MATRIX]... [--layout left] [--num_vecs 8 32] [other options: --help]
// TESSERA_TPL=always also times products that Tessera otherwise leaves to another TPL (docs/kokkos-kernels.md). On
// Kokkos::Cuda, Kokkos Kernels multiplies with cuSPARSE if built with it, but not several row-major columns ("right").
//
// Each handle serves all products of a benchmark: its set-up is not timed; values are followed. In each iteration the
// handles take turns; a turn is ten successive products and a fence, as in a solver.
//   Time, GFLOP/s  a product with the TPL; 2 operations per nonzero and column
//   baseline_ms    a product without the TPL
//   ratio          baseline_ms / Time
//   difference     the greatest difference in Y, relative to the greatest element; beyond rounding it fails
#include <benchmark/benchmark.h>

#include <string>

#include "CommandLine.hpp"
#include "TplSpmv.hpp"
#include "Turns.hpp"

using namespace Tessera::Impl::Benchmarks;
using Tessera::Mode;

namespace {

template <class Scalar, class Layout>
void time_tpl(benchmark::State& state, const DeviceCsr<Scalar, int, Space>& A, int columns) {
  const Space exec;
  const Vectors<Layout, Scalar> X("X", A.columns, columns), Y("Y", A.rows, columns), Z("Z", A.rows, columns);
  scatter_values(X);
  const auto with = tpl_spmv<Scalar, Layout>(A), without = kokkos_kernels_product<Scalar, Layout>(A);
  time_in_turns(
      state, exec, 2.0 * double(A.values.extent(0)) * columns,
      [&] { with(exec, Mode::NoTranspose, Scalar(1), X, Scalar(0), Y); },
      [&] { without(exec, Mode::NoTranspose, Scalar(1), X, Scalar(0), Z); });
  report_difference(state, Y, Z);
}

void register_benchmarks(const Settings& settings) {
  for (const Case& one : all_cases(settings)) {
    const auto add = [&](const std::string& scalar, auto matrix) {
      add_benchmark(one.name("tpl", settings, {{"scalar", scalar}}), 5, [=](benchmark::State& state) {
        with_layout(one.layout, [&](auto layout) {
          const auto A = matrix(matrix_of(one.matrix));
          time_tpl<typename decltype(A.values)::value_type, decltype(layout)>(state, A, one.columns);
        });
      });
    };
    add("double", [](const DeviceMatrix& A) { return A; });
    add("float", [](const DeviceMatrix& A) { return in_floats(A); });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times KokkosSparse::spmv with and without Tessera as a TPL.",
                        {.matrices = {"elasticity:16", "stencil27:48"},
                         .layouts = {"left", "right"},
                         .columns = {1, 2, 4, 8, 16, 32, 64}},
                        register_benchmarks);
}
