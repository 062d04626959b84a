// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <string>

namespace Tessera::Bench {

/// A line of a table, as by std::printf; what is beyond 299 characters is cut off.
template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char text[300];
  std::snprintf(text, sizeof(text), pattern, arguments...);
  return text;
}

}  // namespace Tessera::Bench
