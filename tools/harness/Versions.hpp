// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace Tessera::Harness {

/// "4.5.1" for 40501, as Kokkos and Kokkos Kernels count.
inline std::string version_text(int version) {
  return std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

}  // namespace Tessera::Harness
