// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Cuda {

/// What schedules and policies go by of the GPU that they are made for: an H200, unless somebody says what else.
///
/// Where windows are cut depends on it, and with that the order of their sums: on GPUs with another number of
/// multiprocessors results may differ by roundoff.
struct Device {
  int multiprocessors = 132;  ///< number of multiprocessors
};

}  // namespace Tessera::Cuda
