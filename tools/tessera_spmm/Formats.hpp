// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>
#include <tessera/common/Format.hpp>
#include <vector>

namespace Tessera::Driver {

/// The formats that --format all measures, in the order of the table.
inline constexpr std::array all_formats{Format::Csr, Format::BitTcf};

inline std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (Format format : all_formats) names.emplace_back(to_string(format));
  return names;
}

/// The formats that a value of --format stands for.
inline std::vector<Format> formats_named(const std::string& name) {
  if (name == "all") return {all_formats.begin(), all_formats.end()};
  for (Format format : all_formats) {
    if (name == to_string(format)) return {format};
  }
  return {Format::Automatic};
}

}  // namespace Tessera::Driver
