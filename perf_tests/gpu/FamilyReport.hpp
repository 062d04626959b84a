// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Result.hpp"

namespace Tessera::Bench {

/// Kernels by family, which is what comes before the first '<', '_' or space of their names. Two tables as text:
///
/// - the fastest of each family on each matrix, number of columns and precision, in microseconds, the fastest family
///   first;
/// - ablations: their time over that of the kernel that they lack a part of, as geometric mean, least and most.
std::string family_tables(const Results& results);

}  // namespace Tessera::Bench
