// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "HostPattern.hpp"

/// The matrix that is pictured in the comments of CsrPattern and of all formats.
namespace Tessera::Impl::Test {

template <class Offset>
HostPattern<Offset> example_matrix() {
  constexpr std::string_view elements =
      "ab.............."
      "cd.......e......"
      "................"
      "f.g............."
      ".....h.........i"
      ".....jk........."
      ".....l...m...n.."
      "............o..."
      "........pq......"
      "........rs......"
      ".t.............."
      "........uv......"
      "............w..."
      ".............x.."
      "................"
      "............yz..";
  HostPattern<Offset> A;
  A.columns = 16;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      if (elements[16 * i + j] != '.') A.column_indices.push_back(j);
    }
    A.end_row();
  }
  return A;
}

/// The values that a format of the example stores, as the letters of the entries in `slots`, and 0 for padding.
template <class Offset>
std::string example_values(const std::vector<Offset>& slots) {
  std::string values;
  for (const Offset slot : slots) {
    values += slot == static_cast<Offset>(-1) ? '0' : static_cast<char>('a' + static_cast<int>(slot));
  }
  return values;
}

}  // namespace Tessera::Impl::Test
