// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>

namespace Tessera {

/// A format stores so many zeros besides the entries that it would exceed FormatParameters::memory_limit, or what
/// offsets count: another format will do.
class FormatTooLarge : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace Tessera
