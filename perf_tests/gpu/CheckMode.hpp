// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Options.hpp"

namespace Tessera::Bench {

/// Checks every wanted candidate on small_matrices() with 1 to 512 columns, rows of X and Y packed, apart and
/// misaligned, beta zero and not, and with Inf and NaN in X. Prints the first failure of a candidate with a
/// matrix and number of columns, and a line for each candidate. Returns how many candidates failed.
///
/// Throws DeviceLost when a candidate has broken the device's context. Where a product does not end, the program does,
/// with the same message and status.
int check_candidates(const Options& options);

}  // namespace Tessera::Bench
