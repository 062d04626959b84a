// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace Tessera::Impl {

/// An archive that adds up the bytes of the arrays that a format transfers.
class ArrayBytes {
 public:
  template <class Pattern>
  explicit ArrayBytes(Pattern pattern) {
    pattern.transfer(*this);
  }
  std::size_t sum() const { return sum_; }

  template <class... Fields>
  void fields(const char*, const Fields&...) {}
  template <class View>
  void array(const char*, const View& view) {
    sum_ += view.extent(0) * sizeof(typename View::value_type);
  }

 private:
  std::size_t sum_ = 0;
};

}  // namespace Tessera::Impl
