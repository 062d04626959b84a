// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <functional>
#include <optional>
#include <string>
#include <tessera/Format.hpp>
#include <utility>
#include <vector>

/// The common code of the benchmarks: options, names and execution.
namespace Tessera::Impl::Benchmarks {

/// The cases that a driver measures. A driver has an option for each list that is not empty in its defaults, and for
/// `published` and `tuned` if they have a value there.
struct Settings {
  std::vector<std::string> matrices = {};  ///< --amtx: files, or generated matrices such as "stencil27:32"
  std::vector<int> rows = {};              ///< --rows: rows of dense blocks
  std::vector<Format> formats = {};        ///< --format
  std::vector<std::string> layouts = {};   ///< --layout: "left", "right"
  std::vector<int> columns = {};           ///< --num_vecs: columns of X
  std::vector<int> products = {};          ///< --products: products of a batch
  std::optional<bool> published = {};      ///< --published: also the kernels of the formats' papers
  std::optional<bool> tuned = {};          ///< --tuned: also plans with Tuning::Adaptive
};

struct CommandLine {
  Settings settings;
  int repetitions = 5;                        ///< --repeat: repetitions of each benchmark
  std::vector<std::string> kokkos_arguments;  ///< arguments of Kokkos::initialize for --openmp, --cuda etc.
  std::vector<std::string> others;            ///< arguments of Kokkos and Google Benchmark
};

/// Parses the command line. Returns nothing if it asks for help, which is then printed.
///
/// \param about    [in] description of the program for --help
/// \param defaults [in] settings, unless options say otherwise
/// \param launched [in] whether Kokkos already runs: then --openmp, --cuda etc. are no options
/// \throws std::invalid_argument that names the invalid option
std::optional<CommandLine> parse(int argc, char* argv[], const std::string& about, const Settings& defaults,
                                 bool launched = false);

/// Initializes Google Benchmark with the remaining arguments. By default, benchmarks run in a random order, so other
/// load on the machine affects all of them.
///
/// \param program [in] argv[0], which must last as long as benchmarks run
/// \throws std::invalid_argument that names the first unknown argument
void initialize_benchmarks(char* program, const CommandLine& command_line);

using Keys = std::vector<std::pair<std::string, std::string>>;

/// Returns "kind/matrix/key:value/...", which scripts/report parses. The matrix of a file has its name without folder.
std::string benchmark_name(const std::string& kind, const std::string& matrix, const Keys& keys);

/// One combination of the settings. Members without a list in the driver have these defaults.
struct Case {
  std::string matrix;
  Format format = Format::Auto;
  std::string layout = {};
  int columns = 0;

  /// The benchmark's name with the keys format, the driver's own keys, layout and columns.
  std::string name(const std::string& kind, const Settings& settings, const Keys& own_keys = {}) const;
};

/// Returns all combinations; the number of columns varies fastest.
std::vector<Case> all_cases(const Settings& settings);

/// Calls body(layout), a Kokkos::LayoutLeft or LayoutRight, for "left" or "right".
template <class Body>
void with_layout(const std::string& layout, const Body& body) {
  layout == "left" ? body(Kokkos::LayoutLeft()) : body(Kokkos::LayoutRight());
}

/// Registers a benchmark in milliseconds that sets its times itself. Minimum and maximum times are reported as well as
/// Google Benchmark's own statistics. If its body throws, for instance for a format that does not suit a matrix, the
/// benchmark counts as failed, and the next one runs.
///
/// \param iterations [in] iterations per repetition
void add_benchmark(const std::string& name, int iterations, const std::function<void(benchmark::State&)>& body);

/// Runs the registered benchmarks, with the context (Context.hpp), and removes them. Kokkos must run. Returns the exit
/// status: 1 if a benchmark failed.
///
/// \param reporter [in] printer of the results instead of the console or --benchmark_format
int run_registered_benchmarks(const CommandLine& command_line, benchmark::BenchmarkReporter* reporter = nullptr);

/// The main() of a driver, except for programs with several ranks: starts Kokkos, registers and runs benchmarks.
/// Returns the exit status: 2, with a message, if the command line or a matrix is invalid; 1 if a benchmark failed.
int run_benchmarks(int argc, char* argv[], const std::string& about, const Settings& defaults,
                   const std::function<void(const Settings&)>& register_benchmarks);

}  // namespace Tessera::Impl::Benchmarks
