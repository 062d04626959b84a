// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Outputs.hpp"

#include <harness/NamedFiles.hpp>
#include <stdexcept>
#include <tessera/system/impl/OutputFile.hpp>

namespace Tessera::Impl::Driver {

void check_outputs(const Settings& settings) {
  const std::vector<Harness::NamedFile> inputs{
      {"--matrix", settings.matrix_file}, {"--x", settings.x_file}, {"--y", settings.y_file}};
  std::vector<Harness::NamedFile> outputs{
      {"--write-y", settings.write_y_file}, {"--json", settings.json_file}, {"--spy", settings.spy_file}};
  // --load-plan may name the plan that was just saved.
  Harness::check_apart({{"--load-plan", settings.load_plan_file}}, outputs);
  outputs.push_back({"--save-plan", settings.save_plan_file});
  Harness::check_apart(inputs, outputs);
  for (const auto& [option, file] : outputs) {
    if (file.empty()) continue;
    try {
      const Impl::OutputFile never_committed(file);
    } catch (const std::runtime_error& error) {
      throw std::invalid_argument(option + " " + error.what());
    }
  }
}

}  // namespace Tessera::Impl::Driver
