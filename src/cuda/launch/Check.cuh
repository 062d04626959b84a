// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace Tessera::Cuda {

/// Throws std::runtime_error that says what was done and what CUDA says. CUDA then forgets it: who asks for the last
/// error is not told of this one.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status));
}

}  // namespace Tessera::Cuda
