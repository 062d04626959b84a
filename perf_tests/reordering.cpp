// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times orders of rows: what it takes to find them, and what tiles and products are worth before and after.
//   reordering [MATRIX]... [--format csr bittcf] [--num_vecs 128] [other options: --help]
// Matrices that are numbered well have little to gain; tessera_spmm --shuffle --reorder all measures what others have.
//
//   Time                  make_plan with the order, less make_plan without
//   products              the number of products in the order that the rows have that take as long
//   before_ms, after_ms   a product, X and Y by rows
//   speedup               before_ms / after_ms
//   pay_off_products      the number of products after which the order has paid for itself; absent if it never does
//   nnz/tile_before, nnz/tile_after   nonzeros of a tile on average
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "CommandLine.hpp"
#include "DeviceMatrix.hpp"

using namespace Tessera::Benchmarks;

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
  if (Impl::tile_metrics_of(natural).tiles == 0) return;
  state.counters["nnz/tile_before"] = Impl::tile_metrics_of(natural).mean_nonzeros;
  state.counters["nnz/tile_after"] = Impl::tile_metrics_of(reordered).mean_nonzeros;
}

void time_order(benchmark::State& state, const DeviceMatrix& A, Format format, Reordering order, int columns) {
  const Space exec;
  Tessera::PlanOptions options;
  options.format = format;
  options.hints.num_vectors = columns;
  auto with_order = options;
  with_order.reordering = order;
  with_order.always_reorder = true;
  DevicePlan natural, reordered;
  double total = 0;
  for (auto _ : state) {
    natural = reordered = {};  // not timed: earlier plans' end
    const double without = seconds_of(exec, [&] { natural = A.plan(exec, options); });
    const double with = seconds_of(exec, [&] { reordered = A.plan(exec, with_order); });
    // A clock is not that exact where an order takes no time.
    const double seconds = std::max(with - without, 1e-9);
    total += seconds;
    state.SetIterationTime(seconds);
  }
  report(state, exec, natural, reordered, columns, total / double(state.iterations()));
}

void register_benchmarks(const Settings& settings) {
  for (const Reordering order : Tessera::every_reordering) {
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
