// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

namespace Example {

/// Takes the value if it is greater. What is not a number counts as the greatest, lest an error go unnoticed.
inline void keep_greatest(double& greatest, double value) {
  if (!(value <= greatest) && !std::isnan(greatest)) greatest = value;
}

}  // namespace Example
