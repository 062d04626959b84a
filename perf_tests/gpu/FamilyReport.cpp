// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <harness/Statistics.hpp>
#include <harness/TextFormat.hpp>
#include <map>
#include <utility>
#include <vector>

#include "Report.hpp"

namespace Tessera::Impl::Bench {

using namespace Harness;

namespace {

std::string family_of(const KernelResult& kernel) { return kernel.kernel.substr(0, kernel.kernel.find('<')); }

/// The fastest kernels of a problem, by precision and family, in milliseconds.
using Fastest = std::map<std::pair<std::string, std::string>, double>;

Fastest fastest_kernels(const ProblemResult& problem) {
  Fastest fastest;
  for (const KernelResult& kernel : problem.kernels) {
    if (!kernel.right || kernel.times.median <= 0) continue;
    const auto [place, is_new] = fastest.insert({{kernel.precision, family_of(kernel)}, kernel.times.median});
    if (!is_new) place->second = std::min(place->second, kernel.times.median);
  }
  return fastest;
}

/// Returns the precisions of a problem, each with its families from the fastest to the slowest.
std::map<std::string, std::vector<std::pair<double, std::string>>> ranking(const Fastest& fastest) {
  std::map<std::string, std::vector<std::pair<double, std::string>>> ranked;
  for (const auto& [key, ms] : fastest) ranked[key.first].push_back({ms, key.second});
  for (auto& [precision, families] : ranked) std::sort(families.begin(), families.end());
  return ranked;
}

std::string fastest_table(const Results& results) {
  std::string text = "\nfastest of each family, in us, from the fastest to the slowest\n";
  for (const ProblemResult& problem : results.problems) {
    const std::string matrix = problem.matrix + (problem.order == "natural" ? "" : "+" + problem.order);
    for (const auto& [precision, families] : ranking(fastest_kernels(problem))) {
      text += text_format("%-22s %4d %-6s ", matrix.c_str(), problem.columns, precision.c_str());
      for (const auto& [ms, family] : families) text += text_format(" %s %.1f", family.c_str(), 1e3 * ms);
      text += "\n";
    }
  }
  return text;
}

/// Returns the result of the same engine with its own choice of policy, if it was timed.
const KernelResult* own_choice(const KernelResult& with_policy, const ProblemResult& problem) {
  for (const KernelResult& kernel : problem.kernels) {
    const bool is_it = kernel.kernel == family_of(with_policy) && kernel.precision == with_policy.precision;
    if (is_it && kernel.right && kernel.times.median > 0) return &kernel;
  }
  return nullptr;
}

std::string policy_table(const Results& results) {
  std::map<std::pair<std::string, std::string>, GeometricMean> policies;  // by name and precision
  for (const ProblemResult& problem : results.problems) {
    for (const KernelResult& kernel : problem.kernels) {
      if (kernel.cusparse || !kernel.right || kernel.kernel == family_of(kernel)) continue;
      const KernelResult* own = own_choice(kernel, problem);
      if (own) policies[{kernel.kernel, kernel.precision}].add(kernel.times.median / own->times.median);
    }
  }
  if (policies.empty()) return "";
  std::string text = "\npolicies: time over that of the engine's own choice (mean, least, most, cases)\n";
  for (const auto& [key, factors] : policies) {
    text += text_format("%-70s %-6s %6.2f %6.2f %6.2f %4d\n", key.first.c_str(), key.second.c_str(), factors.mean(),
                        factors.least, factors.most, factors.count);
  }
  return text;
}

}  // namespace

std::string family_tables(const Results& results) { return fastest_table(results) + policy_table(results); }

}  // namespace Tessera::Impl::Bench
