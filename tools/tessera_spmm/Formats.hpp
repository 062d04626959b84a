// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <iterator>
#include <string>
#include <tessera/common/Format.hpp>
#include <vector>

namespace Tessera::Driver {

inline std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (Format format : every_format) names.emplace_back(to_string(format));
  return names;
}

/// The formats that a value of --format stands for.
inline std::vector<Format> formats_named(const std::string& name) {
  if (name == "all") return {std::begin(every_format), std::end(every_format)};
  for (Format format : every_format) {
    if (name == to_string(format)) return {format};
  }
  return {Format::Automatic};
}

}  // namespace Tessera::Driver
