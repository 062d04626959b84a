// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include <algorithm>
#include <harness/Arguments.hpp>
#include <harness/NamedFiles.hpp>
#include <map>
#include <regex>
#include <stdexcept>

namespace Tessera::Bench {

using namespace Harness;

bool Options::wants_kernel(const std::string& precision, const std::string& name) const {
  const auto holds = [](const auto& words, const auto& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return (precisions.empty() || holds(precisions, precision)) && !holds(exclude, name) &&
         std::regex_search(name, std::regex(kernels));
}

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Checks and times products of sparse matrices with multivectors on a GPU.", "gpu_spmm");
  app.add_option("--matrix", options.matrices, "files, or generators of Tessera as stencil27:64");
  app.add_option("--columns", options.columns, "of X (default: 32 128 512)")->check(CLI::Range(1, 65536));
  app.add_option("--precision", options.precisions, "fp64, fp32, tf32x3, tf32, fp16, bf16 (default: all)")
      ->check(CLI::IsMember({"fp64", "fp32", "tf32x3", "tf32", "fp16", "bf16"}));
  app.add_option("--order", options.orders,
                 "of the rows: natural, degree, windows, local, or a folder of orders (default: natural)");
  app.add_option("--layout", options.layout, "of X and Y: right, row-major, or left, column-major (default: right)")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, Layout>{{"right", Layout::Right}, {"left", Layout::Left}}));
  app.add_option("--kernels", options.kernels, "regular expression that is searched in names (default: all)");
  app.add_option("--exclude", options.exclude, "names of kernels to leave out");
  app.add_option("--json", options.json_file, "write everything for machines, after each matrix anew");
  app.add_option("--seconds", options.seconds, "begin no further measurement after this time");
  app.add_flag("--quick", options.quick, "shorter measurements");
  app.add_flag("--ablations", options.ablations, "also kernels that lack a part, to see what it is worth");
  app.add_flag("--list", options.list, "names and precisions of the kernels");
  if (!parse(app, argc, argv)) return std::nullopt;
  try {
    static_cast<void>(std::regex(options.kernels));
  } catch (const std::regex_error& error) {
    throw std::invalid_argument("--kernels " + options.kernels + ": " + error.what());
  }
  std::vector<NamedFile> inputs;
  for (const std::string& matrix : options.matrices) inputs.push_back({"--matrix", matrix});
  check_apart(inputs, {{"--json", options.json_file}});
  if (options.matrices.empty() && !options.list) {
    throw std::invalid_argument("--matrix is missing (see --help)");
  }
  return options;
}

}  // namespace Tessera::Bench
