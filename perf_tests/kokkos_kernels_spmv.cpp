// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times KokkosSparse::spmv with Kokkos Kernels' own handle beside the same call with Tessera's, Y = A X in double, by
// layout and number of columns:
//   kokkos_kernels_spmv [MATRIX]... [--benchmark_filter=left/8/] [other options of Google Benchmark]
// MATRIX is a file, Matrix Market or binary CSR, plain or gzip, or a generated matrix such as stencil27:64. On
// Kokkos::Cuda, Kokkos Kernels has cuSPARSE multiply if it was built with it, but for several columns by rows
// ("right").
//
// Each handle serves all products of a benchmark, so that what it prepares is not timed. In each iteration the handles
// take turns; a turn is ten products one after the other and a fence, as in a solver. Unless told otherwise, every
// benchmark runs five times, and the median, least and greatest of these are reported:
//   Time, GFLOP/s     a product with Tessera's handle; 2 operations a nonzero and column
//   kokkos_kernels_ms a product with Kokkos Kernels' own
//   ratio             kokkos_kernels_ms / Time
//   difference        the greatest of their elements of Y, relative to the greatest of Y; one that is no rounding fails
#include <benchmark/benchmark.h>

#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <tessera/kokkos_kernels/SpmvHandle.hpp>

#include "CommandLine.hpp"
#include "SparseProblem.hpp"
#include "Stopwatch.hpp"

using namespace Tessera::Benchmarks;

namespace {

constexpr int products_a_turn = 10;

template <class Handle, class View>
double seconds_a_product(Handle& handle, const Matrix& A, const View& X, const View& Y) {
  const Space exec;
  const auto turn = [&] {
    for (int i = 0; i < products_a_turn; ++i) KokkosSparse::spmv(exec, &handle, "N", 1.0, A, X, 0.0, Y);
  };
  return seconds_of(exec, turn) / products_a_turn;
}

/// The greatest difference of elements, relative to the greatest element.
template <class View>
double difference(const View& Y, const View& Z) {
  const Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>> elements({0, 0}, {Y.extent(0), Y.extent(1)});
  double most = 0, apart = 0;
  Kokkos::parallel_reduce(
      "difference", elements,
      KOKKOS_LAMBDA(int i, int j, double& greatest, double& far) {
        greatest = Kokkos::max(greatest, Kokkos::abs(Y(i, j)));
        // Not a number differs.
        const double distance = Kokkos::abs(Y(i, j) - Z(i, j));
        far = distance <= far ? far : (distance < Kokkos::Experimental::infinity_v<double> ? distance : 1e300);
      },
      Kokkos::Max<double>(most), Kokkos::Max<double>(apart));
  return apart == 0 ? 0 : apart / most;
}

template <class Layout>
void time_handles(benchmark::State& state, const Matrix& A, int columns) {
  using View = Vectors<Layout>;
  const View X("X", A.numCols(), columns), Y("Y", A.numRows(), columns), Z("Z", A.numRows(), columns);
  scatter_values(X);
  KokkosSparse::SPMVHandle<Space, Matrix, View, View> theirs;
  Tessera::SpmvHandle<Space, Matrix, View, View> ours;
  seconds_a_product(theirs, A, X, Z);  // the first prepares
  seconds_a_product(ours, A, X, Y);
  double their_seconds = 0, our_seconds = 0;
  for (auto _ : state) {
    their_seconds += seconds_a_product(theirs, A, X, Z);
    const double seconds = seconds_a_product(ours, A, X, Y);
    our_seconds += seconds;
    state.SetIterationTime(seconds);
  }
  const double apart = difference(Y, Z);
  if (!(apart < 1e-11)) state.SkipWithError("the products differ");
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = 2e-9 * double(A.nnz()) * columns * iterations / our_seconds;
  state.counters["kokkos_kernels_ms"] = 1e3 * their_seconds / iterations;
  state.counters["ratio"] = their_seconds / our_seconds;
  state.counters["difference"] = apart;
}

void register_benchmarks(const std::string& matrix, Matrices& matrices) {
  const auto add = [&](const std::string& title, auto body) {
    add_benchmark("spmv/" + title_of(matrix) + title, body)->UseManualTime()->Iterations(5);
  };
  for (const int columns : {1, 2, 4, 8, 16, 32, 64}) {
    add("/left/" + std::to_string(columns), [=, &matrices](benchmark::State& state) {
      time_handles<Kokkos::LayoutLeft>(state, matrices[matrix], columns);
    });
    add("/right/" + std::to_string(columns), [=, &matrices](benchmark::State& state) {
      time_handles<Kokkos::LayoutRight>(state, matrices[matrix], columns);
    });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  Matrices matrices;
  return run_benchmarks(argc, argv, {"elasticity:16", "stencil27:48"},
                        [&](const std::string& matrix) { register_benchmarks(matrix, matrices); });
}
