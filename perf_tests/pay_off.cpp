// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times what a program sees that has just got its matrix: set-up and n products Y = A X together, for n = 1, 2, 5, 10,
// 20, 50, ... 10,000:
//   pay_off [MATRIX]... --output pay_off.json [--seconds 300] [--num_vecs 1 8 32] [--scalar double] [other: --help]
// Tessera has default options, except hints about X, and once more with plans that share and trust A, as other
// libraries do; beside it cuSPARSE and Kokkos Kernels if they are there, each with its own set-up (PeerWays.hpp). In
// each repetition every way begins anew and really multiplies n times, with a fence at each n only; ways take turns.
// Algorithms of cuSPARSE that are the fastest for no n are measured once, and left out.
//
// --seconds bounds the time of all curves together, evenly over the problems that are left: each curve ends at an n
// after which the next would take too long. Results are compared; a difference beyond rounding is a failure.
//
// Prints a table for each problem: milliseconds, and how many times as fast as the best peer Tessera is. The JSON has
// medians, minima and maxima of all n; scripts/report makes tables and plots of it.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <harness/Arguments.hpp>
#include <harness/Curve.hpp>
#include <harness/Files.hpp>
#include <harness/Matrices.hpp>
#include <harness/NamedFiles.hpp>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tessera/Spmm.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "Context.hpp"
#include "DeviceMatrix.hpp"
#include "PeerWays.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

struct Options {
  std::vector<std::string> matrices{"elasticity:16", "rmat:15,8", "road:200000"};
  std::vector<std::string> scalars{};
  std::vector<std::string> layouts{"right"};
  std::vector<int> columns{1, 8, 32};
  std::string output;
  int repetitions = 3, most_products = 10000;
  double seconds = 300;
};

/// A matrix, the type of its values, and the shape of X.
struct Problem {
  std::string matrix, scalar, layout;
  int columns = 0;
};

/// The curves of a problem, and what went wrong.
struct Result {
  std::vector<Curve> curves;
  std::string formats, shared_formats;  ///< that Tessera's last plan began and ended with, by way
  std::vector<std::string> failures;
};

constexpr char sharing[] = "tessera sharing A";  // the library of plans that read the arrays of A unchecked

/// Tessera's plan.
/// \param library [in] "tessera" with default options, or `sharing`
/// \param formats [out] is written when a plan is destroyed
template <class Scalar, class View>
Way way_of_tessera(const std::string& library, const Space& exec, const DeviceCsr<Scalar, int, Space>& A, const View& X,
                   const View& Y, std::string& formats) {
  Tessera::PlanOptions options;
  options.shares_pattern = options.shares_values = options.trusts_pattern = library == sharing;
  options.hints.num_vectors = X.extent_int(1);
  options.hints.layout_left = std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>;
  return {library, "", [=, &formats]() -> std::function<void()> {
            using Plan = Tessera::Plan<Scalar, Space>;
            auto made = Tessera::make_plan(exec, A.rows, A.columns, A.row_offsets, A.column_indices, A.values, options);
            const auto first = made.format();
            const auto note = [first, &formats](Plan* plan) {
              formats = to_string(first);
              if (plan->format() != first) formats += ", then " + std::string(to_string(plan->format()));
              delete plan;
            };
            const std::shared_ptr<Plan> plan(new Plan(std::move(made)), note);
            return [=] { Tessera::spmm(exec, *plan, X, Y); };
          }};
}

template <class Array>
void read(const Array& array) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "pay_off::read", Kokkos::RangePolicy<Space>(0, array.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& all) { all += static_cast<double>(array(i)); }, sum);
}

/// Reads A. A way would otherwise find it in the caches or not, depending on what the way before it did.
template <class Scalar>
void read_all(const DeviceCsr<Scalar, int, Space>& A) {
  read(A.row_offsets);
  read(A.column_indices);
  read(A.values);
}

