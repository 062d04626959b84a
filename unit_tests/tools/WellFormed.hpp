// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace Tessera::Impl::Driver {

/// Whether a text is XML of the kind that the driver writes: one root, nested and closed tags, quoted attributes, and
/// no bare '<' or '&'.
inline bool is_well_formed_xml(std::string_view text) {
  constexpr auto npos = std::string_view::npos;
  std::vector<std::string> open;
  bool seen_root = false;
  const auto good_text = [](std::string_view part) {
    for (std::size_t k = part.find('&'); k != npos; k = part.find('&', k + 1)) {
      const std::string_view rest = part.substr(k);
      if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;")) return false;
    }
    return true;
  };
  while (!text.empty()) {
    const std::size_t tag = text.find('<');
    const std::string_view before = text.substr(0, tag);
    if (!good_text(before) || (open.empty() && before.find_first_not_of(" \n") != npos)) return false;
    if (tag == npos) break;
    const std::size_t end = text.find('>', tag);
    if (end == npos) return false;
    std::string_view inside = text.substr(tag + 1, end - tag - 1);
    text.remove_prefix(end + 1);
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1)) return false;
      open.pop_back();
      continue;
    }
    std::size_t quotes = 0;
    for (const char c : inside) quotes += c == '"';
    if (quotes % 2 != 0 || inside.find('<') != npos || (open.empty() && seen_root)) return false;
    seen_root = true;
    if (!inside.ends_with('/')) open.emplace_back(inside.substr(0, inside.find_first_of(" \n")));
  }
  return open.empty() && seen_root;
}

}  // namespace Tessera::Impl::Driver
