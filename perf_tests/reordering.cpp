// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times orders of rows: the time to find them, and tiles and products before and after.
//   reordering [MATRIX]... [--format csr bittcf] [--num_vecs 128] [other options: --help]
// Well-numbered matrices gain little; tessera_spmm --shuffle --reorder all measures the gain of shuffled matrices.
//
//   Time                  make_plan with the order, minus make_plan without
//   products              Time in products in the given order
//   before_ms, after_ms   a product, X and Y row-major
//   speedup               before_ms / after_ms
//   pay_off_products      the number of products after which the order pays off; absent if it never does
//   nnz/tile_before, nnz/tile_after   average nonzeros per tile
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "CommandLine.hpp"
#include "DeviceMatrix.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

using Tessera::Format;
using Tessera::Reordering;

void report(benchmark::State& state, const Space& exec, DevicePlan& natural, DevicePlan& reordered, int columns,
            double seconds) {
  const double before = seconds_a_product(exec, natural, columns);
  const double after = seconds_a_product(exec, reordered, columns);
  state.counters["products"] = seconds / before;
  state.counters["before_ms"] = 1e3 * before;
  state.counters["after_ms"] = 1e3 * after;
  state.counters["speedup"] = before / after;
  if (after < before) state.counters["pay_off_products"] = seconds / (before - after);
  if (Tessera::Impl::tile_metrics_of(natural).tiles == 0) return;
  state.counters["nnz/tile_before"] = Tessera::Impl::tile_metrics_of(natural).mean_nonzeros;
  state.counters["nnz/tile_after"] = Tessera::Impl::tile_metrics_of(reordered).mean_nonzeros;
}

void time_order(benchmark::State& state, const DeviceMatrix& A, Format format, Reordering order, int columns) {
  const Space exec;
  Tessera::PlanOptions options;
  options.format = format;
  options.hints.num_vectors = columns;
  options.hints.expected_products = countless;
  auto with_order = options;
  with_order.reordering = order;
  with_order.always_reorder = true;
  DevicePlan natural, reordered;
  double total = 0;
  for (auto _ : state) {
    natural = reordered = {};  // not timed: destroying earlier plans
    const double without = seconds_of(exec, [&] { natural = A.plan(exec, options); });
    const double with = seconds_of(exec, [&] { reordered = A.plan(exec, with_order); });
    // If an order takes no time, the difference is below the clock's accuracy.
    const double seconds = std::max(with - without, 1e-9);
    total += seconds;
    state.SetIterationTime(seconds);
  }
  report(state, exec, natural, reordered, columns, total / double(state.iterations()));
}

void register_benchmarks(const Settings& settings) {
  for (const Reordering order : Tessera::Impl::every_reordering) {
    const Keys keys = {{"order", std::string(to_string(order))}};
    for (const Case& one : all_cases(settings)) {
      if (order == Reordering::None || (order == Reordering::ColumnSort && one.format != Format::Bcsr)) continue;
      add_benchmark(one.name("reorder", settings, keys), 1, [=](benchmark::State& state) {
        time_order(state, matrix_of(one.matrix), one.format, order, one.columns);
      });
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times orders of rows, and products before and after.",
                        {.matrices = {"elasticity:16", "rmat:15,8", "road:200000"},
                         .formats = {Format::Csr, Format::BitTcf},
                         .columns = {128}},
                        register_benchmarks);
}
