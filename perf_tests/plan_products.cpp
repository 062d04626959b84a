// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times products with the plans that Tessera chooses by itself, X and Y by rows, by precision, order of rows and number
// of columns:
//   plan_products [MATRIX]... [--benchmark_filter=double/automatic/32] [other options of Google Benchmark]
// MATRIX is a file, Matrix Market or binary CSR, plain or gzip, or a generated matrix such as stencil27:64. "natural"
// is the order that the rows have, "automatic" the best of that and of those that are found; each plan is made once.
//
// An iteration is ten products one after the other and a fence, as in a solver. Unless told otherwise, every benchmark
// runs five times, and the median, least and greatest of these are reported: Time, a product's; make_plan_ms; GFLOP/s,
// 2 operations a nonzero and column. The label is the format, the order and the kernels.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <tessera/spmm/Spmm.hpp>

#include "../example/ReadOrGenerate.hpp"
#include "CommandLine.hpp"
#include "Stopwatch.hpp"
#include "ToDevice.hpp"

using namespace Tessera::Benchmarks;

namespace {

using Tessera::Precision;
using Tessera::Reordering;
using Space = Kokkos::DefaultExecutionSpace;

constexpr int products_an_iteration = 10;

/// "double", or of floats the precision.
struct Arithmetic {
  const char* name;
  bool is_double;
  Precision precision;
};
constexpr Arithmetic arithmetics[] = {{"double", true, Precision::Native},
                                      {"float", false, Precision::Native},
                                      {"tf32x3", false, Precision::Tf32x3},
                                      {"tf32", false, Precision::Tf32}};

/// A matrix and a plan of it, in the memory of the device.
template <class Scalar>
struct Problem {
  Tessera::Plan<Scalar, int, int, Space::device_type> plan;
  double make_plan_seconds = 0;

  Problem(const std::string& matrix, const Tessera::PlanOptions& options) {
    const auto host = Example::read_or_generate(matrix);
    const auto row_offsets = to_device<int>(host.row_offsets);
    const auto column_indices = to_device<int>(host.column_indices);
    const auto values = to_device<Scalar>(host.values);
    const Space exec;
    make_plan_seconds = seconds_of(exec, [&] {
      plan = Tessera::make_plan(exec, host.rows, host.columns, row_offsets, column_indices, values, options);
    });
  }

  /// What follows "name: " in the plan's explanation; empty where it is not there.
  std::string explained(const std::string& name) const {
    const std::string text = plan.explain(), key = "  " + name + ": ";
    const auto begin = text.find(key);
    if (begin == std::string::npos) return "";
    return text.substr(begin + key.size(), text.find('\n', begin) - begin - key.size());
  }
};

/// Problems are made when the first benchmark asks for them, and kept for those that repeat it, as long as Kokkos
/// lives.
template <class Scalar>
Problem<Scalar>& problem_of(const std::string& matrix, const Tessera::PlanOptions& options) {
  static std::map<std::string, Problem<Scalar>> made;
  if (made.empty()) Kokkos::push_finalize_hook([] { made.clear(); });
  const std::string name = matrix + ' ' + std::string(to_string(options.precision)) + ' ' +
                           std::string(to_string(options.reordering)) + ' ' + std::to_string(options.columns);
  return made.try_emplace(name, matrix, options).first->second;
}

template <class Scalar>
void time_product(benchmark::State& state, const std::string& matrix, const Tessera::PlanOptions& options) {
  using View = Kokkos::View<Scalar**, Kokkos::LayoutRight, Space::device_type>;
  Problem<Scalar>& problem = problem_of<Scalar>(matrix, options);
  const Space exec;
  const View X("X", problem.plan.columns(), options.columns), Y("Y", problem.plan.rows(), options.columns);
  Kokkos::deep_copy(X, Scalar(1));
  auto work = problem.plan.prepare(exec, options.columns, Tessera::Mode::NoTranspose);
  const auto multiply = [&] {
    for (int i = 0; i < products_an_iteration; ++i)
      Tessera::spmm(exec, problem.plan, work, Tessera::Mode::NoTranspose, Scalar(1), X, Scalar(0), Y);
  };
  multiply();
  double seconds = 0;
  for (auto _ : state) {
    const double a_product = seconds_of(exec, multiply) / products_an_iteration;
    seconds += a_product;
    state.SetIterationTime(a_product);
  }
  const double products = static_cast<double>(state.iterations()) / seconds;
  state.counters["GFLOP/s"] = 2e-9 * static_cast<double>(problem.plan.nonzeros()) * options.columns * products;
  state.counters["make_plan_ms"] = 1e3 * problem.make_plan_seconds;
  state.SetLabel(std::string(to_string(problem.plan.choice().format)) + ", " +
                 std::string(to_string(problem.plan.choice().reordering)) + ", " + problem.explained("kernels"));
}

void register_benchmarks(const std::string& matrix) {
  for (const Arithmetic& arithmetic : arithmetics) {
    for (const Reordering reordering : {Reordering::None, Reordering::Automatic}) {
      for (const int columns : {32, 128, 512}) {
        Tessera::PlanOptions options;
        options.columns = columns;
        options.reordering = reordering;
        options.precision = arithmetic.precision;
        options.on_unsupported = Tessera::OnUnsupported::FallBack;
        const std::string title = "product/" + title_of(matrix) + '/' + arithmetic.name +
                                  (reordering == Reordering::None ? "/natural/" : "/automatic/") +
                                  std::to_string(columns);
        const auto body = [=](benchmark::State& state) {
          arithmetic.is_double ? time_product<double>(state, matrix, options)
                               : time_product<float>(state, matrix, options);
        };
        add_benchmark(title, body)->UseManualTime()->Iterations(5);
      }
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run_benchmarks(argc, argv, {"elasticity:16", "stencil27:32"}, register_benchmarks);
}
