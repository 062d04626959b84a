// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times what a plan does: make_plan and update_values by format, make_plan by format and reordering, prepare for
// transposed products, and the product by format, layout and number of columns.
//   spmm_benchmark [MATRIX]... [--benchmark_filter=product/elasticity] [other options of Google Benchmark]
// MATRIX is a file, Matrix Market or binary CSR, plain or gzip, or a generated matrix such as stencil27:64. With large
// ones, filter: not every format suits every matrix, nor is every reordering quick.
//
// Unless told otherwise, every benchmark runs five times, in an order that mixes them so that what else the machine
// does meets all of them, and its median, least and greatest time are reported. Every iteration ends with a fence.
//
// GFLOP/s counts 2 operations a nonzero and column. bytes_per_second counts compulsory traffic: for a product the
// format once, every row of X that is touched once and Y once; for update_values the values read and written.
// "products" tells after how many products what is done once a plan, or once for new values, has taken as long as they:
// those of 128 columns by rows, with the same plan.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <tessera/spmm/Spmm.hpp>
#include <vector>

#include "../example/ReadOrGenerate.hpp"
#include "CommandLine.hpp"
#include "Stopwatch.hpp"
#include "ToDevice.hpp"

using namespace Tessera::Benchmarks;

namespace {

using Tessera::Format;
using Tessera::Mode;
using Tessera::Reordering;
using Space = Kokkos::DefaultExecutionSpace;

/// A matrix in the memory of the device.
struct Matrix {
  int rows = 0;
  int columns = 0;
  std::size_t touched_columns = 0;  // that hold a nonzero
  Kokkos::View<int*, Space> row_offsets;
  Kokkos::View<int*, Space> column_indices;
  Kokkos::View<double*, Space> values;

  auto plan(const Space& exec, const Tessera::PlanOptions& options) const {
    return Tessera::make_plan(exec, rows, columns, row_offsets, column_indices, values, options);
  }
};

Matrix make_matrix(const std::string& name) {
  const auto host = Example::read_or_generate(name);
  std::vector<bool> touched(static_cast<std::size_t>(host.columns));
  for (const int column : host.column_indices) touched[static_cast<std::size_t>(column)] = true;
  return {host.rows,
          host.columns,
          static_cast<std::size_t>(std::count(touched.begin(), touched.end(), true)),
          to_device<int>(host.row_offsets),
          to_device<int>(host.column_indices),
          to_device<double>(host.values)};
}

/// Matrices are made or read when the first benchmark asks for them, and kept until the end.
class Matrices {
 public:
  const Matrix& operator[](const std::string& name) {
    const auto place = made_.find(name);
    return place != made_.end() ? place->second : made_.emplace(name, make_matrix(name)).first->second;
  }

