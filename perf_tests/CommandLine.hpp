// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <functional>
#include <optional>
#include <string>
#include <tessera/common/Format.hpp>
#include <utility>
#include <vector>

/// What the benchmarks have in common: options, names, and how they run.
namespace Tessera::Benchmarks {

/// What a driver measures. It offers an option for each list that is not empty in its defaults, and for `published`
/// and `tuned` where they have a value.
struct Settings {
  std::vector<std::string> matrices = {};  ///< --amtx: files, or generated matrices such as "stencil27:32"
  std::vector<int> rows = {};              ///< --rows, of dense blocks
  std::vector<Format> formats = {};        ///< --format
  std::vector<std::string> layouts = {};   ///< --layout: "left", "right"
  std::vector<int> columns = {};           ///< --num_vecs: columns of X
  std::optional<bool> published = {};      ///< --published: also the kernels of the formats' papers
  std::optional<bool> tuned = {};          ///< --tuned: also plans with Tuning::Adaptive
};

struct CommandLine {
  Settings settings;
  int repetitions = 5;                        ///< --repeat: of each benchmark
  std::vector<std::string> kokkos_arguments;  ///< what --openmp, --cuda and their like mean to Kokkos::initialize
  std::vector<std::string> others;            ///< Kokkos' and Google Benchmark's own
};

/// Nothing if the command line asks for help, which is printed then.
///
/// \param about    [in] what --help says of the program
/// \param defaults [in] what is measured unless options say otherwise
/// \param launched [in] whether --openmp, --cuda and their like are options: not where Kokkos runs already
/// \throws std::invalid_argument that names the option that is wrong
std::optional<CommandLine> parse(int argc, char* argv[], const std::string& about, const Settings& defaults,
                                 bool launched = false);

/// Google Benchmark with what is left of the command line. Unless that says otherwise, benchmarks run in an order that
/// mixes them, so that what else the machine does meets all of them.
///
/// \param program [in] argv[0], which must last as long as benchmarks run
/// \throws std::invalid_argument that names the first argument that nobody knows
void initialize_benchmarks(char* program, const CommandLine& command_line);

using Keys = std::vector<std::pair<std::string, std::string>>;

/// "kind/matrix/key:value/...", which is what scripts/report takes apart; a file is called without its folder.
std::string benchmark_name(const std::string& kind, const std::string& matrix, const Keys& keys);

/// One of the settings. What the driver has no list of is as here.
struct Case {
  std::string matrix;
  Format format = Format::Auto;
  std::string layout = {};
  int columns = 0;

  /// With the keys format, those of the driver, layout and columns.
  std::string name(const std::string& kind, const Settings& settings, const Keys& own_keys = {}) const;
};

/// All combinations, the number of columns changing first.
std::vector<Case> all_cases(const Settings& settings);

/// Calls body(layout), a Kokkos::LayoutLeft or LayoutRight, for "left" or "right".
template <class Body>
void with_layout(const std::string& layout, const Body& body) {
  layout == "left" ? body(Kokkos::LayoutLeft()) : body(Kokkos::LayoutRight());
}

/// Registers a benchmark in milliseconds that sets its times itself and whose least and greatest times are reported
/// besides Google Benchmark's own statistics. One whose body throws, as for a format that a matrix fills badly, counts
/// as failed, and others follow.
///
/// \param iterations [in] of a repetition
void add_benchmark(const std::string& name, int iterations, const std::function<void(benchmark::State&)>& body);

/// Runs what is registered, with the context (Context.hpp), and forgets it. Kokkos must run. Returns the exit status:
/// 1 if a benchmark failed.
///
/// \param reporter [in] what prints, if not the console or --benchmark_format
int run_registered_benchmarks(const CommandLine& command_line, benchmark::BenchmarkReporter* reporter = nullptr);

/// The whole of a driver's main() but for programs of several ranks: starts Kokkos, registers and runs benchmarks.
/// Returns the exit status: 2, with a message, where the command line or a matrix is wrong; 1 where a benchmark failed.
int run_benchmarks(int argc, char* argv[], const std::string& about, const Settings& defaults,
                   const std::function<void(const Settings&)>& register_benchmarks);

}  // namespace Tessera::Benchmarks
