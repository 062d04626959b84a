// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times what a plan does before products, by format: make_plan, prepare for transposed products, update_values.
//   format_build [MATRIX]... [--format bittcf bmat] [--num_vecs 128] [other options: --help]
//
//   Time              of make_plan, of the first prepare for a transpose, of update_values, each with a fence
//   products          as many products of this plan, X and Y by rows, take as long
//   bytes, bytes/CSR  size of the format
//   nnz/tile, fill    nonzeros of a tile on average; their share of the tiles' elements
#include <benchmark/benchmark.h>

#include <string>

#include "CommandLine.hpp"
#include "DeviceMatrix.hpp"

using namespace Tessera::Benchmarks;

namespace {

using Tessera::Format;

Tessera::PlanOptions options_of(Format format, int columns) {
  Tessera::PlanOptions options;
  options.format = format;
  options.columns = columns;
  return options;
}

void report(benchmark::State& state, const Space& exec, const DeviceMatrix& A, DevicePlan& plan, int columns,
            double seconds) {
  state.counters["products"] = seconds / double(state.iterations()) / seconds_a_product(exec, plan, columns);
  state.counters["bytes"] = double(plan.format_bytes());
  state.counters["bytes/CSR"] = double(plan.format_bytes()) / A.csr_bytes();
  const Tessera::TileMetrics& tiles = plan.tile_metrics();
  if (tiles.tiles == 0) return;
  state.counters["nnz/tile"] = tiles.mean_nonzeros;
  state.counters["fill"] = tiles.fill;
}

void time_make_plan(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  const auto options = options_of(format, columns);
  DevicePlan plan = A.plan(exec, options);  // not timed: what the first of its kind does
  double total = 0;
  for (auto _ : state) {
    plan = {};  // not timed: an earlier plan's end
    const double seconds = seconds_of(exec, [&] { plan = A.plan(exec, options); });
    total += seconds;
    state.SetIterationTime(seconds);
  }
  report(state, exec, A, plan, columns, total);
}

void time_prepare_transpose(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  const auto options = options_of(format, columns);
  DevicePlan plan;
  double total = 0;
  for (auto _ : state) {
    plan = A.plan(exec, options);  // only the first prepare of a plan builds the transpose
    const double seconds = seconds_of(exec, [&] { plan.prepare(exec, columns, Tessera::Mode::Transpose); });
    total += seconds;
    state.SetIterationTime(seconds);
  }
  report(state, exec, A, plan, columns, total);
}

void time_update_values(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  DevicePlan plan = A.plan(exec, options_of(format, columns));
  plan.update_values(exec, A.values);
  double total = 0;
  for (auto _ : state) {
    const double seconds = seconds_of(exec, [&] { plan.update_values(exec, A.values); });
    total += seconds;
    state.SetIterationTime(seconds);
  }
  report(state, exec, A, plan, columns, total);
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
                         .formats = {std::begin(Tessera::every_format), std::end(Tessera::every_format)},
                         .columns = {32}},
                        register_benchmarks);
}
