// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace Tessera {

/// Thrown if a format, or building it, would exceed a limit of memory or what offsets can count. Another format may
/// fit.
class FormatTooLarge : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;  ///< an error with this message
};

/// Checks that a step has enough memory.
///
/// \param step  [in] what takes the bytes, for the message
/// \param bytes [in] bytes that the step takes
/// \param left  [in] bytes that the limit leaves
/// \throws FormatTooLarge if `bytes` is more than `left`
inline void require_bytes(const std::string& step, std::size_t bytes, std::size_t left) {
  if (bytes <= left) return;
  throw FormatTooLarge("Tessera: " + step + " takes " + std::to_string(bytes) + " bytes, memory_limit leaves " +
                       std::to_string(left) + "; expected a larger limit");
}

}  // namespace Tessera
