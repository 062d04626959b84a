// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace Tessera::Driver {

/// The execution spaces that this build's Kokkos has, in lower case: "serial", "openmp", "cuda", ...
std::vector<std::string> backend_names();

/// The name of Kokkos::DefaultExecutionSpace.
std::string default_backend();

}  // namespace Tessera::Driver
