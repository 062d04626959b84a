// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The CUDA runtime's own name for what a cudaStream_t points to, so that no header here includes the runtime.
struct CUstream_st;

namespace Tessera::Cuda {

/// A cudaStream_t.
using Stream = CUstream_st*;

}  // namespace Tessera::Cuda
