// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace Tessera::Impl {

/// The bytes that the kernel of a device takes besides the format.
struct KernelMemory {
  double kept = 0;   ///< what it keeps if there is memory for all
  double built = 0;  ///< the most while it is built
  double least = 0;  ///< what it keeps in any case

  /// That of a kernel which keeps the lists of its schedule alone.
  static KernelMemory lists(std::size_t bytes) {
    const auto all = static_cast<double>(bytes);
    return {all, all, all};
  }
};

}  // namespace Tessera::Impl
