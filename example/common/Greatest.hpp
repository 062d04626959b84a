// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

namespace Example {

/// Replaces `greatest` by `value` if `value` is greater. NaN counts as the greatest, hence no error is missed.
inline void keep_greatest(double& greatest, double value) {
  if (!(value <= greatest) && !std::isnan(greatest)) greatest = value;
}

}  // namespace Example
