// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times products with the plans that Tessera chooses by itself, X and Y row-major, by precision, order of rows and
// number of columns:
//   plan_products [MATRIX]... [--published] [--tuned] [--benchmark_filter=double/order:automatic/columns:32]
//                 [others: --help]
// "default" is the order of Reordering::Auto, "automatic" the best of that and the orders that are found; each plan
// is made once. --published also times plans of Kernel::Published, named kernel:published; without such a kernel they
// fail. --tuned also times plans of Tuning::Adaptive, named tuning:adaptive, which measure candidates that
// predictions cannot distinguish: make_plan_ms includes the cost.
//
// An iteration is ten successive products and a fence, as in a solver.
//   Time, GFLOP/s  a product; 2 operations per nonzero and column
//   make_plan_ms   make_plan, including the search for the order and the kernels' own copies
//   products       make_plan_ms in products
//   predicted_ms   the cost model's prediction; on hosts for one core, hence only ratios are meaningful
// The label is the format, the order and the kernels.
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <tessera/Spmm.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "CommandLine.hpp"
#include "Turns.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

using Tessera::Kernel;
using Tessera::Precision;
using Tessera::Reordering;
using Tessera::Tuning;

/// The type and precision of products. The text is "double" or, for float, the precision; "half" if X and Y are FP16.
struct Arithmetic {
  const char* name;
  bool is_double, is_half;
  Precision precision;
};
constexpr Arithmetic arithmetics[] = {
    {"double", true, false, Precision::Native},  {"float", false, false, Precision::Native},
    {"tf32x3", false, false, Precision::Tf32x3}, {"tf32", false, false, Precision::Tf32},
    {"fp16", false, false, Precision::Fp16},     {"half", false, true, Precision::Native},
    {"fp16_half", false, true, Precision::Fp16}};

/// A matrix and its plan, in device memory.
template <class Scalar>
struct Problem {
  Tessera::Plan<Scalar, Space> plan;
  double make_plan_seconds = 0;

  Problem(const std::string& name, const Tessera::PlanOptions& options) {
    const DeviceMatrix& A = matrix_of(name);
    const Kokkos::View<Scalar*, Space::device_type> values("values", A.nonzeros());
    Kokkos::deep_copy(values, A.values);
    const Space exec;
    make_plan_seconds = seconds_of(exec, [&] {
      plan = Tessera::make_plan(exec, A.rows, A.columns, A.row_offsets, A.column_indices, values, options);
    });
  }

  /// Returns the text after "name: " in the plan's explanation; empty if that is missing.
  std::string explained(const std::string& name) const {
    const std::string text = plan.explain(), key = "  " + name + ": ";
    const auto begin = text.find(key);
    if (begin == std::string::npos) return "";
    return text.substr(begin + key.size(), text.find('\n', begin) - begin - key.size());
  }
};

/// Returns a problem. Problems are made for the first benchmark that needs them, and kept until Kokkos ends.
template <class Scalar>
Problem<Scalar>& problem_of(const std::string& matrix, const Tessera::PlanOptions& options) {
  static std::map<std::string, Problem<Scalar>> made;
  const std::string name = matrix + ' ' + std::string(to_string(options.precision)) + ' ' +
                           std::string(to_string(options.kernel)) + ' ' + std::string(to_string(options.reordering)) +
                           ' ' + std::string(to_string(options.tuning)) + ' ' +
                           std::to_string(options.hints.num_vectors) + (options.half_vectors ? " half" : "");
  const auto [place, is_new] = made.try_emplace(name, matrix, options);
  // Registered after the first plan, hence runs before Tessera's own hook, which reports leaked plans.
  if (is_new && made.size() == 1) Kokkos::push_finalize_hook([] { made.clear(); });
  return place->second;
}

template <class Scalar, class VectorScalar = Scalar>
void time_product(benchmark::State& state, const std::string& matrix, const Tessera::PlanOptions& options) {
  using View = Kokkos::View<VectorScalar**, Kokkos::LayoutRight, Space::device_type>;
  Problem<Scalar>& problem = problem_of<Scalar>(matrix, options);
  const Space exec;
  const View X("X", problem.plan.columns(), options.hints.num_vectors),
      Y("Y", problem.plan.rows(), options.hints.num_vectors);
  Kokkos::deep_copy(X, VectorScalar(1));
  auto work = problem.plan.prepare(exec, options.hints.num_vectors, Tessera::Mode::NoTranspose);
  const auto multiply = [&] { Tessera::spmm(exec, problem.plan, work, Tessera::Mode::NoTranspose, 1, X, 0, Y); };
  const double operations = 2.0 * static_cast<double>(problem.plan.nonzeros()) * options.hints.num_vectors;
  const double seconds = time_in_turns(state, exec, operations, multiply);
  state.counters["make_plan_ms"] = 1e3 * problem.make_plan_seconds;
  state.counters["products"] = problem.make_plan_seconds / seconds;
  for (const Tessera::Impl::Candidate& candidate : Tessera::Impl::choice_of(problem.plan).candidates)
    if (Tessera::Impl::choice_of(problem.plan).is_chosen(candidate) && candidate.predicted_seconds > 0)
      state.counters["predicted_ms"] = 1e3 * candidate.predicted_seconds;
  state.SetLabel(std::string(to_string(Tessera::Impl::choice_of(problem.plan).format)) + ", " +
                 std::string(to_string(Tessera::Impl::choice_of(problem.plan).reordering)) + ", " +
                 problem.explained("kernels"));
}

void register_products(const Settings& settings, const Arithmetic& arithmetic, Reordering reordering, Kernel kernel,
                       Tuning tuning = Tuning::Predict) {
  const bool is_published = kernel == Kernel::Published;
  Keys keys = {{"arithmetic", arithmetic.name}, {"order", reordering == Reordering::Auto ? "default" : "automatic"}};
  if (is_published) keys.emplace_back("kernel", to_string(kernel));
  if (tuning != Tuning::Predict) keys.emplace_back("tuning", to_string(tuning));
  for (const Case& one : all_cases(settings)) {
    Tessera::PlanOptions options;
    options.hints.num_vectors = one.columns;
    options.hints.expected_products = countless;
    options.reordering = reordering;
    options.precision = arithmetic.precision;
    options.half_vectors = arithmetic.is_half;
    options.kernel = kernel;
    options.tuning = tuning;
    options.on_unsupported = is_published ? Tessera::OnUnsupported::Throw : Tessera::OnUnsupported::FallBack;
    const auto time = arithmetic.is_double ? time_product<double>
                      : arithmetic.is_half ? time_product<float, Tessera::Half>
                                           : time_product<float>;
    add_benchmark(one.name("product", settings, keys), 5,
                  [=](benchmark::State& state) { time(state, one.matrix, options); });
  }
}

void register_benchmarks(const Settings& settings) {
  for (const Arithmetic& arithmetic : arithmetics) {
    for (const Reordering reordering : {Reordering::Auto, Reordering::Search}) {
      register_products(settings, arithmetic, reordering, Kernel::Auto);
      if (*settings.published) register_products(settings, arithmetic, reordering, Kernel::Published);
      if (*settings.tuned) register_products(settings, arithmetic, reordering, Kernel::Auto, Tuning::Adaptive);
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(
      argc, argv, "Times products with the plans that Tessera chooses.",
      {.matrices = {"elasticity:16", "stencil27:32"}, .columns = {32, 128, 512}, .published = false, .tuned = false},
      register_benchmarks);
}
