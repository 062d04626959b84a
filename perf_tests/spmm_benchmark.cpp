// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times what a plan does, on generated matrices: make_plan, prepare for transposed products, update_values, and the
// product by format, layout and number of columns.
//   spmm_benchmark [--benchmark_filter=product/elasticity] [other options of Google Benchmark]
// Unless told otherwise, every benchmark runs five times, in an order that mixes them so that what else the machine
// does meets all of them, and its median, least and greatest time are reported. Every iteration ends with a fence.
//
// GFLOP/s counts 2 operations a nonzero and column. bytes_per_second counts compulsory traffic: for a product the
// format once, every row of X that is touched once and Y once; for update_values the values read and written.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/spmm/Spmm.hpp>
#include <utility>
#include <vector>

namespace {

using Tessera::Format;
using Tessera::Mode;
using Space = Kokkos::DefaultExecutionSpace;

const std::vector<std::string> matrix_names = {"elasticity:16", "rmat:15,8", "road:200000", "uniform:50000,20"};
constexpr Format formats[] = {Format::Csr, Format::BitTcf};

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

template <class T, class Source>
Kokkos::View<T*, Space> to_device(const std::vector<Source>& source) {
  Kokkos::View<T*, Space> device("to_device", source.size());
  const auto host = Kokkos::create_mirror_view(device);
  std::transform(source.begin(), source.end(), host.data(), [](Source value) { return static_cast<T>(value); });
  Kokkos::deep_copy(device, host);
  return device;
}

Matrix make_matrix(const std::string& name) {
  const auto host = Tessera::generate(name, 1);
  std::vector<bool> touched(static_cast<std::size_t>(host.columns));
  for (const int column : host.column_indices) touched[static_cast<std::size_t>(column)] = true;
  return {host.rows,
          host.columns,
          static_cast<std::size_t>(std::count(touched.begin(), touched.end(), true)),
          to_device<int>(host.row_offsets),
          to_device<int>(host.column_indices),
          to_device<double>(host.values)};
}

/// Matrices are made when the first benchmark asks for them, and kept until the end.
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

void time_build(benchmark::State& state, const Matrix& A, Format format) {
  const Space exec;
  for (auto _ : state) {
    auto plan = A.plan(exec, with_format(format));
    exec.fence();
    benchmark::DoNotOptimize(plan);
  }
  const auto plan = A.plan(exec, with_format(format));
  state.counters["bytes/nonzero"] = double(plan.format_bytes()) / double(plan.nonzeros());
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
  auto plan = A.plan(exec, with_format(format));
  for (auto _ : state) {
    plan.update_values(exec, A.values);
    exec.fence();
  }
  state.SetBytesProcessed(std::int64_t(state.iterations() * A.values.extent(0) * 2 * sizeof(double)));
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

void finish(benchmark::internal::Benchmark* registered) {
  registered->UseRealTime()->Unit(benchmark::kMillisecond);
  registered->ComputeStatistics("min", [](const auto& times) { return *std::min_element(times.begin(), times.end()); });
  registered->ComputeStatistics("max", [](const auto& times) { return *std::max_element(times.begin(), times.end()); });
}

void register_benchmarks(const std::string& matrix, Format format, Matrices& matrices) {
  const std::string name = matrix + "/" + std::string(to_string(format));
  const auto add = [](const std::string& title, auto body) {
    finish(benchmark::RegisterBenchmark(title.c_str(), body));
  };
  add("make_plan/" + name, [=, &matrices](benchmark::State& state) { time_build(state, matrices[matrix], format); });
  add("prepare_T/" + name,
      [=, &matrices](benchmark::State& state) { time_prepare_transpose(state, matrices[matrix], format); });
  add("update_values/" + name,
      [=, &matrices](benchmark::State& state) { time_update(state, matrices[matrix], format); });
  for (const int columns : {1, 8, 32, 128}) {
    const std::string title = "product/" + name + "/" + std::to_string(columns);
    add(title + "/left", [=, &matrices](benchmark::State& state) {
      time_product<Kokkos::LayoutLeft>(state, matrices[matrix], format, columns);
    });
    add(title + "/right", [=, &matrices](benchmark::State& state) {
      time_product<Kokkos::LayoutRight>(state, matrices[matrix], format, columns);
    });
  }
}

/// Google Benchmark's options with our defaults before the user's, which win.
std::vector<char*> with_defaults(int argc, char* argv[]) {
  static char repetitions[] = "--benchmark_repetitions=5";
  static char interleaving[] = "--benchmark_enable_random_interleaving=true";
  static char aggregates[] = "--benchmark_report_aggregates_only=true";
  static char min_time[] = "--benchmark_min_time=0.1s";
  std::vector<char*> arguments = {argv[0], repetitions, interleaving, aggregates, min_time};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  return arguments;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    auto arguments = with_defaults(argc, argv);
    int count = int(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
    benchmark::AddCustomContext("execution_space", Space::name());
    benchmark::AddCustomContext("concurrency", std::to_string(Space().concurrency()));
    Matrices matrices;
    for (const std::string& matrix : matrix_names)
      for (const Format format : formats) register_benchmarks(matrix, format, matrices);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& error) {
    std::cerr << "spmm_benchmark: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
