// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/H200.hpp>

namespace Tessera::Impl::Cuda {

/// The GPU that schedules and policies are made for; an H200 by default.
///
/// It decides where windows are cut, and hence the order of their sums. On GPUs with another number of multiprocessors,
/// results may differ by roundoff.
struct Device {
  int multiprocessors = H200::multiprocessors;  ///< number of multiprocessors
};

}  // namespace Tessera::Impl::Cuda
