// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>

#include "Matrices.hpp"
#include "Options.hpp"
#include "Result.hpp"

namespace Tessera::Impl::Bench {

/// Thrown when the device can run nothing more in this process; earlier results are kept.
struct DeviceLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Checks and times every wanted kernel on a matrix, and adds the outcomes to the results.
/// Throws DeviceLost when a kernel has broken the device's context.
void measure(const NamedMatrix& matrix, const std::string& order, const Options& options, Results& results);

}  // namespace Tessera::Impl::Bench
