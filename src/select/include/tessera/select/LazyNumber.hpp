// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <utility>

namespace Tessera::Impl {

/// A number that a function finds when it is first needed. Not for several threads at once.
class LazyNumber {
 public:
  LazyNumber(double number) : number_(number) {}
  /// \param find [in] returns the number; is not called again by a copy of this object that knows it. If it throws, so
  ///                  does the conversion, and the next one calls it again
  explicit LazyNumber(std::function<double()> find) : find_(std::move(find)) {}

  operator double() const {
    if (find_) {
      number_ = find_();
      find_ = nullptr;
    }
    return number_;
  }

 private:
  mutable double number_ = 0;
  mutable std::function<double()> find_;
};

}  // namespace Tessera::Impl
