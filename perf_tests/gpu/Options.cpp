// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include <engines/KernelPolicy.hpp>
#include <harness/Arguments.hpp>
#include <harness/NamedFiles.hpp>
#include <stdexcept>

#include "EngineCandidates.hpp"

namespace Tessera::Impl::Bench {

using namespace Harness;

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Checks and times products of sparse matrices with multivectors on a GPU.", "gpu_spmm");
  add_matrices(app, "--matrix", options.matrices)->required();
  add_columns(app, "--columns", options.columns);
  app.add_option("--precision", options.precisions, "fp64, fp32, tf32x3, tf32, fp16, bf16 (default: all)")
      ->check(CLI::IsMember({"fp64", "fp32", "tf32x3", "tf32", "fp16", "bf16"}));
  app.add_option("--order", options.orders,
                 "of the rows: natural, degree, windows, local, or a folder of orders (default: natural)");
  std::string layout = "right";
  add_layout(app, layout);
  std::vector<std::string> names = engine_names();
  names.insert(names.begin(), "cusparse");
  app.add_option("--engine", options.engines, "those to measure: " + CLI::detail::join(names, ", ") + " (default: all)")
      ->check(CLI::IsMember(names));
  app.add_option("--policy", options.policies,
                 "numbers to measure in place of those that the engines choose, as piece=32,width=64; see README.md");
  app.add_option("--exclude", options.exclude, "names of kernels to leave out");
  app.add_option("--json", options.json_file, "write everything for machines, after each matrix anew");
  app.add_option("--seconds", options.seconds, "begin no further measurement after this time");
  app.add_flag("--quick", options.quick, "shorter measurements");
  if (!parse(app, argc, argv)) return std::nullopt;
  options.layout = layout == "left" ? Layout::Left : Layout::Right;
  if (!options.policies.empty() && options.engines.empty())
    throw std::invalid_argument("--policy: expected --engine, since engines have other numbers each");
  for (const std::string& policy : options.policies) static_cast<void>(Impl::KernelPolicy(policy));  // throws
  if (options.engines.empty()) options.engines = names;
  std::vector<NamedFile> inputs;
  for (const std::string& matrix : options.matrices) inputs.push_back({"--matrix", matrix});
  check_apart(inputs, {{"--json", options.json_file}});
  return options;
}

}  // namespace Tessera::Impl::Bench
