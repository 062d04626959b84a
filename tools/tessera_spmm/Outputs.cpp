// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Outputs.hpp"

#include <filesystem>
#include <map>
#include <stdexcept>
#include <tessera/io/impl/OutputFile.hpp>

namespace Tessera::Driver {

void check_outputs(const Settings& settings) {
  std::map<std::filesystem::path, std::string> options;
  for (const auto& [option, file] : {std::pair<std::string, std::string>{"--write-y", settings.write_y_file},
                                     {"--json", settings.json_file},
                                     {"--save-plan", settings.save_plan_file},
                                     {"--spy", settings.spy_file}}) {
    if (file.empty()) continue;
    try {
      const Impl::OutputFile never_committed(file);
    } catch (const std::runtime_error& error) {
      throw std::invalid_argument(option + " " + error.what());
    }
    const auto [other, is_new] = options.emplace(std::filesystem::weakly_canonical(file), option);
    if (!is_new) throw std::invalid_argument(option + " " + file + ": " + other->second + " writes to the same file");
  }
}

}  // namespace Tessera::Driver
