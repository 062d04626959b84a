// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

namespace Example {

/// Replaces `greatest` by the value if that is greater. NaN counts as the greatest, so that no error goes unnoticed.
inline void keep_greatest(double& greatest, double value) {
  if (!(value <= greatest) && !std::isnan(greatest)) greatest = value;
}

}  // namespace Example
