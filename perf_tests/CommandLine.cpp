// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandLine.hpp"

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <harness/Arguments.hpp>
#include <harness/NamedFiles.hpp>
#include <map>
#include <stdexcept>

#include "Context.hpp"
#include "DeviceMatrix.hpp"

namespace Tessera::Impl::Benchmarks {

namespace {

/// Whether a benchmark has failed, for the exit status.
std::atomic<bool> failed = false;

/// Formats by name, including the plan's own choice.
std::map<std::string, Format> formats_by_name() {
  std::map<std::string, Format> names{{std::string(to_string(Format::Auto)), Format::Auto}};
  for (const Format format : every_format) names.emplace(to_string(format), format);
  return names;
}

void add_settings(CLI::App& app, Settings& settings) {
  if (!settings.matrices.empty()) Harness::add_matrices(app, "-f,--amtx,MATRIX", settings.matrices);
  if (!settings.rows.empty()) {
    app.add_option("--rows", settings.rows, "Rows of the blocks")->check(CLI::Range(1, 1 << 30))->capture_default_str();
  }
  if (!settings.products.empty()) {
    app.add_option("--products", settings.products, "Products of a batch")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
  }
  if (!settings.columns.empty()) Harness::add_columns(app, "--num_vecs", settings.columns);
  if (!settings.layouts.empty()) Harness::add_layout(app, settings.layouts);
  if (!settings.formats.empty()) {
    app.add_option("--format", settings.formats, "Formats; automatic: the one that the plan chooses")
        ->transform(CLI::CheckedTransformer(formats_by_name()));
  }
  if (settings.published) {
    app.add_flag("--published", *settings.published, "Also the kernels of the formats' papers, on a GPU");
  }
  if (settings.tuned) app.add_flag("--tuned", *settings.tuned, "Also plans with Tuning::Adaptive");
}

/// Adds the options of Kokkos Kernels' drivers that choose a backend: only the default backend of this build.
void add_backend_options(CLI::App& app, std::vector<std::string>& kokkos_arguments) {
  std::string backend = Kokkos::DefaultExecutionSpace::name();
  std::transform(backend.begin(), backend.end(), backend.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto add = [&](const std::string& name, const std::string& argument, const std::string& what) {
    const auto given = [=, &kokkos_arguments](const int& number) {
      if (name != "--" + backend) throw CLI::ValidationError(name, "this program was built for " + backend);
      kokkos_arguments.push_back(argument + std::to_string(number));
    };
    app.add_option_function<int>(name, given, what)->check(CLI::NonNegativeNumber);
  };
  for (const char* name : {"--openmp", "--threads"}) add(name, "--kokkos-num-threads=", "Threads of that backend");
  for (const char* name : {"--cuda", "--hip", "--sycl"}) add(name, "--kokkos-device-id=", "Device of that backend");
}

/// Prints the median, minimum and maximum of repetitions, with short names.
class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : ConsoleReporter(isatty(STDOUT_FILENO) ? OO_ColorTabular : OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> shown;
    for (Run run : runs) {
      const bool is_statistic = run.run_type == Run::RT_Aggregate;
      if (is_statistic && run.aggregate_name != "median" && run.aggregate_name != "min" && run.aggregate_name != "max")
        continue;
      run.run_name.iterations.clear();
      run.run_name.time_type.clear();
      shown.push_back(run);
    }
    ConsoleReporter::ReportRuns(shown);
  }
};

/// Checks that Google Benchmark's output file is none of the inputs.
void check_outputs(const CommandLine& command_line) {
  const std::string option = "--benchmark_out";
  std::vector<Harness::NamedFile> inputs;
  for (const std::string& matrix : command_line.settings.matrices) inputs.push_back({"--amtx", matrix});
  for (const std::string& word : command_line.others)
    if (word.starts_with(option + '=')) Harness::check_apart(inputs, {{option, word.substr(option.size() + 1)}});
}

}  // namespace

std::optional<CommandLine> parse(int argc, char* argv[], const std::string& about, const Settings& defaults,
                                 bool launched) {
  CommandLine result;
  result.settings = defaults;
  CLI::App app(about, std::filesystem::path(argv[0]).filename().string());
  app.allow_extras();
  app.footer(
      "Besides, options of Google Benchmark, such as --benchmark_filter=REGEX and --benchmark_out=FILE.json,\n"
      "which scripts/report makes pages of, and of Kokkos, such as --kokkos-num-threads=N.");
  add_settings(app, result.settings);
  app.add_option("--repeat", result.repetitions, "Repetitions of each benchmark")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  if (!launched) add_backend_options(app, result.kokkos_arguments);
  if (!Harness::parse(app, argc, argv)) return std::nullopt;
  result.others = app.remaining();
  check_outputs(result);
  return result;
}

void initialize_benchmarks(char* program, const CommandLine& command_line) {
  std::vector<std::string> words = {"--benchmark_repetitions=" + std::to_string(command_line.repetitions),
                                    "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_report_aggregates_only=true"};
  words.insert(words.end(), command_line.others.begin(), command_line.others.end());
  std::vector<char*> arguments = {program};  // Google Benchmark keeps this pointer
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) throw std::invalid_argument(std::string(arguments[1]) + ": unknown option; --help lists them");
}

