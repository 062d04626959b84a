// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times the work before products, by format: make_plan, prepare for transposed products, update_values.
//   format_build [MATRIX]... [--format bittcf bmat] [--num_vecs 128] [other options: --help]
//
//   Time              make_plan, the first prepare for a transpose, update_values, each with a fence
//   products          Time in products of this plan, X and Y row-major
//   bytes, bytes/CSR  size of the format
//   nnz/tile, fill    average nonzeros per tile; their share of the tiles' elements
#include <benchmark/benchmark.h>

#include <string>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "CommandLine.hpp"
#include "DeviceMatrix.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

using Tessera::Format;

Tessera::PlanOptions options_of(Format format, int columns) {
  Tessera::PlanOptions options;
  options.format = format;
  options.hints.num_vectors = columns;
  options.hints.expected_products = countless;
  return options;
}

/// Times `call` repeatedly, each time after `before`, and reports the times, products and sizes of the plan.
template <class Before, class Call>
void time_calls(benchmark::State& state, const Space& exec, const DeviceMatrix& A, DevicePlan& plan, int columns,
                const Before& before, const Call& call) {
  double total = 0;
  for (auto _ : state) {
    before();
    const double seconds = seconds_of(exec, call);
    total += seconds;
    state.SetIterationTime(seconds);
  }
  state.counters["products"] = total / double(state.iterations()) / seconds_a_product(exec, plan, columns);
  state.counters["bytes"] = double(plan.format_bytes());
  state.counters["bytes/CSR"] = double(plan.format_bytes()) / A.csr_bytes();
  const Tessera::Impl::TileMetrics& tiles = Tessera::Impl::tile_metrics_of(plan);
  if (tiles.tiles == 0) return;
  state.counters["nnz/tile"] = tiles.mean_nonzeros;
  state.counters["fill"] = tiles.fill;
}

void time_make_plan(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  const auto options = options_of(format, columns);
  DevicePlan plan = A.plan(exec, options);  // not timed: one-time work of the first call
  const auto forget = [&] { plan = {}; };   // destroying an earlier plan is not timed either
  time_calls(state, exec, A, plan, columns, forget, [&] { plan = A.plan(exec, options); });
}

void time_prepare_transpose(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  DevicePlan plan;
  // Only the first prepare of a plan builds the transpose.
  const auto make = [&] { plan = A.plan(exec, options_of(format, columns)); };
  time_calls(state, exec, A, plan, columns, make, [&] { plan.prepare(exec, columns, Tessera::Mode::Transpose); });
}

void time_update_values(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  DevicePlan plan = A.plan(exec, options_of(format, columns));
  const auto update = [&] { plan.update_values(exec, A.values); };
  update();
  time_calls(
      state, exec, A, plan, columns, [] {}, update);
}

void register_benchmarks(const Settings& settings) {
  for (const Case& one : all_cases(settings)) {
    const auto add = [&](const char* kind, int iterations, auto time) {
      add_benchmark(one.name(kind, settings), iterations,
                    [=](benchmark::State& state) { time(state, matrix_of(one.matrix), one.format, one.columns); });
    };
    add("make_plan", 1, time_make_plan);
    add("prepare_transpose", 1, time_prepare_transpose);
    add("update_values", 5, time_update_values);
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times make_plan, the transpose and update_values by format.",
                        {.matrices = {"elasticity:16", "rmat:15,8", "road:200000"},
                         .formats = {std::begin(Tessera::Impl::every_format), std::end(Tessera::Impl::every_format)},
                         .columns = {32}},
                        register_benchmarks);
}
