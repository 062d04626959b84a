// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

namespace Tessera::Impl {

/// Returns the length in bytes of a text's first character; 0 if it is a control character or not UTF-8. Terminals
/// execute control characters, and JSON cannot contain bytes that are not UTF-8.
inline std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first >= 0xf8 || text.size() < length) return 0;
  unsigned code = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr unsigned least[] = {0xa0, 0x800,
                                0x10000};  // smallest codes of 2, 3 and 4 bytes; 0x80 to 0x9f are control characters
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[length - 2] && code <= 0x10ffff && !is_surrogate ? length : 0;
}

inline bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace Tessera::Impl