std::string benchmark_name(const std::string& kind, const std::string& matrix, const Keys& keys) {
  std::string name = kind + '/' + std::filesystem::path(matrix).filename().string();
  for (const auto& [key, value] : keys) name += '/' + key + ':' + value;
  return name;
}

std::string Case::name(const std::string& kind, const Settings& settings, const Keys& own_keys) const {
  Keys keys;
  if (!settings.formats.empty()) keys.emplace_back("format", to_string(format));
  keys.insert(keys.end(), own_keys.begin(), own_keys.end());
  if (!settings.layouts.empty()) keys.emplace_back("layout", layout);
  if (!settings.columns.empty()) keys.emplace_back("columns", std::to_string(columns));
  return benchmark_name(kind, matrix, keys);
}

std::vector<Case> all_cases(const Settings& settings) {
  std::vector<Case> cases;
  for (const std::string& matrix : settings.matrices) cases.push_back({matrix});
  // Expands each case to one case per element of the list.
  const auto multiply = [&](const auto& list, auto Case::*member) {
    if (list.empty()) return;
    std::vector<Case> more;
    for (const Case& one : cases) {
      for (const auto& element : list) {
        more.push_back(one);
        more.back().*member = element;
      }
    }
    cases = std::move(more);
  };
  multiply(settings.formats, &Case::format);
  multiply(settings.layouts, &Case::layout);
  multiply(settings.columns, &Case::columns);
  return cases;
}

void add_benchmark(const std::string& name, int iterations, const std::function<void(benchmark::State&)>& body) {
  const auto guarded = [body](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
    if (state.error_occurred()) failed = true;
  };
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), guarded);
  registered->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(iterations);
  registered->ComputeStatistics("min", [](const auto& times) { return *std::min_element(times.begin(), times.end()); });
  registered->ComputeStatistics("max", [](const auto& times) { return *std::max_element(times.begin(), times.end()); });
}

int run_registered_benchmarks(const CommandLine& command_line, benchmark::BenchmarkReporter* reporter) {
  const auto asks_for_format = [](const std::string& word) { return word.starts_with("--benchmark_format="); };
  const auto& others = command_line.others;
  Reporter console;
  if (reporter == nullptr && std::none_of(others.begin(), others.end(), asks_for_format)) reporter = &console;
  add_context();
  benchmark::RunSpecifiedBenchmarks(reporter);
  benchmark::ClearRegisteredBenchmarks();  // also destroys their Views, before Kokkos ends
  benchmark::Shutdown();
  return failed ? 1 : 0;
}

int run_benchmarks(int argc, char* argv[], const std::string& about, const Settings& defaults,
                   const std::function<void(const Settings&)>& register_benchmarks) {
  return Harness::guarded(std::filesystem::path(argv[0]).filename().string(), [&] {
    auto command_line = parse(argc, argv, about, defaults);
    if (!command_line) return 0;
    // Kokkos removes its arguments from the list, and does not warn of unknown ones.
    std::vector<std::string> words = {argv[0]};
    for (const auto* list : {&command_line->kokkos_arguments, &command_line->others})
      words.insert(words.end(), list->begin(), list->end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int count = static_cast<int>(words.size());
    const Kokkos::ScopeGuard kokkos(count, arguments.data());
    command_line->others.assign(arguments.begin() + 1, arguments.begin() + count);

    initialize_benchmarks(argv[0], *command_line);
    for (const std::string& matrix : command_line->settings.matrices) matrix_of(matrix);  // throws if it does not exist
    register_benchmarks(command_line->settings);
    return run_registered_benchmarks(*command_line);
  });
}

}  // namespace Tessera::Impl::Benchmarks
