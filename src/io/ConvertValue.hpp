// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <sstream>
#include <string>
#include <type_traits>

#include "ScalarTraits.hpp"

namespace Tessera::Impl {

/// Returns whether a finite part of a number became infinite.
template <class Narrow, class Wide>
bool has_overflown(const Narrow& narrow, const Wide& wide) {
  if constexpr (is_complex<Wide>) {
    return has_overflown(narrow.real(), wide.real()) || has_overflown(narrow.imag(), wide.imag());
  } else {
    return std::isinf(std::real(narrow)) && !std::isinf(wide);
  }
}

/// Converts a value to the requested type, a real or complex one if the value is real or an integer. A value that is
/// too small becomes 0.
///
/// \param where, number [in] for the message: what it begins with, such as "file: nonzero", and the number of the value
/// \throws Error if the value is too large for the type
template <class Error, class Scalar, class Value>
Scalar convert_value(const Value& value, const std::string& where, std::size_t number) {
  if constexpr (std::is_integral_v<Value>) {
    return Scalar(static_cast<RealOf<Scalar>>(value));
  } else {
    const auto converted = static_cast<Scalar>(value);
    if constexpr (sizeof(RealOf<Scalar>) < sizeof(RealOf<Value>)) {
      if (has_overflown(converted, value)) {
        std::ostringstream text;
        text << where << ' ' << number << " is " << value << ", expected one within the range of " << real_name<Scalar>;
        throw Error(text.str());
      }
    }
    return converted;
  }
}

}  // namespace Tessera::Impl
