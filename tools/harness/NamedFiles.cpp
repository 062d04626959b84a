// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NamedFiles.hpp"

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace Tessera::Impl::Harness {

namespace {

/// Returns the canonical path of a file that may not exist.
std::filesystem::path whole_path(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(name, ignored), ignored);
}

bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  // A terminal or a pipe may be both read and written.
  if (std::filesystem::exists(a, ignored) && std::filesystem::exists(b, ignored))
    return std::filesystem::is_regular_file(a, ignored) && std::filesystem::equivalent(a, b, ignored);
  return whole_path(a) == whole_path(b);
}

constexpr const char* standard_input = "-";

/// Replaces standard input, which may be a redirected file, by its path.
NamedFile where_it_is(const NamedFile& input) {
  return {input.option, input.path == standard_input ? "/dev/stdin" : input.path};
}

}  // namespace

void check_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->path.empty()) continue;
    if (output->path == standard_input) {
      throw std::invalid_argument(output->option + " -: expected the name of a file; - is standard input");
    }
    const auto reject_if_same = [&](const NamedFile& other, const char* does) {
      if (!other.path.empty() && are_one_file(output->path, other.path)) {
        throw std::invalid_argument(output->option + " " + output->path + ": " + other.option + " " + does +
                                    " the same file");
      }
    };
    for (const NamedFile& input : inputs) reject_if_same(where_it_is(input), "reads");
    for (auto other = outputs.begin(); other != output; ++other) reject_if_same(*other, "writes to");
  }
}

}  // namespace Tessera::Impl::Harness
