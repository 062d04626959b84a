// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nlohmann/json.hpp>

#include "Report.hpp"

namespace Tessera::Impl::Bench {

namespace {

nlohmann::ordered_json to_json(const Machine& machine) {
  return {{"gpu", machine.gpu},
          {"compute_capability", machine.compute_capability},
          {"multiprocessors", machine.multiprocessors},
          {"driver_cuda", machine.driver},
          {"cuda", machine.runtime},
          {"memory_gb", machine.memory_gb},
          {"copy_gb_per_s", machine.copy_gb_per_s}};
}

nlohmann::ordered_json to_json(const KernelResult& kernel) {
  return {{"kernel", kernel.kernel},
          {"precision", kernel.precision},
          {"cusparse", kernel.cusparse},
          {"checked", kernel.right},
          {"deterministic", kernel.deterministic},
          {"message", kernel.message},
          {"ms_median", kernel.times.median},
          {"ms_min", kernel.times.least},
          {"ms_max", kernel.times.most},
          {"samples", kernel.times.samples},
          {"batch", kernel.times.batch},
          {"prepare_ms", kernel.prepare_ms},
          {"bytes", kernel.bytes}};
}

nlohmann::ordered_json to_json(const ProblemResult& problem) {
  nlohmann::ordered_json json = {{"matrix", problem.matrix},
                                 {"order", problem.order},
                                 {"rows", problem.rows},
                                 {"columns", problem.inner},
                                 {"nonzeros", problem.nonzeros},
                                 {"x_columns", problem.columns},
                                 {"layout", problem.layout == Layout::Left ? "left" : "right"},
                                 {"scalar", problem.is_double ? "double" : "float"},
                                 {"floor_ms", problem.floor_ms},
                                 {"kernels", nlohmann::ordered_json::array()}};
  for (const KernelResult& kernel : problem.kernels) json["kernels"].push_back(to_json(kernel));
  return json;
}

}  // namespace

std::string report_json(const Results& results) {
  nlohmann::ordered_json json = {{"machine", to_json(results.machine)}, {"problems", nlohmann::ordered_json::array()}};
  for (const ProblemResult& problem : results.problems) json["problems"].push_back(to_json(problem));
  return json.dump(1) + "\n";
}

}  // namespace Tessera::Impl::Bench
