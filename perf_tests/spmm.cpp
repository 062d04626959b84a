// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times products Y = A X in double, by format, layout and number of columns, against KokkosSparse::spmv if Kokkos
// Kernels is available:
//   spmm [MATRIX]... [--format csr bittcf] [--layout left] [--num_vecs 8 32] [other options: --help]
//
// In each iteration the two take turns; a turn is ten successive products and a fence, as in a solver. One-time set-up
// is not timed.
//   Time, GFLOP/s     a product; 2 operations per nonzero and column
//   GB/s              compulsory traffic: the format, the used rows of X and Y, each once
//   floor_fraction    GB/s relative to a copy (more than 1 if everything is in cache)
//   bytes, bytes/CSR  size of the format
//   predicted_ms      the cost model's prediction; on hosts for one core, hence only ratios are meaningful
//   baseline_ms       a product with Kokkos Kernels
//   ratio             baseline_ms / Time
//   difference        the greatest difference in Y, relative to the greatest element; beyond rounding it fails
#include <benchmark/benchmark.h>

#include <string>
#include <tessera/Spmm.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <type_traits>

#include "CommandLine.hpp"
#include "Context.hpp"
#include "Turns.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

using Tessera::Format;
using Tessera::Mode;

void report(benchmark::State& state, const DeviceMatrix& A, const DevicePlan& plan, int columns, double seconds) {
  const double bytes = A.compulsory_bytes(plan.format_bytes(), columns);
  state.counters["GB/s"] = 1e-9 * bytes / seconds;
  state.counters["floor_fraction"] = bytes / copy_bytes_per_second() / seconds;
  state.counters["bytes"] = double(plan.format_bytes());
  state.counters["bytes/CSR"] = double(plan.format_bytes()) / A.csr_bytes();
  for (const Tessera::Impl::Candidate& candidate : Tessera::Impl::choice_of(plan).candidates)
    if (Tessera::Impl::choice_of(plan).is_chosen(candidate) && candidate.predicted_seconds > 0)
      state.counters["predicted_ms"] = 1e3 * candidate.predicted_seconds;
  state.SetLabel(std::string(to_string(plan.format())));
}

template <class Layout>
void time_products(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  Tessera::PlanOptions options;
  options.format = format;
  options.hints.num_vectors = columns;
  options.hints.expected_products = countless;
  options.hints.layout_left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
  auto plan = A.plan(exec, options);
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  const Vectors<Layout> X("X", A.columns, columns), Y("Y", A.rows, columns), Z("Z", A.rows, columns);
  scatter_values(X);
  const auto spmv = kokkos_kernels_product<double, Layout>(A);
  const auto multiply = [&] { Tessera::spmm(exec, plan, work, Mode::NoTranspose, 1.0, X, 0.0, Y); };
  const auto multiply_by_theirs = [&] { spmv(exec, Mode::NoTranspose, 1.0, X, 0.0, Z); };
  const double seconds = time_in_turns(state, exec, 2.0 * double(A.nonzeros()) * columns, multiply,
                                       spmv ? std::function<void()>(multiply_by_theirs) : nullptr);
  report(state, A, plan, columns, seconds);
  if (spmv) report_difference(state, Y, Z);
}

void register_benchmarks(const Settings& settings) {
  for (const Case& one : all_cases(settings)) {
    add_benchmark(one.name("spmm", settings), 3, [=](benchmark::State& state) {
      with_layout(one.layout, [&](auto layout) {
        time_products<decltype(layout)>(state, matrix_of(one.matrix), one.format, one.columns);
      });
    });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<Format> formats = {Format::Auto};
  formats.insert(formats.end(), std::begin(Tessera::Impl::every_format), std::end(Tessera::Impl::every_format));
  return run_benchmarks(argc, argv, "Times products by format, layout and number of columns.",
                        {.matrices = {"elasticity:16", "rmat:15,8", "road:200000"},
                         .formats = formats,
                         .layouts = {"left", "right"},
                         .columns = {1, 8, 32, 128}},
                        register_benchmarks);
}
