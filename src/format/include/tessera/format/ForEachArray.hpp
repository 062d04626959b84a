// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace Tessera::Impl {

/// An archive (argument of transfer()) that calls a function with each array.
template <class Visit>
struct ArrayVisitor {
  const Visit& visit;

  template <class... Fields>
  void fields(const char*, const Fields&...) {}
  template <class View>
  void array(const char* name, View& view) {
    visit(name, view);
  }
};

/// Calls visit(name, array) for each array that the format's transfer() names.
template <class Pattern, class Visit>
void for_each_array(Pattern& pattern, const Visit& visit) {
  ArrayVisitor<Visit> visitor{visit};
  pattern.transfer(visitor);
}

/// Returns the bytes of all arrays of a format.
template <class Pattern>
std::size_t bytes_of_arrays(Pattern pattern) {
  std::size_t bytes = 0;
  for_each_array(pattern, [&](const char*, const auto& view) { bytes += view.extent(0) * sizeof(view.data()[0]); });
  return bytes;
}

}  // namespace Tessera::Impl
