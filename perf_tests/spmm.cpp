// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times products Y = A X in double, by format, layout and number of columns, beside KokkosSparse::spmv where there is
// Kokkos Kernels:
//   spmm [MATRIX]... [--format csr bittcf] [--layout left] [--num_vecs 8 32] [other options: --help]
//
// In each iteration the two take turns; a turn is ten products one after the other and a fence, as in a solver. What
// is prepared once is not timed.
//   Time, GFLOP/s     a product; 2 operations a nonzero and column
//   GB/s              compulsory traffic: the format once, every row of X that is touched once, Y once
//   floor_fraction    GB/s over the rate of a copy (more than 1 where all lies in cache)
//   bytes, bytes/CSR  size of the format
//   predicted_ms      what the cost model says; on hosts for one core, so that only ratios count
//   baseline_ms       a product with Kokkos Kernels
//   ratio             baseline_ms / Time
//   difference        the greatest of their elements of Y, relative to the greatest of Y; one that is no rounding fails
#include <benchmark/benchmark.h>

#include <string>
#include <tessera/spmm/Spmm.hpp>

#include "CommandLine.hpp"
#include "Context.hpp"
#include "DeviceMatrix.hpp"
#include "KokkosKernelsProduct.hpp"
#include "Stopwatch.hpp"

using namespace Tessera::Benchmarks;

namespace {

using Tessera::Format;
using Tessera::Mode;

constexpr int products_a_turn = 10;

void report(benchmark::State& state, const DeviceMatrix& A, const DevicePlan& plan, int columns, double seconds) {
  const double bytes = A.compulsory_bytes(plan.format_bytes(), columns);
  state.counters["GFLOP/s"] = 2e-9 * double(A.nonzeros()) * columns / seconds;
  state.counters["GB/s"] = 1e-9 * bytes / seconds;
  state.counters["floor_fraction"] = bytes / copy_bytes_per_second() / seconds;
  state.counters["bytes"] = double(plan.format_bytes());
  state.counters["bytes/CSR"] = double(plan.format_bytes()) / A.csr_bytes();
  for (const Tessera::Candidate& candidate : plan.choice().candidates)
    if (plan.choice().takes(candidate)) state.counters["predicted_ms"] = 1e3 * candidate.predicted_seconds;
  state.SetLabel(std::string(to_string(plan.format())));
}

template <class Layout>
void time_products(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  Tessera::PlanOptions options;
  options.format = format;
  options.columns = columns;
  auto plan = A.plan(exec, options);
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  const Vectors<Layout> X("X", A.columns, columns), Y("Y", A.rows, columns), Z("Z", A.rows, columns);
  scatter_values(X);
  const auto theirs = kokkos_kernels_product(A, Layout());
  const auto multiply = [&] { Tessera::spmm(exec, plan, work, Mode::NoTranspose, 1.0, X, 0.0, Y); };
  const auto multiply_by_theirs = [&] { theirs(exec, X, Z); };
  multiply();
  if (theirs) multiply_by_theirs();

  double seconds = 0, their_seconds = 0;
  for (auto _ : state) {
    if (theirs) their_seconds += seconds_each(exec, products_a_turn, multiply_by_theirs);
    const double a_product = seconds_each(exec, products_a_turn, multiply);
    seconds += a_product;
    state.SetIterationTime(a_product);
  }
  const auto iterations = double(state.iterations());
  report(state, A, plan, columns, seconds / iterations);
  if (!theirs) return;
  const double apart = difference(Y, Z);
  if (!(apart < rounding)) state.SkipWithError("the products differ");
  state.counters["baseline_ms"] = 1e3 * their_seconds / iterations;
  state.counters["ratio"] = their_seconds / seconds;
  state.counters["difference"] = apart;
}

void register_benchmarks(const Settings& settings) {
  for (const std::string& matrix : settings.matrices) {
    for (const Format format : settings.formats) {
      for (const std::string& layout : settings.layouts) {
        for (const int columns : settings.columns) {
          const auto body = layout == "left" ? time_products<Kokkos::LayoutLeft> : time_products<Kokkos::LayoutRight>;
          const auto name = benchmark_name(
              "spmm", matrix,
              {{"format", std::string(to_string(format))}, {"layout", layout}, {"columns", std::to_string(columns)}});
          add_benchmark(name, 3, [=](benchmark::State& state) { body(state, matrix_of(matrix), format, columns); });
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings defaults;
  defaults.matrices = {"elasticity:16", "rmat:15,8", "road:200000"};
  defaults.formats = {Format::Automatic};
  defaults.formats.insert(defaults.formats.end(), std::begin(Tessera::every_format), std::end(Tessera::every_format));
  defaults.layouts = {"left", "right"};
  defaults.columns = {1, 8, 32, 128};
  return run_benchmarks(argc, argv, "Times products by format, layout and number of columns.", defaults,
                        register_benchmarks);
}
