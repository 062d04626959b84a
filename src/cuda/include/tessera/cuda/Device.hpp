// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/H200.hpp>

namespace Tessera::Impl::Cuda {

/// The GPU for which schedules and policies are made; an H200 by default.
///
/// It determines where windows are cut, and hence the order of their sums. If the number of multiprocessors differs,
/// results may differ by rounding errors.
struct Device {
  int multiprocessors = H200::multiprocessors;  ///< number of multiprocessors
};

}  // namespace Tessera::Impl::Cuda
