// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Cuda {

/// The GPU that schedules and policies are made for; an H200 by default.
///
/// It decides where windows are cut, and so the order of their sums. On GPUs with another number of multiprocessors,
/// results may differ by roundoff.
struct Device {
  int multiprocessors = 132;  ///< number of multiprocessors
};

}  // namespace Tessera::Cuda
