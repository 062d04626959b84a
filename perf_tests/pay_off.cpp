// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times the set-up of a plan and its products, by order of rows, layout and number of columns. If Kokkos Kernels is
// available, also computes the number of products from which set-up and products are faster than KokkosSparse::spmv.
// "natural" is the given order of the rows, "automatic" the best of the given and the found orders.
//
//   Time                   make_plan and prepare
//   product_ms             a product, one of ten successive ones
//   products               Time / product_ms
//   baseline_set_up_ms     the extra time of Kokkos Kernels' first product
//   baseline_ms            a product with Kokkos Kernels
//   pay_off_products       the number of products from which the plan is faster; absent if it never is
//   ratio_10, ..._100, ..._1000   speedup of 10, 100 and 1000 products, including the set-up
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <tessera/Spmm.hpp>

#include "CommandLine.hpp"
#include "DeviceMatrix.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

using Tessera::Mode;
using Tessera::Reordering;

constexpr int products_a_turn = 10;

/// The seconds of the set-up and of a product.
struct Cost {
  double set_up = 0, product = 0;

  double of(int products) const { return set_up + products * product; }
  void add(const Cost& other) { set_up += other.set_up, product += other.product; }
};

template <class View>
Cost cost_of_plan(const Space& exec, const DeviceMatrix& A, const Tessera::PlanOptions& options, const View& X,
                  const View& Y) {
  Cost cost;
  DevicePlan plan;
  DevicePlan::workspace_type work;
  cost.set_up = seconds_of(exec, [&] {
    plan = A.plan(exec, options);
    work = plan.prepare(exec, options.hints.num_vectors, Mode::NoTranspose);
  });
  const auto multiply = [&] { Tessera::spmm(exec, plan, work, Mode::NoTranspose, 1.0, X, 0.0, Y); };
  multiply();
  cost.product = seconds_each(exec, products_a_turn, multiply);
  return cost;
}

template <class Layout>
Cost cost_of_baseline(const Space& exec, const DeviceMatrix& A, const Vectors<Layout>& X, const Vectors<Layout>& Y) {
  Cost cost;
  SpmvProduct<double, Layout> product;
  const auto multiply = [&] { product(exec, Mode::NoTranspose, 1.0, X, 0.0, Y); };
  const double first = seconds_of(exec, [&] {
    product = kokkos_kernels_product<double, Layout>(A);
    if (product) multiply();
  });
  if (!product) return cost;
  cost.product = seconds_each(exec, products_a_turn, multiply);
  cost.set_up = std::max(0.0, first - cost.product);
  return cost;
}

void report(benchmark::State& state, const Cost& ours, const Cost& theirs) {
  const double iterations = double(state.iterations());
  state.counters["product_ms"] = 1e3 * ours.product / iterations;
  state.counters["products"] = ours.set_up / ours.product;
  if (theirs.product == 0) return;
  state.counters["baseline_set_up_ms"] = 1e3 * theirs.set_up / iterations;
  state.counters["baseline_ms"] = 1e3 * theirs.product / iterations;
  for (const int products : {10, 100, 1000})
    state.counters["ratio_" + std::to_string(products)] = theirs.of(products) / ours.of(products);
  if (ours.product < theirs.product) {
    state.counters["pay_off_products"] = std::max(0.0, (ours.set_up - theirs.set_up) / (theirs.product - ours.product));
  }
}

template <class Layout>
void time_both(benchmark::State& state, const DeviceMatrix& A, Reordering reordering, int columns) {
  const Space exec;
  Tessera::PlanOptions options;
  options.hints.num_vectors = columns;
  options.reordering = reordering;
  const Vectors<Layout> X("X", A.columns, columns), Y("Y", A.rows, columns), Z("Z", A.rows, columns);
  scatter_values(X);
  Cost ours, theirs;
  for (auto _ : state) {
    theirs.add(cost_of_baseline<Layout>(exec, A, X, Z));
    const Cost cost = cost_of_plan(exec, A, options, X, Y);
    ours.add(cost);
    state.SetIterationTime(cost.set_up);
  }
  if (theirs.product > 0 && !(difference(Y, Z) < rounding<double>)) state.SkipWithError("the products differ");
  report(state, ours, theirs);
}

void register_benchmarks(const Settings& settings) {
  for (const Reordering reordering : {Reordering::None, Reordering::Search}) {
    const Keys order = {{"order", reordering == Reordering::None ? "natural" : "automatic"}};
    for (const Case& one : all_cases(settings)) {
      add_benchmark(one.name("pay_off", settings, order), 1, [=](benchmark::State& state) {
        with_layout(one.layout, [&](auto layout) {
          time_both<decltype(layout)>(state, matrix_of(one.matrix), reordering, one.columns);
        });
      });
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times set-up and products: after how many a plan has paid for itself.",
                        {.matrices = {"elasticity:16", "rmat:15,8", "road:200000"},
                         .layouts = {"left", "right"},
                         .columns = {1, 8, 32, 128}},
                        register_benchmarks);
}
