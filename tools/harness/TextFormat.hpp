// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace Tessera::Impl::Harness {

/// Formats like printf, into a string.
template <class... Arguments>
std::string text_format(const char* format, Arguments... arguments) {
  const int length = std::snprintf(nullptr, 0, format, arguments...);
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), format, arguments...);
  text.pop_back();
  return text;
}

/// Formats 1234567 as "1,234,567".
inline std::string with_separators(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::ptrdiff_t position = static_cast<std::ptrdiff_t>(text.size()) - 3; position > 0; position -= 3) {
    text.insert(static_cast<std::size_t>(position), 1, ',');
  }
  return text;
}

/// Returns "4.5.1" for 40501, the numbering of Kokkos and Kokkos Kernels.
inline std::string version_text(int version) {
  return text_format("%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace Tessera::Impl::Harness
