// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

/// What the benchmarks that run in one process have in common: [MATRIX]... [options of Google Benchmark].
namespace Tessera::Benchmarks {

/// Google Benchmark's options with our defaults before the user's, which win.
inline std::vector<char*> with_defaults(int argc, char* argv[]) {
  static char repetitions[] = "--benchmark_repetitions=5";
  static char interleaving[] = "--benchmark_enable_random_interleaving=true";
  static char aggregates[] = "--benchmark_report_aggregates_only=true";
  static char min_time[] = "--benchmark_min_time=0.1s";
  std::vector<char*> arguments = {argv[0], repetitions, interleaving, aggregates, min_time};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  return arguments;
}

/// What a matrix is called in the name of a benchmark: a file without its folder.
inline std::string title_of(const std::string& matrix) { return std::filesystem::path(matrix).filename().string(); }

/// Registers a benchmark in milliseconds, whose least and greatest time are reported besides Google Benchmark's own
/// statistics. One whose body throws, as for a format that a matrix fills badly, counts as failed, and others follow.
template <class Body>
benchmark::internal::Benchmark* add_benchmark(const std::string& title, const Body& body) {
  const auto guarded = [body](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  };
  auto* registered = benchmark::RegisterBenchmark(title.c_str(), guarded);
  registered->Unit(benchmark::kMillisecond);
  registered->ComputeStatistics("min", [](const auto& times) { return *std::min_element(times.begin(), times.end()); });
  registered->ComputeStatistics("max", [](const auto& times) { return *std::max_element(times.begin(), times.end()); });
  return registered;
}

/// Runs what `register_benchmarks(matrix)` registers for each matrix that the command line names, or by default for
/// `matrices`. Kokkos must be initialized. Returns what main() does.
template <class RegisterBenchmarks>
int run_benchmarks(int argc, char* argv[], std::vector<std::string> matrices,
                   const RegisterBenchmarks& register_benchmarks) {
  try {
    auto arguments = with_defaults(argc, argv);
    int count = int(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (count > 1) matrices.assign(arguments.begin() + 1, arguments.begin() + count);
    for (const std::string& matrix : matrices) {
      if (matrix.starts_with("-")) {
        throw std::invalid_argument(matrix + ": expected matrices, and options of Google Benchmark");
      }
      register_benchmarks(matrix);
    }
    const Kokkos::DefaultExecutionSpace exec;
    benchmark::AddCustomContext("execution_space", exec.name());
    benchmark::AddCustomContext("concurrency", std::to_string(exec.concurrency()));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 2;
  }
  return 0;
}

}  // namespace Tessera::Benchmarks