/// Waits and reads the clock.
double now() {
  Space().fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Scalar, class Layout>
Result measure(const DeviceCsr<Scalar, int, Space>& A, int columns, const Options& options, double budget) {
  using View = Vectors<Layout, Scalar>;
  const Space exec;
  const View X("X", A.columns, columns), Y("Y", A.rows, columns), shared("Y", A.rows, columns), Z("Z", A.rows, columns);
  scatter_values(X);
  Result result;
  const auto compare = [&](const Way& way) {
    if (!(std::max(difference(Y, Z), difference(shared, Z)) < rounding<Scalar>))
      throw std::runtime_error("the product differs from " + way.library);
  };
  std::vector<Way> ways = {way_of_tessera<Scalar>("tessera", exec, A, X, Y, result.formats),
                           way_of_tessera<Scalar>(sharing, exec, A, X, shared, result.shared_formats)};
  // Each way multiplies once, which loads its kernels. Peers that cannot are left out.
  for (const Way& way : ways) run_curve(way, {1}, 0, now);
  for (const Way& way : peer_ways<Scalar, Layout>(exec, A, X, Z)) {
    try {
      Kokkos::deep_copy(exec, Z, std::numeric_limits<Scalar>::quiet_NaN());
      run_curve(way, {1}, 0, now);
      compare(way);
      ways.push_back(way);
    } catch (const std::exception& error) {
      result.failures.push_back(way.library + " " + way.name + ": " + error.what());
    }
  }
  for (Way& way : ways) way.before = [A] { read_all(A); };
  result.curves = curves_in_turns(ways, counts_up_to(options.most_products), options.repetitions, budget, now);
  if (ways.size() > 2) compare(ways.back());  // Tessera may have changed the format since
  return result;
}

/// \throws std::invalid_argument if this Tessera is not compiled for the scalars
template <class Scalar>
Result measure(const DeviceCsr<Scalar, int, Space>& A, const Problem& problem, const Options& options, double budget) {
  if constexpr (!Tessera::Impl::is_compiled_v<Scalar>) {
    throw std::invalid_argument("this Tessera was configured without these scalars (TESSERA_SCALARS)");
  } else {
    return problem.layout == "left" ? measure<Scalar, Kokkos::LayoutLeft>(A, problem.columns, options, budget)
                                    : measure<Scalar, Kokkos::LayoutRight>(A, problem.columns, options, budget);
  }
}

Result measure(const Problem& problem, const Options& options, double budget) try {
  const DeviceMatrix& A = matrix_of(problem.matrix);
  return problem.scalar == "double" ? measure<double>(A, problem, options, budget)
                                    : measure<float>(in_floats(A), problem, options, budget);
} catch (const std::exception& error) {
  return {{}, "", "", {error.what()}};
}

/// Returns a statistic of each point, with five digits.
std::vector<double> milliseconds(const Curve& curve, double Spread::*statistic) {
  std::vector<double> all;
  char text[32];
  for (const Spread& spread : curve.seconds) {
    std::snprintf(text, sizeof text, "%.5g", 1e3 * spread.*statistic);
    all.push_back(std::stod(text));
  }
  return all;
}

/// Returns the formats of a curve of Tessera, or the name of a peer's way.
std::string formats_of(const Curve& curve, const Result& result) {
  if (curve.library == "tessera") return result.formats;
  return curve.library == sharing ? result.shared_formats : curve.name;
}

nlohmann::json to_json(const Problem& problem, const Result& result) {
  nlohmann::json curves = nlohmann::json::array();
  for (const Curve& curve : result.curves)
    curves.push_back({{"library", curve.library},
                      {"way", formats_of(curve, result)},
                      {"products", curve.products},
                      {"ms", milliseconds(curve, &Spread::median)},
                      {"least_ms", milliseconds(curve, &Spread::least)},
                      {"most_ms", milliseconds(curve, &Spread::most)}});
  return {{"matrix", matrix_name(problem.matrix)},
          {"nonzeros", matrix_of(problem.matrix).nonzeros()},
          {"scalar", problem.scalar},
          {"layout", problem.layout},
          {"columns", problem.columns},
          {"failures", result.failures},
          {"curves", curves}};
}

/// Returns the numbers at n = 1, 10, 100, ...
template <class Number>
std::vector<double> of_decades(const std::vector<Number>& of_counts) {
  std::vector<double> numbers;
  for (std::size_t place = 0; place < of_counts.size(); place += 3) numbers.push_back(of_counts[place]);
  return numbers;
}

void print_line(const std::string& name, const std::vector<double>& numbers) {
  std::printf("  %-28s", name.c_str());
  for (const double number : numbers) std::printf(" %9.4g", number);
  std::printf("\n");
}

/// Prints the medians of each curve, and how many times as fast as the best peer Tessera is, at n = 1, 10, 100, ...
void print(const Problem& problem, const Result& result, const Options& options) {
  std::printf("%s, %s, %s, columns %d (%s): ms of set-up and n products\n", matrix_name(problem.matrix).c_str(),
              problem.scalar.c_str(), problem.layout.c_str(), problem.columns, result.formats.c_str());
  print_line("n", of_decades(counts_up_to(options.most_products)));
  std::vector<std::pair<std::string, std::vector<double>>> ours;
  std::vector<double> best;
  for (const Curve& curve : result.curves) {
    const std::vector<double> numbers = of_decades(milliseconds(curve, &Spread::median));
    print_line(curve.library + " " + curve.name, numbers);
    if (curve.library.starts_with("tessera")) {
      ours.emplace_back(curve.library, numbers);
      continue;
    }
    best.resize(std::max(best.size(), numbers.size()), std::numeric_limits<double>::infinity());
    for (std::size_t place = 0; place < numbers.size(); ++place) best[place] = std::min(best[place], numbers[place]);
  }
  for (auto& [library, numbers] : ours) {
    numbers.resize(std::min(best.size(), numbers.size()));
    for (std::size_t place = 0; place < numbers.size(); ++place) numbers[place] = best[place] / numbers[place];
    if (!numbers.empty()) print_line("best peer / " + library, numbers);
  }
  std::fflush(stdout);
  for (const std::string& failure : result.failures)
    std::cerr << problem.matrix << ", " << problem.scalar << ", columns " << problem.columns << ": " << failure << '\n';
}

nlohmann::json context_json() {
  nlohmann::json all = {{"cusparse", cusparse_build()}};
  for (const auto& [key, text] : context()) all[key] = text;
  const std::time_t time = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%FT%T%z", std::localtime(&time));
  all["date"] = date;
  return all;
}

std::vector<Problem> all_problems(const Options& options) {
  std::vector<Problem> problems;
  for (const std::string& matrix : options.matrices)
    for (const std::string& scalar : options.scalars)
      for (const std::string& layout : options.layouts)
        for (const int columns : options.columns) problems.push_back({matrix, scalar, layout, columns});
  return problems;
}

/// Returns the exit status: 1 if something failed. The file is written again after each problem.
int run(const Options& options) {
  for (const std::string& matrix : options.matrices) matrix_of(matrix);  // throws if it does not exist
  nlohmann::json all = {{"context", context_json()}, {"pay_off", nlohmann::json::array()}};
  const std::vector<Problem> problems = all_problems(options);
  const double start = now();
  bool failed = false;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const double left = start + options.seconds - now();
    const Result result = measure(problems[i], options, left / static_cast<double>(problems.size() - i));
    print(problems[i], result, options);
    failed = failed || !result.failures.empty();
    all["pay_off"].push_back(to_json(problems[i], result));
    write_file(options.output, all.dump() + '\n');
  }
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  Options options;
  options.scalars = {"double"};
  if (Tessera::Impl::is_compiled_v<float>) options.scalars.push_back("float");
  CLI::App app("Times set-up and n products together, beside other libraries with their own set-up.");
  add_matrices(app, "-f,--amtx,MATRIX", options.matrices);
  add_columns(app, "--num_vecs", options.columns);
  add_layout(app, options.layouts);
  app.add_option("--scalar", options.scalars, "Types of values: double, float")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  app.add_option("--products", options.most_products, "The greatest n")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repeat", options.repetitions, "Repetitions of each curve")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "About the time of all curves together")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--output", options.output, "The JSON")->required();
  app.footer("Besides, options of Kokkos, such as --kokkos-num-threads=N.");
  return guarded(argv[0], [&] {
    const Kokkos::ScopeGuard kokkos(argc, argv);  // removes its options
    if (!parse(app, argc, argv)) return 0;
    std::vector<NamedFile> inputs;
    for (const std::string& matrix : options.matrices) inputs.push_back({"--amtx", matrix});
    check_apart(inputs, {{"--output", options.output}});
    return run(options);
  });
}
