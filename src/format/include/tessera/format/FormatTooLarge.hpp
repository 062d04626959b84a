// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace Tessera {

/// A format, or what it takes to build it, would exceed a limit of memory or what offsets count: another may do.
class FormatTooLarge : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// \throws FormatTooLarge if a step takes more bytes than are left
inline void require_bytes(const std::string& step, std::size_t bytes, std::size_t left) {
  if (bytes <= left) return;
  throw FormatTooLarge("Tessera: " + step + " takes " + std::to_string(bytes) + " bytes, memory_limit leaves " +
                       std::to_string(left) + "; expected a larger limit");
}

}  // namespace Tessera
