// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace Tessera {

/// Thrown if a format, or building it, would exceed a limit of memory or the range of offsets. Another format may fit.
class FormatTooLarge : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;  ///< an error with this message
};

}  // namespace Tessera
