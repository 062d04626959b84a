// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "CuSparse.hpp"
#include "Settings.hpp"

namespace Tessera::Driver {

/// The rows that --compare adds: one for each algorithm of the library.
inline std::vector<std::string> peer_names(const Settings& settings, std::size_t columns) {
  if (settings.compare == "cusparse") return cusparse_algorithms(columns);
  if (settings.compare == "kokkoskernels") return {settings.compare};
  return {};
}

}  // namespace Tessera::Driver
