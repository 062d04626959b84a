// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times the cost of following A's values, by format and number of columns: Y = A X in double, X and Y row-major, by a
// plan that checks A's values (Plan::follow_values before each product) against a plan that does not:
//   follow_values [MATRIX]... [--format auto csr] [--num_vecs 8 32] [other options: --help]
// In each iteration the plans take turns; a turn is ten successive products and a fence, as in a solver.
//   Time         a product that follows
//   baseline_ms  a product that does not
//   ratio        baseline_ms / Time
//   cost_us      Time - baseline_ms: the cost of checking the values; about 0 if they are read in place
#include <benchmark/benchmark.h>

#include <iterator>
#include <string>
#include <tessera/Spmm.hpp>
#include <vector>

#include "CommandLine.hpp"
#include "Turns.hpp"

using namespace Tessera::Impl::Benchmarks;
using Tessera::Format;
using Tessera::Mode;

namespace {

void time_following(benchmark::State& state, const DeviceMatrix& A, Format format, int columns) {
  const Space exec;
  Tessera::PlanOptions options;
  options.format = format;
  options.hints.num_vectors = columns;
  options.hints.expected_products = countless;
  auto trusting = A.plan(exec, options);
  options.hints.follow_values = true;
  auto following = A.plan(exec, options);
  auto work = following.prepare(exec, columns, Mode::NoTranspose);
  auto other_work = trusting.prepare(exec, columns, Mode::NoTranspose);
  const Vectors<Kokkos::LayoutRight> X("X", A.columns, columns), Y("Y", A.rows, columns), Z("Z", A.rows, columns);
  scatter_values(X);
  const auto follow = [&] {
    following.follow_values(exec, A.values);
    Tessera::spmm(exec, following, work, Mode::NoTranspose, 1.0, X, 0.0, Y);
  };
  const auto trust = [&] { Tessera::spmm(exec, trusting, other_work, Mode::NoTranspose, 1.0, X, 0.0, Z); };
  const double seconds = time_in_turns(state, exec, 2.0 * double(A.nonzeros()) * columns, follow, trust);
  state.counters["cost_us"] = 1e6 * seconds - 1e3 * state.counters["baseline_ms"];
  state.SetLabel(std::string(to_string(following.format())));
  report_difference(state, Y, Z);
}

void register_benchmarks(const Settings& settings) {
  for (const Case& one : all_cases(settings)) {
    add_benchmark(one.name("follow", settings), 5, [=](benchmark::State& state) {
      time_following(state, matrix_of(one.matrix), one.format, one.columns);
    });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<Format> formats = {Format::Auto};
  formats.insert(formats.end(), std::begin(Tessera::Impl::every_format), std::end(Tessera::Impl::every_format));
  return run_benchmarks(
      argc, argv, "Times products that follow A's values beside products that trust.",
      {.matrices = {"elasticity:16", "rmat:15,8", "road:200000"}, .formats = formats, .columns = {1, 8, 32, 128}},
      register_benchmarks);
}