 private:
  std::map<std::string, Matrix> made_;
};

Tessera::PlanOptions with_format(Format format) {
  Tessera::PlanOptions options;
  options.format = format;
  return options;
}

/// Seconds of a product of 128 columns by rows, one of several one after the other.
template <class Plan>
double seconds_a_product(const Space& exec, Plan& plan) {
  constexpr int columns = 128, products = 10;
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> X("X", plan.columns(), columns),
      Y("Y", plan.rows(), columns);
  const auto multiply = [&] { Tessera::spmm(exec, plan, work, Mode::NoTranspose, 1.0, X, 0.0, Y); };
  multiply();
  return seconds_of(exec,
                    [&] {
                      for (int i = 0; i < products; ++i) multiply();
                    }) /
         products;
}

Tessera::PlanOptions for_128_columns(Format format, Reordering reordering) {
  auto options = with_format(format);
  options.columns = 128;
  options.reordering = reordering;
  options.always_reorder = reordering != Reordering::None;
  return options;
}

void time_build(benchmark::State& state, const Matrix& A, Format format, Reordering reordering) {
  const Space exec;
  const auto options = for_128_columns(format, reordering);
  decltype(A.plan(exec, options)) plan;
  double total = 0;
  for (auto _ : state) {
    plan = {};  // not timed: an earlier plan's end
    const double seconds = seconds_of(exec, [&] { plan = A.plan(exec, options); });
    total += seconds;
    state.SetIterationTime(seconds);
  }
  state.counters["bytes/nonzero"] = double(plan.format_bytes()) / double(plan.nonzeros());
  state.counters["products"] = total / double(state.iterations()) / seconds_a_product(exec, plan);
}

void time_prepare_transpose(benchmark::State& state, const Matrix& A, Format format) {
  const Space exec;
  for (auto _ : state) {
    state.PauseTiming();  // only the first prepare of a plan builds the transpose
    auto plan = A.plan(exec, with_format(format));
    exec.fence();
    state.ResumeTiming();
    auto work = plan.prepare(exec, 32, Mode::Transpose);
    exec.fence();
    benchmark::DoNotOptimize(work);
  }
}

void time_update(benchmark::State& state, const Matrix& A, Format format) {
  const Space exec;
  auto plan = A.plan(exec, for_128_columns(format, Reordering::None));
  double total = 0;
  for (auto _ : state) {
    const double seconds = seconds_of(exec, [&] { plan.update_values(exec, A.values); });
    total += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetBytesProcessed(std::int64_t(state.iterations() * A.values.extent(0) * 2 * sizeof(double)));
  state.counters["products"] = total / double(state.iterations()) / seconds_a_product(exec, plan);
}

template <class Layout>
void time_product(benchmark::State& state, const Matrix& A, Format format, int columns) {
  const Space exec;
  auto options = with_format(format);
  options.columns = columns;
  auto plan = A.plan(exec, options);
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  const Kokkos::View<double**, Layout, Space> X("X", A.columns, columns), Y("Y", A.rows, columns);
  Kokkos::deep_copy(X, 1.0);
  for (auto _ : state) {
    Tessera::spmm(exec, plan, work, Mode::NoTranspose, 1.0, X, 0.0, Y);
    exec.fence();
  }
  const double gigaflops = 2e-9 * double(plan.nonzeros()) * columns;
  const std::size_t dense = (A.touched_columns + std::size_t(A.rows)) * std::size_t(columns) * sizeof(double);
  state.counters["GFLOP/s"] = benchmark::Counter(gigaflops, benchmark::Counter::kIsIterationInvariantRate);
  state.SetBytesProcessed(std::int64_t(state.iterations() * (plan.format_bytes() + dense)));
}

void register_reorderings(const std::string& matrix, const std::string& title, Format format, Matrices& matrices) {
  for (const Reordering reordering : Tessera::every_reordering) {
    if (reordering == Reordering::None || (reordering == Reordering::ColumnSort && format != Format::Bcsr)) continue;
    add_benchmark("make_plan/" + title + "/" + std::string(to_string(reordering)), [=, &matrices](
                                                                                       benchmark::State& state) {
      time_build(state, matrices[matrix], format, reordering);
    })->UseManualTime();
  }
}

void register_products(const std::string& matrix, const std::string& title, Format format, Matrices& matrices) {
  for (const int columns : {1, 8, 32, 128}) {
    const std::string product = "product/" + title + "/" + std::to_string(columns);
    add_benchmark(product + "/left", [=, &matrices](benchmark::State& state) {
      time_product<Kokkos::LayoutLeft>(state, matrices[matrix], format, columns);
    })->UseRealTime();
    add_benchmark(product + "/right", [=, &matrices](benchmark::State& state) {
      time_product<Kokkos::LayoutRight>(state, matrices[matrix], format, columns);
    })->UseRealTime();
  }
}

void register_benchmarks(const std::string& matrix, Format format, Matrices& matrices) {
  const std::string title = title_of(matrix) + "/" + std::string(to_string(format));
  add_benchmark("make_plan/" + title, [=, &matrices](benchmark::State& state) {
    time_build(state, matrices[matrix], format, Reordering::None);
  })->UseManualTime();
  add_benchmark("prepare_T/" + title, [=, &matrices](benchmark::State& state) {
    time_prepare_transpose(state, matrices[matrix], format);
  })->UseRealTime();
  add_benchmark("update_values/" + title, [=, &matrices](benchmark::State& state) {
    time_update(state, matrices[matrix], format);
  })->UseManualTime();
  if (format != Format::SortedColumns) register_reorderings(matrix, title, format, matrices);
  register_products(matrix, title, format, matrices);
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  Matrices matrices;
  return run_benchmarks(argc, argv, {"elasticity:16", "rmat:15,8", "road:200000", "uniform:50000,20"},
                        [&](const std::string& matrix) {
                          for (const Format format : Tessera::every_format)
                            register_benchmarks(matrix, format, matrices);
                        });
}
